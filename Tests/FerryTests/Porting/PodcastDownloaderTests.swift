import FerrySystem
import FerryTestSupport
import Foundation
import Testing

@testable import Ferry

/// An app of a tutorial's kind, with a real ferryd and a real nginx.
///
/// Each launch of the app is a process of its own, which ends as apps do: it is killed.
@Suite("A ported background downloader", .timeLimit(.minutes(1)))
struct PodcastDownloaderTests {
    private let home: TestHome
    private let nginx: Nginx

    init() async throws {
        home = try TestHome()
        nginx = try await Nginx(in: home)
    }

    @Test func `an episode arrives while there is no app, which is then launched for it`()
        async throws
    {
        let data = try nginx.addFile("one.mp3", byteCount: 2_000_000)
        let environment = home.environment
        let url = nginx.url("one.mp3?rate=1m")
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [environment = environment as [String: String], url = url as String] in
            let app = try Self.launch(environment)
            app.download("One", from: try #require(URL(string: url)))
            await app.flush()
            #expect(await app.pendingTitles() == ["One"])
            kill(getpid(), SIGKILL)
        }
        // Ends when ferryd has the whole file.
        _ = try await home.ferry("watch", "1")
        await #expect(processExitsWith: .success) {
            [environment = environment as [String: String], url = url as String] in
            let app = try Self.launch(environment, for: PodcastDownloader.sessionIdentifier)
            await Application.shared.runUntilBackgroundEventsAreHandled()
            #expect(app.endedEpisodes.map(\.title) == ["One"])
            #expect(app.endedEpisodes.map(\.url.absoluteString) == [url])
            #expect(app.endedEpisodes.first?.error == nil)
            #expect(await app.pendingTitles() == [])
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: "\(home.files)/one.mp3")) == data)
        #expect(await nginx.requests(count: 1).map(\.status) == [200])
    }

    @Test func `an app that stays gets its episodes, and hears of one that is missing`()
        async throws
    {
        try nginx.addFile("one.mp3", byteCount: 1000)
        let environment = home.environment
        let origin = nginx.url("")
        await #expect(processExitsWith: .success) {
            [environment = environment as [String: String], origin = origin as String] in
            let app = try Self.launch(environment)
            let ended = Awaited<[PodcastDownloader.Episode]>([])
            app.onEpisode = { episode in ended.change { $0.append(episode) } }
            app.download("One", from: try #require(URL(string: "\(origin)one.mp3")))
            app.download("Two", from: try #require(URL(string: "\(origin)two.mp3")))
            await ended.wait { $0.count == 2 }
            let episodes = app.endedEpisodes.sorted { $0.title < $1.title }
            #expect(episodes.map(\.title) == ["One", "Two"])
            #expect(episodes.map(\.error) == [nil, "server error"])
            #expect(episodes.first?.file?.lastPathComponent == "one.mp3")
        }
    }

    /// Makes this process the app, as the test's user and as ferryd launch it.
    private static func launch(
        _ environment: [String: String],
        for session: String? = nil
    ) throws -> PodcastDownloader {
        for name in ["XDG_CACHE_HOME", "XDG_STATE_HOME"] { ProcessEnvironment.remove(name) }
        for (name, value) in environment { ProcessEnvironment.set(name, value) }
        if let session { ProcessEnvironment.set(Application.backgroundSessionVariable, session) }
        let path = try #require(environment["HOME"])
        let app = PodcastDownloader(folder: URL(fileURLWithPath: "\(path)/files"))
        Application.shared.identifier = "org.example.podcasts"
        // ferryd cannot launch a test: the test itself does.
        Application.shared.relaunch = nil
        Application.shared.delegate = app
        return app
    }
}
