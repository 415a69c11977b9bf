import Foundation
import HalfTunesTestSupport
import Testing

// What a person does with the app, and sees of it. What is not there yet is waited for.
extension TestApp {
    /// What the row of the song is called that all tests download.
    static let row = "Blue River by The Ferrymen"

    /// Starts Half Tunes, and in it the download of the song, which has begun when this returns.
    func startDownload() async throws -> Process {
        let process = try launch()
        try await search(for: "blue river")
        try await pressInRow("Download")
        try await showsProgress(of: "176 kB")
        return process
    }

    func search(for text: String) async throws {
        try await write(text)
        try await shows(Self.row)
    }

    func write(_ text: String, into name: String = "Search for songs") async throws {
        try await desktop.changes.until { desktop.write(text, into: name) }
    }

    func press(_ name: String, in place: String? = nil) async throws {
        try await desktop.changes.until { desktop.press(name, in: place) }
    }

    /// Presses a button of the song's row.
    func pressInRow(_ name: String) async throws {
        try await press(name, in: Self.row)
    }

    func shows(_ name: String, role: Role? = nil) async throws {
        try await desktop.changes.until { desktop.shows(name, role: role) }
    }

    /// Returns when it is told how much of a file of a size, as the app writes it, has arrived.
    func showsProgress(of size: String) async throws {
        try await desktop.changes.until {
            desktop.shows { name, _ in name.hasSuffix("% of \(size)") && !name.hasPrefix("0.0") }
        }
    }

    /// Has what is under way come at once.
    func hurry() async throws {
        try await trial.change(#"{"rate": 0}"#)
    }

    /// Returns when there is a notification, and checks that it is the only one and comes without a window.
    func isNotified(_ title: String, _ body: String) async throws {
        try await desktop.changes.until { !desktop.notifications.shown.isEmpty }
        #expect(desktop.notifications.shown == [.init(title: title, body: body)])
        #expect(!desktop.shows { _, _ in true })
    }

    /// Downloads the song, and returns when it is there.
    func downloadSong() async throws {
        _ = try launch()
        try await search(for: "blue river")
        try await hurry()
        try await pressInRow("Download")
        try await shows("Play", role: .button)
    }

    /// A picture as the catalog has it.
    func picture(_ name: String) async throws -> Data {
        try await trial.curl(trial.picture(name).absoluteString)
    }

    /// Whether the song is in the user's music.
    var hasFiledSong: Bool { filed("Music/Half Tunes/song01.wav") != nil }

    /// Returns when the app was started without a window, has filed the song, and has said so.
    func filesWithoutWindow() async throws {
        try await hurry()
        try await isNotified("Song Downloaded", Self.row)
        #expect(hasFiledSong)
    }

    /// Opens the app, which shows that the song is there.
    func opensAgain() async throws {
        _ = try launch()
        try await search(for: "blue river")
        try await shows("Play", role: .button)
        #expect(try await transfers().isEmpty)
    }
}

extension TestApp {
    /// Gives a test an app, and ends what is left of it; keeps a picture of what the screen shows at the end.
    ///
    /// - Parameters:
    ///   - program: The app's program.
    ///   - rate: The catalog's, in bytes per second.
    ///   - catalog: Where the app looks for the catalog; nil for where it is.
    ///   - buttons: Those of its window.
    ///   - environment: Variables of its own.
    ///   - name: Of the test.
    ///   - body: The test, whose errors are recorded.
    /// - Throws: what Foundation does when a program cannot be started.
    static func run(
        _ program: String,
        rate: Int,
        catalog: String? = nil,
        buttons: String = ":close",
        environment: [String: String] = [:],
        _ name: String = #function,
        _ body: (TestApp) async throws -> Void
    ) async throws {
        let app = try TestApp(
            program,
            rate: rate,
            catalog: catalog,
            buttons: buttons,
            environment: environment
        )
        do { try await body(app) } catch { Issue.record(error) }
        try? app.desktop.keepPicture("end of \(name)")
        try await app.end()
    }
}
