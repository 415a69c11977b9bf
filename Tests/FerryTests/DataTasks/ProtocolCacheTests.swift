import Ferry
import FerryTestSupport
import Foundation
import Synchronization
import Testing

/// Answers what begins with `kept:`, by what the query says, and counts.
private final class KeptProtocol: URLProtocol {
    /// What objects were given as stored, by path.
    static let given = Mutex<[String: [String]]>([:])

    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "kept" }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url else { return }
        let stored = cachedResponse.map { String(decoding: $0.data, as: UTF8.self) }
        Self.given.withLock { $0[url.path, default: []].append(stored ?? "nothing") }
        if let cachedResponse, url.query?.contains("valid") == true {
            client?.urlProtocol(self, cachedResponseIsValid: cachedResponse)
            client?.urlProtocolDidFinishLoading(self)
            return
        }
        let policy: URLCache.StoragePolicy =
            switch url.query?.prefix(6) {
            case "memory": .allowedInMemoryOnly
            case "forbid": .notAllowed
            default: .allowed
            }
        if let earlier = url.query?.split(separator: "&").last, earlier.hasPrefix("earlier") {
            let response = URLResponse(
                url: url,
                mimeType: "text/html",
                expectedContentLength: -1,
                textEncodingName: nil
            )
            client?.urlProtocol(
                self,
                didReceive: response,
                cacheStoragePolicy: earlier == "earlier" ? .allowed : .notAllowed
            )
            client?.urlProtocol(self, didLoad: Data("other ".utf8))
        }
        let response = URLResponse(
            url: url,
            mimeType: "text/plain",
            expectedContentLength: -1,
            textEncodingName: nil
        )
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: policy)
        client?.urlProtocol(self, didLoad: Data("la ".utf8))
        client?.urlProtocol(self, didLoad: Data("la".utf8))
        if url.query?.contains("fail") == true {
            client?.urlProtocol(self, didFailWithError: URLError(.dnsLookupFailed))
        } else {
            client?.urlProtocolDidFinishLoading(self)
        }
    }

    override func stopLoading() {}
}

@Suite("Stored responses of an app's classes", .timeLimit(.minutes(1)))
struct ProtocolCacheTests {
    private let recorder = DataRecorder()
    private let session: URLSession
    private let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
    /// A path of its own for each test, as the class counts for all.
    private let path = "/\(UUID().uuidString)"

    init() {
        _ = Home.path
        session = recorder.makeSession { [cache] configuration in
            configuration.urlCache = cache
            configuration.protocolClasses = [KeptProtocol.self]
        }
    }

    private func request(_ query: String) throws -> URLRequest {
        URLRequest(url: try #require(URL(string: "kept://host\(path)?\(query)")))
    }

    private func load(_ request: URLRequest, times: Int = 1) async {
        for number in 1...times {
            session.dataTask(with: request).resume()
            await recorder.waitForEnd(number)
        }
    }

    private var given: [String] { KeptProtocol.given.withLock { $0[path] ?? [] } }

    @Test(arguments: [
        ("allow", true), ("memory", true), ("forbid", false), ("allow&fail", false),
        // Of several responses the last one, with what has come behind it.
        ("allow&earlier", true), ("memory&earlier", true), ("forbid&earlier", false),
        ("allow&earlier-forbidden", true),
    ])
    func `API-21: a response is stored as its class allows`(
        query: String,
        isStored: Bool
    ) async throws {
        let request = try request(query)
        await load(request)
        #expect(recorder.story.contains("will cache") == isStored)
        let stored = cache.cachedResponse(for: request)
        #expect(stored?.data == (isStored ? Data("la la".utf8) : nil))
        #expect(stored?.response.mimeType == (isStored ? "text/plain" : nil))
        let isInMemory = query.hasPrefix("memory")
        if let stored {
            #expect(stored.storagePolicy == (isInMemory ? .allowedInMemoryOnly : .allowed))
        }
    }

    @Test func `API-21: the next object is given what is stored, and may serve it`() async throws {
        let request = try request("allow&valid")
        await load(request, times: 2)
        #expect(given == ["nothing", "la la"])
        #expect(recorder.story.filter { $0 == "will cache" }.count == 1)
        #expect(recorder.text == "la lala la")
    }

    @Test(
        arguments: [
            .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData,
        ] as [NSURLRequest.CachePolicy]
    )
    func `API-21: a request past the cache is given nothing`(
        policy: NSURLRequest.CachePolicy
    ) async throws {
        var request = try request("allow")
        await load(request)
        request.cachePolicy = policy
        session.dataTask(with: request).resume()
        await recorder.waitForEnd(2)
        #expect(given == ["nothing", "nothing"])
    }

    @Test func `API-21: the delegate has the last word`() async throws {
        recorder.change { $0.cached = { _ in nil } }
        let request = try request("allow")
        await load(request)
        #expect(recorder.story.contains("will cache"))
        #expect(cache.cachedResponse(for: request) == nil)
    }

    @Test(arguments: ["POST", "PUT"])
    func `API-21: only what was asked for with GET is stored`(method: String) async throws {
        var request = try request("allow")
        request.httpMethod = method
        request.httpBody = Data("a=b".utf8)
        await load(request)
        #expect(!recorder.story.contains("will cache"))
        #expect(cache.cachedResponse(for: request) == nil)
    }

    @Test func `API-21: what is too long for the cache, and what a download loads, is not stored`()
        async throws
    {
        cache.memoryCapacity = 80
        let request = try request("allow")
        await load(request)
        #expect(cache.cachedResponse(for: request) == nil)
        cache.memoryCapacity = 1 << 20
        session.downloadTask(with: request).resume()
        await recorder.waitForEnd(2)
        #expect(cache.cachedResponse(for: request) == nil)
        #expect(!recorder.story.contains("will cache"))
    }
}
