import FerrySystem
import FerryTestSupport
import FerryWire
import Foundation
import PortedDelegates
import Testing

@testable import Ferry

@Suite("Calls of ported programs", .timeLimit(.minutes(1)))
struct PortedCallTests {
    private let url: URL

    init() throws {
        _ = Home.path
        url = try #require(URL(string: "https://example.com/a"))
    }

    @Test func `API-24: a cache without arguments has the room of the shared one`() {
        let (memory, disk) = PortedCalls.caches()
        #expect(memory == 4 << 20)
        #expect(disk == 20 << 20)
    }

    @Test func `API-24: a ping can be awaited`() async throws {
        let server = try await WebSocketServer.start()
        let session = URLSession(configuration: .ephemeral)
        let task = session.webSocketTask(with: try #require(URL(string: server.url + "/echo")))
        task.resume()
        try await PortedCalls.ping(task)
        task.cancel()
    }

    @Test func `API-24: a request keeps the properties that only Apple's has`() {
        let plain = URLRequest(url: url)
        #expect(plain.allowsExpensiveNetworkAccess)
        #expect(plain.allowsConstrainedNetworkAccess)
        #expect(plain.allowsUltraConstrainedNetworkAccess)
        #expect(!plain.assumesHTTP3Capable)
        #expect(plain.attribution == .developer)
        #expect(!plain.requiresDNSSECValidation)
        #expect(!plain.allowsPersistentDNS)
        #expect(plain.cookiePartitionIdentifier == nil)
        var changed = PortedCalls.request(url)
        for _ in 0..<2 {
            #expect(!changed.allowsExpensiveNetworkAccess)
            #expect(!changed.allowsConstrainedNetworkAccess)
            #expect(!changed.allowsUltraConstrainedNetworkAccess)
            #expect(changed.assumesHTTP3Capable)
            #expect(changed.attribution == .user)
            #expect(changed.requiresDNSSECValidation)
            #expect(changed.allowsPersistentDNS)
            #expect(changed.cookiePartitionIdentifier == "part")
            // Whatever is changed beside.
            changed.setValue("b", forHTTPHeaderField: "X-A")
            changed.httpMethod = "PUT"
        }
        let task = URLSession.shared.dataTask(with: changed)
        #expect(task.originalRequest?.allowsConstrainedNetworkAccess == false)
        #expect(task.currentRequest?.allowsExpensiveNetworkAccess == false)
        task.cancel()
    }

    @Test(
        arguments: [
            { $0.url = URL(string: "http://b/") }, { $0.httpMethod = "PUT" },
            { $0.mainDocumentURL = URL(string: "http://c/") }, { $0.timeoutInterval = 7 },
            { $0.cachePolicy = .returnCacheDataDontLoad }, { $0.networkServiceType = .voice },
            { $0.allowsCellularAccess = false }, { $0.httpShouldHandleCookies = false },
            { $0.httpBody = Data([1]) },
            { $0.httpBodyStream = InputStream(data: Data([2])) },
            { $0.allHTTPHeaderFields = ["A": "b"] },
        ] as [@Sendable (inout URLRequest) -> Void]
    )
    func `TEST-18: what a request has besides stays as it is`(
        change: @Sendable (inout URLRequest) -> Void
    ) {
        var plain = URLRequest(url: url)
        change(&plain)
        var changed = plain
        changed.assumesHTTP3Capable = true
        changed.attribution = .user
        changed.assumesHTTP3Capable = false
        #expect(changed.attribution == .user)
        #expect(changed.url == plain.url)
        #expect(changed.mainDocumentURL == plain.mainDocumentURL)
        #expect(changed.httpMethod == plain.httpMethod)
        #expect(changed.timeoutInterval == plain.timeoutInterval)
        #expect(changed.cachePolicy == plain.cachePolicy)
        #expect(changed.networkServiceType == plain.networkServiceType)
        #expect(changed.allowsCellularAccess == plain.allowsCellularAccess)
        #expect(changed.httpShouldHandleCookies == plain.httpShouldHandleCookies)
        #expect(changed.httpBody == plain.httpBody)
        #expect(changed.httpBodyStream === plain.httpBodyStream)
        #expect(changed.allHTTPHeaderFields == plain.allHTTPHeaderFields)
    }

    @Test func `TEST-18: a request that has no URL for a time keeps what it has besides`() {
        var request = URLRequest(url: url)
        request.attribution = .user
        request.url = nil
        let copy = request
        #expect(copy.attribution == .user)
        request.attribution = .developer
        request.url = url
        #expect(request.attribution == .user)
        #expect(copy.url == nil)
        // Foundation traps where such a request is changed while it has a copy.
        var plain = URLRequest(url: url)
        plain.url = nil
        #expect(plain.attribution == .developer)
        plain.attribution = .user
        #expect(plain.attribution == .developer)
    }

    @Test func `API-24: what a request avoids holds in process and in the background`() {
        let configuration = URLSessionConfiguration.Values(kind: .default)
        typealias Change = @Sendable (inout URLRequest) -> Void
        let rows: [(Change, FerrySystem.Conditions)] = [
            ({ _ in }, []),
            ({ $0.allowsExpensiveNetworkAccess = false }, .expensiveNetwork),
            ({ $0.allowsConstrainedNetworkAccess = false }, .constrainedNetwork),
            ({ $0.allowsCellularAccess = false }, .cellularNetwork),
        ]
        for (change, avoided) in rows {
            var request = URLRequest(url: url)
            change(&request)
            #expect(FerrySystem.Conditions(avoidedBy: request, in: configuration) == avoided)
            let wire = Wire.TransferOptions(TransferOptions(), for: request)
            #expect(wire?.avoids ?? [] == avoided.names)
        }
    }

    @Test func `API-24: versions of TLS have older names, too`() {
        let limits = PortedCalls.versions().map {
            [$0.tlsMinimumSupportedProtocolVersion, $0.tlsMaximumSupportedProtocolVersion]
        }
        #expect(
            limits == [
                [.TLSv12, .TLSv13], [.TLSv10, .TLSv11], [.TLSv12, .TLSv13], [.TLSv10, .TLSv13],
            ]
        )
        for version in [
            tls_protocol_version_t.TLSv10, .TLSv11, .TLSv12, .TLSv13, .DTLSv10, .DTLSv12,
        ] {
            #expect(SSLProtocol(version).version == version)
        }
    }

    @Test func `API-24: objects stand in formats by their descriptions`() {
        let session = URLSession(configuration: .ephemeral)
        let task = session.dataTask(with: url)
        let text = PortedCalls.log(session, task)
        #expect(text == "<\(session.description)> <\(task.description)> 5")
        task.cancel()
    }

    @Test func `API-24: a main.swift in the mode of Swift 5 runs the application`() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: TestHome.executable("ported-main"))
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(),
            as: UTF8.self
        )
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(text == "la\n")
    }
}
