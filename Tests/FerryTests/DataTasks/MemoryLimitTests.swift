import Ferry
import FerryTestSupport
import Foundation
import Testing

@Suite("Bodies that are collected in memory", .timeLimit(.minutes(1)))
struct MemoryLimitTests {
    private let server: FixtureServer
    private let recorder = DataRecorder()

    init() throws {
        _ = Home.path
        server = try FixtureServer()
        // A few hundred bytes of gzip.
        server.on("/bomb", .gzip(.bytes(Array(repeating: 0, count: 100_001))))
        server.on("/edge", .gzip(.bytes(Array(repeating: 0, count: 100_000))))
    }

    private func session(
        limit: Int = 100_000,
        _ change: (URLSessionConfiguration) -> Void = { _ in }
    ) -> URLSession {
        recorder.makeSession {
            $0.urlCache = nil
            $0.maximumInMemoryBodySize = limit
            change($0)
        }
    }

    private func upload(to path: String) throws -> URLRequest {
        var request = URLRequest(url: try server.address(path))
        request.httpMethod = "PUT"
        return request
    }

    @Test func `REL-8: a body that unpacks to more than the limit fails its task`() async throws {
        let session = session()
        let url = try server.address("/bomb")
        let error = await #expect(throws: URLError.self) { try await session.data(from: url) }
        #expect(error?.code == .dataLengthExceedsMaximum)
        #expect(error?.failingURL == url)
        let reason = error?.userInfo[NSLocalizedFailureReasonErrorKey] as? String
        #expect(reason?.contains("maximumInMemoryBodySize") == true)
        await expectURLError(.dataLengthExceedsMaximum) {
            try await session.upload(for: try upload(to: "/bomb"), from: Data([1]))
        }
        let handled = await withCheckedContinuation { continuation in
            session.dataTask(with: url) { data, _, error in
                #expect(data == nil)
                continuation.resume(returning: (error as? URLError)?.code)
            }.resume()
        }
        #expect(handled == .dataLengthExceedsMaximum)
    }

    @Test func `REL-8: a body of the limit's length arrives`() async throws {
        let session = session()
        #expect(try await session.data(from: try server.address("/edge")).0.count == 100_000)
        let answer = try await session.upload(for: try upload(to: "/edge"), from: Data([1])).0
        #expect(answer.count == 100_000)
    }

    @Test func `REL-8: bodies that are not collected have no limit`() async throws {
        let session = session(limit: 0)
        let url = try server.address("/bomb")
        session.dataTask(with: url).resume()
        await recorder.waitForEnd()
        #expect(recorder.data.count == 100_001)
        var request = URLRequest(url: url)
        request.setValue("gzip", forHTTPHeaderField: "Accept-Encoding")
        let file = try await session.download(for: request).0
        #expect(try Data(contentsOf: file).count == 100_001)
        try FileManager.default.removeItem(at: file)
        var count = 0
        for try await _ in try await session.bytes(from: url).0 { count += 1 }
        #expect(count == 100_001)
    }

    @Test func `REL-8: tasks that share a request fail together`() async throws {
        let gate = FixtureGate()
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
        server.on("/slow", .script([.wait(gate), .send(Array((head + "la la").utf8))]))
        let session = session(limit: 4)
        let url = try server.address("/slow")
        let tasks = (0..<3).map { _ in ResumedTask(of: session, with: url) }
        await session.flush()
        gate.open()
        for task in tasks {
            await expectURLError(.dataLengthExceedsMaximum) { try await task.data }
        }
        #expect(server.requests.count == 1)
    }

    @Test func `REL-8: what is in the cache, in a file or in the URL is no exception`()
        async throws
    {
        let cache = URLCache(memoryCapacity: 16 << 20, diskCapacity: 0, diskPath: nil)
        server.on(
            "/kept",
            .content(.text("la la la")).with(fields: [("Cache-Control", "max-age=1000")])
        )
        let url = try server.address("/kept")
        _ = try await session { $0.urlCache = cache }.data(from: url)
        let strict = session(limit: 7) { $0.urlCache = cache }
        await expectURLError(.dataLengthExceedsMaximum) { try await strict.data(from: url) }
        let file = URL(fileURLWithPath: #filePath)
        await expectURLError(.dataLengthExceedsMaximum) { try await strict.data(from: file) }
        let inURL = try #require(URL(string: "data:,12345678"))
        await expectURLError(.dataLengthExceedsMaximum) { try await strict.data(from: inURL) }
    }

    @Test func `REL-8: the limit is 512 MiB, and no less than nothing`() {
        let configuration = URLSessionConfiguration.default
        #expect(configuration.maximumInMemoryBodySize == 512 << 20)
        configuration.maximumInMemoryBodySize = -1
        #expect(configuration.maximumInMemoryBodySize == 0)
    }
}
