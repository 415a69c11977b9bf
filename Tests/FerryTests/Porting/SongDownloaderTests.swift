import FerryTestSupport
import Foundation
import Testing

/// An app of a tutorial's kind, against a real nginx.
@Suite("A ported downloader", .timeLimit(.minutes(1))) struct SongDownloaderTests {
    private let home: TestHome
    private let nginx: Nginx
    private let downloader: SongDownloader
    private let events = Awaited<[SongDownloader.Event]>([])

    init() async throws {
        _ = Home.path
        home = try TestHome()
        nginx = try await Nginx(in: home)
        downloader = SongDownloader(folder: URL(fileURLWithPath: home.files))
        downloader.onEvent = { [events] event in events.change { $0.append(event) } }
    }

    private func wait(for matches: @escaping @Sendable (SongDownloader.Event) -> Bool) async {
        await events.wait { $0.contains(where: matches) }
    }

    private func file(of url: URL) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: "\(home.files)/\(url.lastPathComponent)"))
    }

    @Test func `a song arrives, with progress`() async throws {
        let data = try nginx.addFile("song.mp3", byteCount: 1_000_000)
        let url = try #require(URL(string: nginx.url("song.mp3")))
        downloader.startDownload(url)
        await wait { if case .finished = $0 { true } else { false } }
        #expect(try file(of: url) == data)
        #expect(downloader.download(for: url) == nil)
        let shares = events.value.compactMap { event in
            if case .progressed(url, let share) = event { share } else { nil }
        }
        #expect(shares == shares.sorted())
        #expect(shares.last == 1)
        downloader.finish()
    }

    @Test func `a song that is paused goes on where it was`() async throws {
        let data = try nginx.addFile("song.mp3", byteCount: 3_000_000)
        let url = try #require(URL(string: nginx.url("song.mp3?rate=1m")))
        downloader.startDownload(url)
        await wait { if case .progressed = $0 { true } else { false } }
        downloader.pauseDownload(url)
        await wait { $0 == .paused(url) }
        #expect(downloader.download(for: url)?.isDownloading == false)
        #expect(downloader.download(for: url)?.resumeData != nil)
        downloader.resumeDownload(url)
        await wait { if case .finished = $0 { true } else { false } }
        #expect(try file(of: url) == data)
        let offset = try #require(
            events.value.compactMap { event in
                if case .resumed(url, let offset) = event { offset } else { nil }
            }.first
        )
        #expect(offset > 0)
        let ranges = await nginx.requests(count: 2).map(\.range)
        #expect(ranges == [nil, "bytes=\(offset)-"])
        downloader.finish()
    }

    @Test func `a song that is cancelled is forgotten`() async throws {
        try nginx.addFile("song.mp3", byteCount: 3_000_000)
        let url = try #require(URL(string: nginx.url("song.mp3?rate=1m")))
        downloader.startDownload(url)
        await wait { if case .progressed = $0 { true } else { false } }
        downloader.cancelDownload(url)
        #expect(downloader.download(for: url) == nil)
        #expect(await nginx.requests(count: 1).map(\.status) == [200])
        downloader.finish()
    }

    @Test func `a song that is not there has failed`() async throws {
        let url = try #require(URL(string: nginx.url("nothing.mp3")))
        downloader.startDownload(url)
        await wait { $0 == .failed(url, .badServerResponse) }
        downloader.finish()
    }

    @Test func `a song whose server has gone has failed`() async throws {
        let url = try #require(URL(string: nginx.url("song.mp3")))
        await nginx.stop()
        downloader.startDownload(url)
        await wait { $0 == .failed(url, .cannotConnectToHost) }
        #expect(downloader.download(for: url)?.isDownloading == false)
        downloader.finish()
    }
}
