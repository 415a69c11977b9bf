import Ferry
import Foundation
import Testing

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
