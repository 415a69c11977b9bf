import Ferry
import FerryTestSupport
import Foundation
import Testing

/// Answers what begins with `registered:` by its name.
private class NamedProtocol: URLProtocol {
    class var name: String { "" }

    override class func canInit(with request: URLRequest) -> Bool {
        request.url?.scheme == "registered"
    }

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
        client?.urlProtocol(self, didLoad: Data(Self.name.utf8))
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}

private final class FirstProtocol: NamedProtocol {
    override class var name: String { "first" }
}

private final class SecondProtocol: NamedProtocol {
    override class var name: String { "second" }
}

/// The classes that are registered are those of the whole process, so that one test runs at a time.
@Suite("Registered protocol classes", .timeLimit(.minutes(1)), .serialized)
struct RegisteredClassTests {
    private let address: URL

    init() throws {
        _ = Home.path
        address = try #require(URL(string: "registered://host/text"))
        for type in [FirstProtocol.self, SecondProtocol.self] as [AnyClass] {
            URLProtocol.unregisterClass(type)
        }
    }

    /// Returns the name of the class that answers; nil for none.
    private func answer(_ session: URLSession) async -> String? {
        guard let (data, _) = try? await session.data(from: address) else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    @Test func `API-20: the shared session asks those that are registered when a task is made`()
        async throws
    {
        #expect(await answer(.shared) == nil)
        #expect(URLProtocol.registerClass(FirstProtocol.self))
        #expect(await answer(.shared) == "first")
        let (file, _) = try await URLSession.shared.download(from: address)
        #expect(try Data(contentsOf: file) == Data("first".utf8))
        try FileManager.default.removeItem(at: file)
        URLProtocol.unregisterClass(FirstProtocol.self)
        #expect(await answer(.shared) == nil)
    }

    @Test func `API-20: the class that was registered last is asked first`() async {
        URLProtocol.registerClass(FirstProtocol.self)
        URLProtocol.registerClass(SecondProtocol.self)
        #expect(await answer(.shared) == "second")
        FirstProtocol.registerClass(FirstProtocol.self)
        #expect(await answer(.shared) == "first", "it has moved to the front")
        URLProtocol.unregisterClass(FirstProtocol.self)
        #expect(await answer(.shared) == "second", "it was there once")
        URLProtocol.unregisterClass(SecondProtocol.self)
    }

    @Test func `API-20: new configurations begin with those that are registered`() async {
        let before = URLSessionConfiguration.default
        URLProtocol.registerClass(FirstProtocol.self)
        URLProtocol.registerClass(SecondProtocol.self)
        let configurations: [URLSessionConfiguration] = [
            .default, .ephemeral, URLSessionConfiguration(), URLSession.shared.configuration,
        ]
        let background = URLSessionConfiguration.background(withIdentifier: "registered")
        URLProtocol.unregisterClass(FirstProtocol.self)
        URLProtocol.unregisterClass(SecondProtocol.self)
        for configuration in configurations {
            let names = configuration.protocolClasses?.compactMap { $0 as? NamedProtocol.Type }
            #expect(names?.map(\.name) == ["second", "first"])
            #expect(await answer(URLSession(configuration: configuration)) == "second")
        }
        #expect(before.protocolClasses?.isEmpty == true)
        #expect(await answer(URLSession(configuration: before)) == nil)
        #expect(background.protocolClasses?.isEmpty == true)
    }

    @Test func `API-20: a configuration's own list is what its session asks`() async {
        URLProtocol.registerClass(FirstProtocol.self)
        defer { URLProtocol.unregisterClass(FirstProtocol.self) }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses?.insert(SecondProtocol.self, at: 0)
        #expect(await answer(URLSession(configuration: configuration)) == "second")
        // As a class does that loads its requests itself.
        configuration.protocolClasses?.removeAll { $0 is NamedProtocol.Type }
        #expect(await answer(URLSession(configuration: configuration)) == nil)
    }

    @Test func `API-20: no other class can be registered`() {
        #expect(!URLProtocol.registerClass(NSObject.self))
        #expect(URLSessionConfiguration.default.protocolClasses?.isEmpty == true)
    }
}
