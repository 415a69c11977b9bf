import Ferry
import FerryTestSupport
import Foundation
import Testing

@Suite("Data tasks and the cache", .timeLimit(.minutes(1)))
struct CachedAnswerTests {
    private let server: FixtureServer
    private let recorder = DataRecorder()
    private let session: URLSession

    init() throws {
        _ = Home.path
        server = try FixtureServer()
        session = recorder.makeSession()
        server.on("/song", .content(.text("la la")))
    }

    @Test func `DL-13: the delegate decides what is cached`() async throws {
        let session = recorder.makeSession {
            $0.urlCache = URLSessionConfiguration.ephemeral.urlCache
        }
        server.on(
            "/cached",
            .content(.text("la")).with(fields: [("Cache-Control", "max-age=600")])
        )
        let url = try server.address("/cached")
        recorder.change { answers in
            answers.cached = { response in
                CachedURLResponse(
                    response: response.response,
                    data: Data("mine".utf8),
                    userInfo: nil,
                    storagePolicy: .allowedInMemoryOnly
                )
            }
        }
        session.dataTask(with: url).resume()
        await recorder.waitForEnd()
        #expect(
            recorder.story == ["response 200", "data", "will cache", "metrics 1", "completed"]
        )
        let (data, response) = try await session.data(from: url)
        #expect(data == Data("mine".utf8))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: ["/song", "/song?verse=1", "/songs/"])
    func `API-6: a response is in the cache when the completion handler runs`(
        path: String
    ) async throws {
        let cache = Self.cacheOnDisk()
        let session = recorder.makeSession { $0.urlCache = cache }
        server.on(
            String(path.prefix { $0 != "?" }),
            .content(.text("la")).with(fields: [("Cache-Control", "max-age=600")]),
            .content(.text("li")).with(fields: [("Cache-Control", "max-age=600")])
        )
        var request = URLRequest(url: try server.address(path))
        // The second one replaces the first.
        for expected in ["la", "li"] {
            request.cachePolicy = .reloadIgnoringLocalCacheData
            let asked = request
            let found = await withCheckedContinuation { continuation in
                session.dataTask(with: asked) { _, _, _ in
                    continuation.resume(returning: cache.cachedResponse(for: asked)?.data)
                }.resume()
            }
            #expect(found == Data(expected.utf8))
        }
    }

    @Test
    func `API-6: what a server confirms is fresh in the cache when the completion handler runs`()
        async throws
    {
        let cache = Self.cacheOnDisk()
        let session = recorder.makeSession { $0.urlCache = cache }
        server.on(
            "/tagged",
            .content(.text("la")).with(fields: [("ETag", "\"1\""), ("Cache-Control", "no-cache")]),
            .status(304, fields: [("ETag", "\"1\""), ("X-Confirmed", "yes")])
        )
        let request = URLRequest(url: try server.address("/tagged"))
        var confirmations: [String?] = []
        for _ in 0..<2 {
            let confirmation = await withCheckedContinuation { continuation in
                session.dataTask(with: request) { _, _, _ in
                    let stored = cache.cachedResponse(for: request)?.response as? HTTPURLResponse
                    let field = stored?.value(forHTTPHeaderField: "X-Confirmed")
                    continuation.resume(returning: field)
                }.resume()
            }
            confirmations.append(confirmation)
        }
        #expect(confirmations == [nil, "yes"])
    }

    @Test
    func `API-6: what may not be stored is out of the cache when the completion handler runs`()
        async throws
    {
        let cache = Self.cacheOnDisk()
        let session = recorder.makeSession { $0.urlCache = cache }
        server.on(
            "/song",
            .content(.text("la")).with(fields: [("Cache-Control", "max-age=600")]),
            .content(.text("li"))
        )
        let url = try server.address("/song")
        _ = try await session.data(from: url)
        #expect(cache.cachedResponse(for: URLRequest(url: url)) != nil)
        var post = URLRequest(url: url)
        post.httpMethod = "POST"
        _ = try await session.data(for: post)
        #expect(cache.cachedResponse(for: URLRequest(url: url)) == nil)
    }

    private static func cacheOnDisk() -> URLCache {
        let path = "\(Home.path)/cached-answers-\(UUID().uuidString)"
        return URLCache(memoryCapacity: 1 << 20, diskCapacity: 10 << 20, diskPath: path)
    }

