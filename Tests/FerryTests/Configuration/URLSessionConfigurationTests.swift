import Foundation
import Testing

@testable import Ferry

@Suite("URLSessionConfiguration", .timeLimit(.minutes(5)))
struct URLSessionConfigurationTests {
    @Test func `the defaults of the three kinds`() {
        let kinds: [URLSessionConfiguration] = [
            .default, .ephemeral, .background(withIdentifier: "id"),
        ]
        for configuration in kinds {
            #expect(configuration.timeoutIntervalForRequest == 60)
            #expect(configuration.timeoutIntervalForResource == 604_800)
            #expect(configuration.httpMaximumConnectionsPerHost == 6)
            #expect(configuration.httpAdditionalHeaders == nil)
            #expect(configuration.allowsCellularAccess)
            #expect(configuration.allowsExpensiveNetworkAccess)
            #expect(configuration.allowsConstrainedNetworkAccess)
            #expect(!configuration.waitsForConnectivity)
            #expect(!configuration.isDiscretionary)
            #expect(configuration.sessionSendsLaunchEvents)
            #expect(configuration.httpShouldSetCookies)
            #expect(configuration.requestCachePolicy == .useProtocolCachePolicy)
            #expect(configuration.connectionProxyDictionary == nil)
            #expect(configuration.proxyConfigurations.isEmpty)
            #expect(configuration.sharedContainerIdentifier == nil)
            #expect(configuration.tlsMinimumSupportedProtocolVersion == .TLSv12)
        }
        #expect(kinds.map(\.identifier) == [nil, nil, "id"])
    }

    @Test func `BG-13: a background session has no cache, the others have`() {
        #expect(URLSessionConfiguration.default.urlCache === URLCache.shared)
        #expect(URLSessionConfiguration.default.httpCookieStorage === HTTPCookieStorage.shared)
        #expect(URLSessionConfiguration.background(withIdentifier: "a").urlCache == nil)
        #expect(URLSessionConfiguration.ephemeral.urlCache !== URLCache.shared)
        #expect(URLSessionConfiguration.ephemeral.urlCache != nil)
        #expect(URLSessionConfiguration.ephemeral.httpCookieStorage !== HTTPCookieStorage.shared)
    }

    @Test func `an ephemeral session sees nothing of the disk, and leaves it alone`() async {
        await #expect(processExitsWith: .success) {
            _ = Home.path
            let url = try #require(URL(string: "https://host/file"))
            let request = URLRequest(url: url)
            let response = URLResponse(
                url: url,
                mimeType: nil,
                expectedContentLength: 4,
                textEncodingName: nil
            )
            let cached = CachedURLResponse(response: response, data: Data("body".utf8))
            URLCache.shared.storeCachedResponse(cached, for: request)
            #expect(URLCache.shared.currentDiskUsage > 0)

            let configuration = URLSessionConfiguration.ephemeral
            let own = try #require(configuration.urlCache)
            #expect(configuration.urlCache === own)
            #expect(own.cachedResponse(for: request) == nil)
            own.storeCachedResponse(cached, for: request)
            #expect(own.cachedResponse(for: request)?.data == cached.data)
            own.removeAllCachedResponses()
            #expect(own.cachedResponse(for: request) == nil)
            #expect(URLCache.shared.currentDiskUsage > 0)
        }
    }

    @Test func `each access makes a new object`() {
        let first = URLSessionConfiguration.default
        first.timeoutIntervalForRequest = 1
        #expect(URLSessionConfiguration.default.timeoutIntervalForRequest == 60)
        #expect(
            URLSessionConfiguration.ephemeral.httpCookieStorage
                !== URLSessionConfiguration.ephemeral.httpCookieStorage
        )
    }

    @Test func `P2: a copy is independent, and keeps the stores of its original`() throws {
        let original = URLSessionConfiguration.ephemeral
        let copy = try #require(original.copy() as? URLSessionConfiguration)
        copy.httpMaximumConnectionsPerHost = 2
        copy.httpAdditionalHeaders = ["Accept": "text/plain"]
        #expect(original.httpMaximumConnectionsPerHost == 6)
        #expect(original.httpAdditionalHeaders == nil)
        #expect(original.httpCookieStorage === copy.httpCookieStorage)
    }

    @Test(
        arguments: [
            { $0.timeoutIntervalForRequest = 5 }, { $0.timeoutIntervalForResource = 6 },
            { $0.httpShouldSetCookies = false }, { $0.httpCookieAcceptPolicy = .never },
            { $0.httpAdditionalHeaders = ["A": "b"] }, { $0.httpMaximumConnectionsPerHost = 2 },
            { $0.allowsCellularAccess = false }, { $0.allowsExpensiveNetworkAccess = false },
            { $0.allowsConstrainedNetworkAccess = false }, { $0.waitsForConnectivity = true },
            { $0.requestCachePolicy = .returnCacheDataDontLoad }, { $0.isDiscretionary = true },
            { $0.tlsMinimumSupportedProtocolVersion = .TLSv13 },
            { $0.protocolClasses = [NSObject.self] }, { $0.maximumReceiveRate = 7 },
            { $0.connectionEnvironment = [:] }, { $0.urlCache = nil },
            { $0.httpCookieStorage = nil }, { $0.urlCredentialStorage = nil },
        ] as [@Sendable (URLSessionConfiguration) -> Void]
    )
    func `TEST-18: a copy, and a session's configuration, have every value`(
        change: @Sendable (URLSessionConfiguration) -> Void
    ) throws {
        func text(_ configuration: URLSessionConfiguration) -> [String] {
            Mirror(reflecting: configuration.snapshot).children
                // What a session reads from the environment is its own.
                .filter { $0.label != "sessionClient" }
                .map { "\($0.label ?? ""): \($0.value)" }
        }
        let original = URLSessionConfiguration.ephemeral
        let plain = text(original)
        change(original)
        let changed = text(original)
        #expect(zip(plain, changed).filter { $0 != $1 }.count == 1)
        let copy = try #require(original.copy() as? URLSessionConfiguration)
        #expect(text(copy) == changed)
        #expect(text(URLSession(configuration: original).configuration) == changed)
    }

    @Test func `P2: a session copies its configuration`() {
        let configuration = URLSessionConfiguration.default
        configuration.timeoutIntervalForRequest = 5
        let session = URLSession(configuration: configuration)
        configuration.timeoutIntervalForRequest = 6
        #expect(session.configuration.timeoutIntervalForRequest == 5)
        session.configuration.timeoutIntervalForRequest = 7
        #expect(session.configuration.timeoutIntervalForRequest == 5)
    }

    @Test func `BG-8: an empty identifier is a mistake`() async {
        await #expect(processExitsWith: .failure) {
            _ = URLSessionConfiguration.background(withIdentifier: "")
        }
    }
}
