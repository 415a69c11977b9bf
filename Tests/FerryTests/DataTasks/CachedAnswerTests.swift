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
}
