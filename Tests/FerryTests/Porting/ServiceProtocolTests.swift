import Ferry
import FerryTestSupport
import Foundation
import Testing

/// What an app wants of a session, so that its tests can give it something else.
private protocol HTTPService: Sendable {
    func data(for request: URLRequest) async throws -> (Data, URLResponse)
    func data(from url: URL) async throws -> (Data, URLResponse)
    func upload(for request: URLRequest, from bodyData: Data) async throws -> (Data, URLResponse)
    func upload(for request: URLRequest, fromFile fileURL: URL) async throws -> (Data, URLResponse)
    func download(for request: URLRequest) async throws -> (URL, URLResponse)
    func download(from url: URL) async throws -> (URL, URLResponse)
}

extension URLSession: HTTPService {}

/// Programs that see a session through a protocol of their own.
@Suite(.timeLimit(.minutes(1))) struct ServiceProtocolTests {
    private let server: FixtureServer
    private let service: any HTTPService = URLSession(configuration: .ephemeral)

    init() throws {
        server = try FixtureServer()
        server.on("/song", .content(.text("la")))
    }

    @Test func `a session satisfies an app's protocol as it is`() async throws {
        let url = try #require(URL(string: server.url("/song")))
        #expect(try await service.data(from: url).0 == Data("la".utf8))
        #expect(try await service.data(for: URLRequest(url: url)).0 == Data("la".utf8))
        var request = URLRequest(url: url)
        request.httpMethod = "PUT"
        _ = try await service.upload(for: request, from: Data("lo".utf8))
        let (file, _) = try await service.download(from: url)
        #expect(try Data(contentsOf: file) == Data("la".utf8))
        _ = try await service.upload(for: request, fromFile: file)
        let (other, _) = try await service.download(for: URLRequest(url: url))
        #expect(try Data(contentsOf: other) == Data("la".utf8))
        for file in [file, other] { try FileManager.default.removeItem(at: file) }
        #expect(server.requests.count == 6)
    }

    @Test func `a cache has Apple's initializer`() throws {
        let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0)
        #expect(cache.memoryCapacity == 1 << 20)
        let directory = FileManager.default.temporaryDirectory.appending(path: "cache-\(UUID())")
        defer { try? FileManager.default.removeItem(at: directory) }
        let other = URLCache(
            memoryCapacity: 0,
            diskCapacity: 1 << 20,
            directory: directory
        )
        #expect(other.diskCapacity == 1 << 20)
    }
}

/// Answers an app's requests itself, for its tests and for demonstrations without a network: to those who have a key.
///
/// Written for Apple's URLSession; only an import is another.
final class StubbedService: URLProtocol {
    /// A configuration with which this answers.
    static func configuration(key: String?) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [StubbedService.self]
        if let key { configuration.httpAdditionalHeaders = ["X-Api-Key": key] }
        return configuration
    }

    override class func canInit(with request: URLRequest) -> Bool {
        request.value(forHTTPHeaderField: "X-Api-Key") != nil
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url,
            let response = HTTPURLResponse(
                url: url,
                statusCode: 200,
                httpVersion: "HTTP/1.1",
                headerFields: ["Content-Type": "text/plain"]
            )
        else { return }
        let key = request.value(forHTTPHeaderField: "X-Api-Key") ?? "none"
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data("Your key is \(key).".utf8))
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}
