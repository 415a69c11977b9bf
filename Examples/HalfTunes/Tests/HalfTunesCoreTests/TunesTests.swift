import DesktopCore
import Foundation
import HalfTunesTestSupport
import Testing

@testable import HalfTunesCore

@Suite(.timeLimit(.minutes(1)))
@MainActor
struct TunesTests {
    private let files: TestFiles
    private let tunes: Tunes
    private let track: Track
    private let file: URL

    init() throws {
        _ = TestDaemon.home
        let home = try TestDirectory()
        files = TestFiles(home)
        tunes = Tunes(
            environment: ["HOME": home.url.path],
            player: SilentPlayer(),
            files: files
        )
        let url = try #require(URL(string: "https://host/a.wav"))
        track = Track(title: "A", artist: "a", previewURL: url)
        let location = home.url.appending(component: "location")
        try Data("song".utf8).write(to: location)
        try tunes.library.file(location, of: track)
        file = try #require(tunes.library.file(of: track))
    }

    @Test
    func `a track that is removed is in the trash, and back when the file is`() throws {
        var removed: [Track] = []
        tunes.removed = { removed.append($0) }
        tunes.play(track)
        #expect(tunes.row(of: track).showsMore)
        tunes.remove(track)
        #expect(removed == [track])
        #expect(tunes.playback.track == nil)
        #expect(tunes.library.tracks.isEmpty)
        #expect(tunes.row(of: track).showsDownload)
        #expect(!tunes.row(of: track).showsMore)
        try FileManager.default.moveItem(at: files.trashed, to: file)
        #expect(tunes.library.tracks == [track])
    }

    @Test
    func `a track that cannot be removed stays, and goes on playing`() {
        files.failure = CocoaError(.fileWriteNoPermission)
        var told: [Track] = []
        tunes.removalFailed = { track, _ in told.append(track) }
        tunes.play(track)
        tunes.remove(track)
        #expect(told == [track])
        #expect(tunes.playback.isPlaying)
        #expect(tunes.library.tracks == [track])
    }

    @Test
    func `the file of a track is shown`() {
        tunes.showInFiles(track)
        #expect(files.shown == [file])
    }
}

/// A desktop with a trash.
@MainActor
private final class TestFiles: DesktopFiles {
    var failure: (any Error)?
    private(set) var shown: [URL] = []
    private let home: TestDirectory

    init(_ home: TestDirectory) {
        self.home = home
    }

    var trashed: URL { home.url.appending(component: "trashed") }

    func trash(_ file: URL) throws {
        if let failure { throw failure }
        try FileManager.default.moveItem(at: file, to: trashed)
    }

    func show(_ file: URL) {
        shown.append(file)
    }
}
