import DesktopCore
import Foundation
import HalfTunesTestSupport
import Testing

@testable import CancelAndResumeCore

@Suite(.timeLimit(.minutes(1)))
@MainActor
struct PictureDownloadsTests {
    private let trial: TrialCatalog
    private let directory: TestDirectory
    private let changes = Changes()
    private let sessionIdentifier = UUID().uuidString

    init() throws {
        _ = TestDaemon.home
        // Six seconds for a picture, so that there is time to do something meanwhile.
        trial = try TrialCatalog(rate: 1_000_000)
        directory = try TestDirectory()
    }

    private func makeDownloads() -> PictureDownloads {
        let addresses = ["morning", "evening"].map { trial.picture($0).absoluteString }
        let downloads = PictureDownloads(
            environment: [
                "HOME": directory.url.path,
                Picture.addressesVariable: addresses.joined(separator: " "),
            ],
            sessionIdentifier: sessionIdentifier
        )
        downloads.changed = { [changes] _ in changes.record() }
        return downloads
    }

    private func hurry() async throws {
        try await trial.change(#"{"rate": 0}"#)
    }

    private func isComplete(_ download: PictureDownload) async throws -> Bool {
        let content = try await trial.curl(download.picture.url.absoluteString)
        return try Data(contentsOf: #require(download.file)) == content
    }

    @Test
    func `several downloads run at once, each with a progress and a Cancel button`() async throws {
        let downloads = makeDownloads()
        #expect(downloads.downloads.map(\.picture.title) == ["Morning", "Evening"])
        for download in downloads.downloads {
            let row = PictureRow(download)
            #expect(row == PictureRow(startTitle: "Start", text: "Not downloaded"))
            downloads.start(download)
        }
        try await changes.until { downloads.downloads.allSatisfy { $0.progress != nil } }
        for download in downloads.downloads {
            let row = PictureRow(download)
            #expect(row.showsCancel && !row.showsResume && row.startTitle == nil)
            #expect(row.text.hasSuffix("% of 6.5 MB"), "\(row.text)")
        }
        try await hurry()
        try await changes.until { downloads.downloads.allSatisfy { $0.file != nil } }
        for download in downloads.downloads {
            let row = PictureRow(download)
            #expect(row == PictureRow(startTitle: "Start Again", text: "Downloaded"))
            #expect(try await isComplete(download))
        }
    }

    @Test
    func `a cancelled download is resumed where it was`() async throws {
        let downloads = makeDownloads()
        let download = downloads.downloads[0]
        downloads.start(download)
        try await changes.until { download.progress != nil }
        downloads.cancel(download)
        try await changes.until { PictureRow(download).showsResume }
        let row = PictureRow(download)
        #expect(!row.showsCancel && row.startTitle == nil)
        #expect(row.text.hasPrefix("Cancelled at "), "\(row.text)")
        let received = try #require(download.progress?.receivedByteCount)

        downloads.resume(download)
        #expect(PictureRow(download).showsCancel && !PictureRow(download).showsResume)
        try await changes.until { download.progress?.receivedByteCount != received }
        #expect(try #require(download.progress?.receivedByteCount) > received)
        try await hurry()
        try await changes.until { download.file != nil }
        #expect(try await isComplete(download))
    }

    @Test
    func `a cancelled download can be resumed by a later launch, once`() async throws {
        let downloads = makeDownloads()
        let download = downloads.downloads[1]
        downloads.start(download)
        try await changes.until { download.progress != nil }
        downloads.cancel(download)
        try await changes.until { PictureRow(download).showsResume }

        let later = makeDownloads()
        let found = later.downloads[1]
        #expect(PictureRow(found) == PictureRow(download))
        try await hurry()
        later.resume(found)
        #expect(!PictureRow(makeDownloads().downloads[1]).showsResume)
        try await changes.until { found.file != nil }
        #expect(try await isComplete(found))
    }

    @Test
    func `what is cancelled before anything has come starts over`() async throws {
        try await trial.change(#"{"rate": 1}"#)
        let downloads = makeDownloads()
        let download = downloads.downloads[0]
        downloads.start(download)
        downloads.cancel(download)
        try await changes.until { PictureRow(download).startTitle != nil }
        #expect(PictureRow(download) == PictureRow(startTitle: "Start", text: "Not downloaded"))
    }

    @Test
    func `a refusal is told, and can be tried again`() async throws {
        try await trial.change(#"{"status": 404, "rate": 0}"#)
        let downloads = makeDownloads()
        let download = downloads.downloads[0]
        downloads.start(download)
        try await changes.until { download.failure != nil }
        let reason = "The file is not there any more (404)."
        #expect(PictureRow(download) == PictureRow(startTitle: "Start", text: reason))
        try await trial.change(#"{"status": 200}"#)
        downloads.start(download)
        try await changes.until { download.file != nil }
        #expect(download.failure == nil)
    }

    @Test
    func `closing waits for what runs, and leaves nothing of the session behind`() async throws {
        var downloads: PictureDownloads? = makeDownloads()
        weak let left = downloads
        let download = try #require(downloads?.downloads[0])
        downloads?.start(download)
        try await changes.until { download.progress != nil }
        try await hurry()
        await downloads?.close()
        #expect(download.file != nil)
        downloads = nil
        #expect(left == nil)
    }

    @Test
    func `what runs goes on in ferryd when the process has to end`() async throws {
        let downloads = makeDownloads()
        let download = downloads.downloads[0]
        downloads.start(download)
        try await changes.until { download.progress != nil }
        let received = try #require(download.progress?.receivedByteCount)
        await downloads.handOver()
        #expect(download.isHandedOver)
        // The session of this process has nothing to do any more.
        await downloads.close()

        let later = makeDownloads()
        await later.restore()
        #expect(PictureRow(later.downloads[0]).showsCancel)
        try await changes.until { (download.progress?.receivedByteCount ?? 0) > received }
        try await hurry()
        try await changes.until { download.file != nil }
        #expect(try await isComplete(download))
    }
}
