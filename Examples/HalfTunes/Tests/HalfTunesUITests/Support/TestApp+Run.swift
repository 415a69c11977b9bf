import Testing

extension TestApp {
    /// Gives a test an app, and ends what is left of it; keeps a picture of what the screen shows at the end.
    ///
    /// - Parameters:
    ///   - program: The app's program.
    ///   - rate: The catalog's, in bytes per second.
    ///   - catalog: Where the app looks for the catalog; nil for where it is.
    ///   - environment: Variables of its own.
    ///   - name: Of the test.
    ///   - body: The test, whose errors are recorded.
    /// - Throws: what Foundation does when a program cannot be started.
    static func run(
        _ program: String,
        rate: Int,
        catalog: String? = nil,
        environment: [String: String] = [:],
        _ name: String = #function,
        _ body: (TestApp) async throws -> Void
    ) async throws {
        let app = try TestApp(program, rate: rate, catalog: catalog, environment: environment)
        do { try await body(app) } catch { Issue.record(error) }
        try? app.desktop.keepPicture("end of \(name)")
        _ = try await app.ferry("daemon", "stop")
    }
}
