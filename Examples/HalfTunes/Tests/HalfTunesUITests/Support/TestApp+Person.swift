import HalfTunesTestSupport
import Testing

// What a person does with the app, and sees of it. What is not there yet is waited for.
extension TestApp {
    /// What the row of the song is called that all tests download.
    static let row = "Blue River by The Ferrymen"

    func search(for text: String) async throws {
        try await write(text)
        try await shows(Self.row)
    }

    func write(_ text: String) async throws {
        try await desktop.changes.wait { desktop.write(text, into: "Search for songs") }
    }

    func press(_ name: String, in place: String? = nil) async throws {
        try await desktop.changes.wait { desktop.press(name, in: place) }
    }

    /// Presses a button of the song's row.
    func pressInRow(_ name: String) async throws {
        try await press(name, in: Self.row)
    }

    func shows(_ name: String, role: Role? = nil) async throws {
        try await desktop.changes.wait { desktop.shows(name, role: role) }
    }

    /// Returns when the row tells how much has arrived.
    func showsProgress() async throws {
        try await desktop.changes.wait {
            desktop.shows { name, _ in name.hasSuffix("% of 176 kB") && !name.hasPrefix("0.0") }
        }
    }

    /// Returns when the app was started without a window, has filed the song, and has said so.
    func filesWithoutWindow() async throws {
        try await trial.change(#"{"rate": 0}"#)
        try await desktop.changes.wait { !desktop.notifications.shown.isEmpty }
        let text = Notifications.Notification(title: "Song Downloaded", body: Self.row)
        #expect(desktop.notifications.shown == [text])
        #expect(hasFiled("song01.wav"))
        #expect(!desktop.shows { _, _ in true })
    }

    /// Opens the app, which shows that the song is there.
    func opensAgain() async throws {
        _ = try launch()
        try await search(for: "blue river")
        try await shows("Play", role: .button)
        #expect(try await transfers().isEmpty)
    }
}
