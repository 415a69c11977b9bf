import DesktopCore
import Ferry
import Foundation
import HalfTunesTestSupport
import Testing

@testable import HalfTunesCore

@Suite(.timeLimit(.minutes(1)))
@MainActor
struct DownloadServiceTests {
    private let trial: TrialCatalog
    private let directory: TestDirectory

    init() throws {
        // Nine seconds for a preview, so that there is time to do something meanwhile.
        trial = try TrialCatalog(rate: 20_000)
        directory = try TestDirectory()
    }

    private func hurry() async throws {
        try await trial.change(#"{"rate": 0}"#)
    }

    private func content(of track: Track) async throws -> Data {
        try await trial.curl(track.previewURL.absoluteString)
    }

    @Test
    func `a download is filed, and its row goes from Download to Play`() async throws {
        let tunes = TestService(in: directory)
        let track = trial.preview(1)
        let before = TrackRow(showsDownload: true, showsCancel: false, showsPlay: false)
        #expect(tunes.row(track) == before)
        tunes.service.start(track)
        #expect(
            tunes.row(track)
                == TrackRow(
                    showsDownload: false,
                    pauseTitle: "Pause",
                    showsCancel: true,
                    showsPlay: false,
                    fraction: 0,
                    progressText: "Downloading..."
                )
        )
        try await tunes.until { tunes.download(track)?.progress != nil }
        try await hurry()
        try await tunes.until { tunes.finished == [track] }
        let after = TrackRow(showsDownload: false, showsCancel: false, showsPlay: true)
        #expect(tunes.row(track) == after)
        #expect(tunes.texts.contains { $0.hasSuffix("% of 176 kB") }, "\(tunes.texts)")
        let file = try #require(tunes.library.file(of: track))
        #expect(try Data(contentsOf: file) == (try await content(of: track)))
    }

    @Test
    func `several downloads run at once`() async throws {
        let tunes = TestService(in: directory)
        let tracks = (1...3).map(trial.preview)
        for track in tracks { tunes.service.start(track) }
        try await tunes.until { tracks.allSatisfy { tunes.download($0)?.progress != nil } }
        #expect(tunes.service.activeDownloads.count == 3)
        try await hurry()
        try await tunes.until { tunes.finished.count == 3 }
        #expect(Set(tunes.library.tracks) == Set(tracks))
    }

    @Test
    func `a paused download goes on where it was`() async throws {
        let tunes = TestService(in: directory)
        let track = trial.preview(1)
        tunes.service.start(track)
        try await tunes.until { tunes.download(track)?.progress != nil }
        tunes.service.pause(track)
        #expect(tunes.row(track).pauseTitle == "Resume")
        try await tunes.until { tunes.download(track)?.resumeData != nil }
        let received = try #require(tunes.download(track)?.progress?.receivedByteCount)
        try await hurry()
        tunes.service.resume(track)
        try await tunes.until { tunes.finished == [track] }
        #expect(received > 0)
        let file = try #require(tunes.library.file(of: track))
        #expect(try Data(contentsOf: file) == (try await content(of: track)))
        #expect(tunes.failures.isEmpty)
    }

    @Test
    func `one that is resumed before it has stopped goes on as well`() async throws {
        let tunes = TestService(in: directory)
        let track = trial.preview(1)
        tunes.service.start(track)
        tunes.service.pause(track)
        tunes.service.resume(track)
        try await hurry()
        #expect(tunes.row(track).pauseTitle == "Pause")
        try await tunes.until { tunes.finished == [track] }
        #expect(tunes.library.file(of: track) != nil)
    }

    @Test
    func `a cancelled download can be started again`() async throws {
        let tunes = TestService(in: directory)
        let track = trial.preview(1)
        tunes.service.start(track)
        try await tunes.until { tunes.download(track)?.progress != nil }
        tunes.service.cancel(track)
        #expect(tunes.row(track).showsDownload)
        try await hurry()
        tunes.service.start(track)
        try await tunes.until { tunes.finished == [track] }
        #expect(tunes.failures.isEmpty)
    }

    @Test
    func `a refusal is told and stays in the row until the next attempt, and nothing is filed`()
        async throws
    {
        let tunes = TestService(in: directory)
        let track = Track(
            title: "None",
            artist: "Nobody",
            previewURL: trial.address.appending(path: "preview/none.wav")
        )
        tunes.service.start(track)
        try await tunes.until { !tunes.failures.isEmpty }
        #expect(tunes.failures.first as? DownloadFailure == .refused(status: 404))
        #expect(tunes.row(track).showsDownload)
        #expect(tunes.row(track).failure == "The file is not there any more (404).")
        #expect(tunes.library.tracks.isEmpty)
        tunes.service.start(track)
        #expect(tunes.row(track).failure == nil)
        tunes.service.cancel(track)
        #expect(tunes.row(track).failure == nil)
    }

    @Test
    func `a paused download is known to a later launch`() async throws {
        let track = trial.preview(1)
        let tunes = TestService(in: directory)
        tunes.service.start(track)
        try await tunes.until { tunes.download(track)?.progress != nil }
        tunes.service.pause(track)
        try await tunes.until { tunes.download(track)?.resumeData != nil }
        let text = tunes.row(track).progressText

        let later = TestService(in: directory)
        await later.service.restore()
        #expect(later.row(track).progressText == text)
        #expect(later.row(track).pauseTitle == "Resume")
        try await hurry()
        later.service.resume(track)
        try await later.until { later.finished == [track] }
        #expect(later.library.file(of: track) != nil)
    }
}