    @Test(arguments: [nil, URLCache.StoragePolicy.allowed])
    func `TEST-7: a response with secrets is kept in memory, and never on the disk`(
        chosen: URLCache.StoragePolicy?
    ) async throws {
        let path = "\(Home.path)/secret-answers-\(UUID().uuidString)"
        let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 10 << 20, diskPath: path)
        let session = recorder.makeSession { $0.urlCache = cache }
        let fields = [("Cache-Control", "max-age=600"), ("Set-Cookie", "session=1")]
        server.on("/login", .content(.text("la")).with(fields: fields))
        let proposed = Recorder<URLCache.StoragePolicy>()
        recorder.change { answers in
            answers.cached = { response in
                proposed.append(response.storagePolicy)
                guard let chosen else { return response }
                return CachedURLResponse(
                    response: response.response,
                    data: response.data,
                    userInfo: nil,
                    storagePolicy: chosen
                )
            }
        }
        let url = try server.address("/login")
        session.dataTask(with: url).resume()
        await recorder.waitForEnd()
        #expect(proposed.elements == [.allowedInMemoryOnly])
        #expect(cache.cachedResponse(for: URLRequest(url: url))?.data == Data("la".utf8))
        let fromDisk = URLCache(memoryCapacity: 0, diskCapacity: 10 << 20, diskPath: path)
        #expect(fromDisk.cachedResponse(for: URLRequest(url: url)) == nil)
        let files = try? FileManager.default.contentsOfDirectory(atPath: path)
        #expect(files ?? [] == [])
    }

    @Test func `what is stored is confirmed by the server`() async throws {
        let session = recorder.makeSession {
            $0.urlCache = URLSessionConfiguration.ephemeral.urlCache
        }
        server.on(
            "/tagged",
            .content(.text("la")).with(fields: [("ETag", "\"1\""), ("Cache-Control", "no-cache")]),
            .status(304, fields: [("ETag", "\"1\"")])
        )
        let url = try server.address("/tagged")
        for _ in 0..<2 {
            let (data, response) = try await session.data(from: url)
            #expect(data == Data("la".utf8))
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
        }
        #expect(server.requests.map { $0["If-None-Match"] } == [nil, "\"1\""])
    }

    @Test func `a request for the cache alone fails where nothing is stored`() async throws {
        let session = recorder.makeSession {
            $0.urlCache = URLSessionConfiguration.ephemeral.urlCache
        }
        var request = URLRequest(url: try server.address("/song"))
        request.cachePolicy = .returnCacheDataDontLoad
        let asked = request
        await expectURLError(.resourceUnavailable) { try await session.data(for: asked) }
        #expect(server.requests.isEmpty)
    }

    @Test func `what a request changes at the server is asked for again`() async throws {
        let session = recorder.makeSession {
            $0.urlCache = URLSessionConfiguration.ephemeral.urlCache
        }
        server.on(
            "/list",
            .content(.text("la")).with(fields: [("Cache-Control", "max-age=600")])
        )
        let url = try server.address("/list")
        var post = URLRequest(url: url)
        post.httpMethod = "POST"
        for request in [URLRequest(url: url), post, URLRequest(url: url)] {
            _ = try await session.data(for: request)
        }
        #expect(server.requests.map(\.method) == ["GET", "POST", "GET"])
    }

    @Test func `an answer that varies by the cookie is another user's`() async throws {
        let session = recorder.makeSession {
            $0.urlCache = URLSessionConfiguration.ephemeral.urlCache
            $0.httpCookieStorage = URLSessionConfiguration.ephemeral.httpCookieStorage
        }
        server.on(
            "/who",
            .content(.text("you"))
                .with(fields: [("Cache-Control", "max-age=600"), ("Vary", "Cookie")])
        )
        let url = try server.address("/who")
        let storage = try #require(session.configuration.httpCookieStorage)
        for user in ["jo", "lu"] {
            let cookie = try #require(
                HTTPCookie(
                    properties: [
                        .name: "user", .value: user, .path: "/",
                        .domain: url.host(percentEncoded: false) ?? "",
                    ]
                )
            )
            storage.setCookie(cookie)
            _ = try await session.data(from: url)
        }
        #expect(server.requests.map { $0["Cookie"] } == ["user=jo", "user=lu"])
    }
}
