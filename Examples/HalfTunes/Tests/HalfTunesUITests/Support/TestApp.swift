import Foundation
import HalfTunesTestSupport
import Testing

/// Half Tunes on the desktop of the tests, with a home and a catalog of its own.
struct TestApp: Sendable {
    let trial: TrialCatalog
    let home: TestDirectory
    private let variables: [String: String]

    /// Makes its home, and a catalog.
    ///
    /// - Parameter rate: The catalog's, in bytes per second.
    /// - Throws: what Foundation does when a program cannot be started.
    init(rate: Int) async throws {
        trial = try TrialCatalog(rate: rate)
        home = try TestDirectory()
        try FileManager.default.createDirectory(
            at: home.url.appending(component: "run"),
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        variables = try await Desktop.shared.environment().merging([
            "HOME": home.url.path, "XDG_RUNTIME_DIR": home.url.path + "/run",
            "FERRY_DAEMON": Products.path(of: "ferryd"),
            "HALF_TUNES_CATALOG": trial.address.absoluteString,
        ]) { $1 }
    }

    /// Starts it, as a person does.
    func launch() throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Products.path(of: "half-tunes"))
        process.environment = variables
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    /// Runs a program to its end, and returns what it wrote.
    func run(_ path: String, _ arguments: [String]) async throws -> String {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = variables
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        return await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let data = output.fileHandleForReading.readDataToEndOfFile()
                continuation.resume(returning: String(decoding: data, as: UTF8.self))
            }
        }
    }

    /// Runs the `ferry` command.
    func ferry(_ arguments: String...) async throws -> String {
        try await run(Products.path(of: "ferry"), arguments)
    }
}

/// Waits until a condition holds; the test's time limit ends it otherwise.
///
/// GTK 4.8 tells the accessibility bus of few changes, and files tell nobody: both have to be looked at.
func until(_ condition: () async throws -> Bool) async throws {
    while try await !condition() { try await Task.sleep(for: .milliseconds(20)) }
}
