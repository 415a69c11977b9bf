import Ferry
import FerryTestSupport
import Foundation
import Testing

@Suite("Bodies in a coding", .timeLimit(.minutes(1)))
struct CodedBodyTests {
    private let server: FixtureServer
    private let recorder = DataRecorder()
    private let cache = URLCache(memoryCapacity: 8 << 20, diskCapacity: 0)
    private let session: URLSession

    init() throws {
        _ = Home.path
        server = try FixtureServer()
        session = recorder.makeSession { [cache] in $0.urlCache = cache }
    }

    private static let content = FixtureContent.seeded(11, byteCount: 50_000)
    private static let fresh = [("Cache-Control", "max-age=600")]

    private func answer(_ bytes: [UInt8], _ coding: FixtureCoding) -> FixtureAnswer {
        .content(.bytes(bytes)).with(fields: Self.fresh + [("Content-Encoding", coding.rawValue)])
    }

    @Test(arguments: FixtureCoding.allCases)
    func `SEC-12: a cut body is an error, is not cached, and is asked for again`(
        coding: FixtureCoding
    ) async throws {
        let packed = coding.encode(Self.content.bytes)
        let tenths = [1, 3, 5, 7, 9]
        let cuts = tenths.flatMap { tenth in
            let cut = Array(packed.prefix(packed.count * tenth / 10))
            return [answer(cut, coding), answer(cut, coding).chunked()]
        }
        server.on("/song", cuts + [answer(packed, coding), .status(500)])
        let url = try server.address("/song")
        for _ in cuts {
            await expectURLError(.networkConnectionLost) { try await session.data(from: url) }
            #expect(cache.cachedResponse(for: URLRequest(url: url)) == nil)
        }
        let (data, _) = try await session.data(from: url)
        #expect(Array(data) == Self.content.bytes)
        #expect(server.requests.count == cuts.count + 1)
        // That one is cached.
        let (cached, _) = try await session.data(from: url)
        #expect(cached == data)
        #expect(server.requests.count == cuts.count + 1)
    }

    @Test func `KEEP-5: a body of several members is whole for each kind of task`() async throws {
        let members = FixtureGzip.encode(Array("la ".utf8)) + FixtureGzip.encode(Array("li".utf8))
        server.on("/song", .content(.bytes(members)).with(fields: [("Content-Encoding", "gzip")]))
        var request = URLRequest(url: try server.address("/song"))
        let (data, _) = try await session.data(for: request)
        #expect(String(decoding: data, as: UTF8.self) == "la li")
        request.setValue("gzip", forHTTPHeaderField: "Accept-Encoding")
        let (file, _) = try await session.download(for: request)
        #expect(try Data(contentsOf: file) == data)
        request.httpMethod = "PUT"
        let (answer, _) = try await session.upload(for: request, from: Data([1]))
        #expect(answer == data)
    }

    @Test func `KEEP-4: a body that one task got as it came does not answer another one`()
        async throws
    {
        let packed = FixtureGzip.encode(Self.content.bytes)
        server.on("/song", answer(packed, .gzip))
        var request = URLRequest(url: try server.address("/song"))
        request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        let (kept, _) = try await session.data(for: request)
        #expect(Array(kept) == packed)
        let (data, _) = try await session.data(from: try server.address("/song"))
        #expect(Array(data) == Self.content.bytes)
    }

    @Test func `KEEP-4: an archive that a server describes as coded is the file`() async throws {
        let packed = FixtureGzip.encode(Self.content.bytes)
        server.on("/song.tar.gz", answer(packed, .gzip))
        let (file, response) = try await session.download(from: try server.address("/song.tar.gz"))
        #expect(Array(try Data(contentsOf: file)) == packed)
        #expect(response.expectedContentLength == Int64(packed.count))
        #expect(server.requests.map { $0["Accept-Encoding"] } == ["identity"])
    }

    enum Kind: CaseIterable {
        case data
        case download
    }

    @Test(arguments: Kind.allCases)
    func `API-29: the progress of a coded body moves by what arrives`(kind: Kind) async throws {
        let packed = FixtureGzip.encode(Self.content.bytes)
        let gate = FixtureGate()
        server.on("/song", answer(packed, .gzip).stalling(after: 25_000, at: gate))
        var request = URLRequest(url: try server.address("/song"))
        request.setValue("gzip", forHTTPHeaderField: "Accept-Encoding")
        let task: URLSessionTask =
            switch kind {
            case .data: session.dataTask(with: request)
            case .download: session.downloadTask(with: request)
            }
        let progress = task.progress
        task.resume()
        await recorder.wait(for: kind == .data ? "data" : "wrote")
        #expect((1...25_000).contains(progress.completedUnitCount))
        #expect(progress.totalUnitCount == Int64(packed.count))
        #expect(task.countOfBytesExpectedToReceive == NSURLSessionTransferSizeUnknown)
        #expect((1..<50_000).contains(task.countOfBytesReceived))
        gate.open()
        await recorder.waitForEnd()
        #expect(progress.isFinished)
        #expect(task.countOfBytesReceived == 50_000)
    }
}
