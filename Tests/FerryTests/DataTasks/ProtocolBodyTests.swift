import Ferry
import FerryTestSupport
import Foundation
import Testing

/// Answers what begins with `echo:` with the body of the request, read from its stream.
private final class EchoProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "echo" }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url else { return }
        let response = URLResponse(
            url: url,
            mimeType: nil,
            expectedContentLength: -1,
            textEncodingName: nil
        )
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: request.httpBodyStream.map(read) ?? Data("none".utf8))
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}

    private func read(_ stream: InputStream) -> Data {
        stream.open()
        defer { stream.close() }
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 1024)
        while case let count = stream.read(&buffer, maxLength: buffer.count), count > 0 {
            data.append(contentsOf: buffer[..<count])
        }
        return data
    }
}

@Suite("What a protocol class gets of an upload", .timeLimit(.minutes(1)))
struct ProtocolBodyTests {
    private let session: URLSession
    private let request: URLRequest

    init() throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [EchoProtocol.self]
        session = URLSession(configuration: configuration)
        var request = URLRequest(url: try #require(URL(string: "echo://host/")))
        request.httpMethod = "PUT"
        request.httpBody = Data("of the request".utf8)
        self.request = request
    }

    @Test func `the bytes of an upload are its stream, and the request's own body is ignored`()
        async throws
    {
        let (data, _) = try await session.upload(for: request, from: Data("of the task".utf8))
        #expect(data == Data("of the task".utf8))
    }

    @Test func `the file of an upload is its stream`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "body-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("of the file".utf8).write(to: file)
        let (data, _) = try await session.upload(for: request, fromFile: file)
        #expect(data == Data("of the file".utf8))
    }
}
