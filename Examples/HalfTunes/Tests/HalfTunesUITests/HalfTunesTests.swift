import Foundation
import HalfTunesTestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(1)))
struct HalfTunesTests {
    private let desktop = Desktop.shared
    private let row = "Blue River by The Ferrymen"

    /// Gives a test an app, and ends what is left of it.
    private func withApp(_ body: (TestApp) async throws -> Void) async throws {
        // Half a minute for a preview, so that there is time to do something meanwhile.
        let app = try await TestApp(rate: 6_000)
        do { try await body(app) } catch {
            try? await desktop.keepPicture("failure")
            Issue.record(error)
        }
        _ = try await app.run("/usr/bin/gapplication", ["action", "io.ferry.HalfTunes", "quit"])
        _ = try await app.ferry("daemon", "stop")
    }

    private func shows(_ name: String) async -> Bool {
        await desktop.elements().contains { $0.name == name }
    }

    private func search(for text: String) async throws {
        try await until { await desktop.write(text, into: "Search for songs") }
        try await until { await shows(row) }
    }

    private func press(_ name: String) async throws {
        try await until { await desktop.press(name, in: row) }
    }

    private func isFiled(_ app: TestApp) -> Bool {
        let file = app.home.url.appending(path: "Music/Half Tunes/song01.wav")
        return FileManager.default.fileExists(atPath: file.path)
    }

    @Test
    func `a track is found, downloaded with pauses, and played`() async throws {
        try await withApp { app in
            _ = try app.launch()
            try await search(for: "blue")
            try await press("Download")
            try await until {
                await desktop.elements().contains { $0.name.hasSuffix("% of 176 kB") }
            }
            try await press("Pause")
            try await until { await shows("Resume") }
            try await desktop.keepPicture("downloading")
            try await app.trial.change(#"{"rate": 0}"#)
            try await press("Resume")
            try await press("Play")
            try await until { await shows("0:01 / 0:04") }
            try await desktop.keepPicture("playing")
            #expect(isFiled(app))
        }
    }

    @Test
    func `a cancelled download can be downloaded again`() async throws {
        try await withApp { app in
            _ = try app.launch()
            try await search(for: "blue river")
            try await press("Download")
            try await press("Cancel")
            try await until { await shows("Download") }
            #expect(try await app.ferry("list", "--all").isEmpty)
        }
    }

    @Test
    func `a status page tells of an error, and offers to try again`() async throws {
        try await withApp { app in
            _ = try app.launch()
            try await app.trial.change(#"{"status": 503}"#)
            try await until { await desktop.write("blue river", into: "Search for songs") }
            try await until { await shows("The catalog answered with status 503.") }
            try await desktop.keepPicture("error")
            try await app.trial.change(#"{"status": 200}"#)
            try await until { await desktop.press("Try Again") }
            try await until { await shows(row) }
        }
    }

    @Test
    func `a killed app's download is filed without a window, and is there when it is opened`()
        async throws
    {
        try await withApp { app in
            let process = try app.launch()
            try await search(for: "blue river")
            try await press("Download")
            try await until { try await app.ferry("list").contains("running") }
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            try await app.trial.change(#"{"rate": 0}"#)
            try await until { isFiled(app) }
            #expect(await desktop.elements().isEmpty)
            try await until { try await app.ferry("list", "--all").isEmpty }
            _ = try app.launch()
            try await search(for: "blue river")
            try await until {
                await desktop.elements().contains(Element(role: "push button", name: "Play"))
            }
        }
    }

    @Test
    func `to quit and cancel leaves nothing behind`() async throws {
        try await withApp { app in
            let process = try app.launch()
            try await search(for: "blue river")
            try await press("Download")
            try await until { try await app.ferry("list").contains("running") }
            let action = ["action", "io.ferry.HalfTunes", "quit-and-cancel"]
            _ = try await app.run("/usr/bin/gapplication", action)
            process.waitUntilExit()
            #expect(try await app.ferry("list", "--all").isEmpty)
            #expect(!isFiled(app))
        }
    }
}
