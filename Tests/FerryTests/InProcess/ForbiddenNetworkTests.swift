import FerrySystem
import FerryTestSupport
import Foundation
import Testing

@testable import Ferry

/// Sessions whose tasks do not use every network, with servers that are not on this machine as far as they know.
@Suite("Networks that tasks must not use", .timeLimit(.minutes(1)))
struct ForbiddenNetworkTests {
    private let server: FixtureServer
    private let proxy: FixtureSocksProxy
    private let recorder = DataRecorder()
    private let gate = FixtureGate()
    private let song = FixtureContent.seeded(7, byteCount: 300_000)

    /// Something that a configuration forbids, and the reason that an app is given.
    struct Prohibition: Sendable, CustomTestStringConvertible {
        var network: Conditions
        var reason: URLError.NetworkUnavailableReason
        var forbid: @Sendable (URLSessionConfiguration) -> Void
        var testDescription: String { "\(reason)" }
    }

    static let prohibitions = [
        Prohibition(network: .cellularNetwork, reason: .cellular) {
            $0.allowsCellularAccess = false
        },
        Prohibition(network: .expensiveNetwork, reason: .expensive) {
            $0.allowsExpensiveNetworkAccess = false
        },
        Prohibition(network: .constrainedNetwork, reason: .constrained) {
            $0.allowsConstrainedNetworkAccess = false
        },
    ]

    enum Kind: CaseIterable, Sendable { case data, download, upload }

    init() throws {
        _ = Home.path
        server = try FixtureServer()
        proxy = try FixtureSocksProxy(to: server.port)
        server.on("/song", .file(FixtureFile(song)))
    }

    private func url(_ path: String = "/song") throws -> URL {
        try #require(URL(string: "http://server.test\(path)"))
    }

    private func session(
        _ conditions: ScriptedConditions,
        waits: Bool = false,
        _ change: (URLSessionConfiguration) -> Void = { $0.allowsExpensiveNetworkAccess = false }
    ) -> URLSession {
        recorder.makeSession { configuration in
            configuration.urlCache = nil
            configuration.waitsForConnectivity = waits
            configuration.connectionProxyDictionary = [
                "SOCKSEnable": 1, "SOCKSProxy": "127.0.0.1", "SOCKSPort": Int(proxy.port),
            ]
            configuration[\.conditions] = conditions
            change(configuration)
        }
    }

    private func task(_ kind: Kind, in session: URLSession) throws -> URLSessionTask {
        switch kind {
        case .data: return session.dataTask(with: try url())
        case .download: return session.downloadTask(with: try url())
        case .upload:
            var request = URLRequest(url: try url())
            request.httpMethod = "PUT"
            return session.uploadTask(with: request, from: Data("la".utf8))
        }
    }

    // MARK: - The start

    @Test(arguments: prohibitions, Kind.allCases)
    func `a task in a network that it must not use fails, and says why`(
        prohibition: Prohibition,
        kind: Kind
    ) async throws {
        let conditions = ScriptedConditions([prohibition.network, .battery])
        let task = try task(kind, in: session(conditions, prohibition.forbid))
        task.resume()
        await recorder.waitForEnd()
        #expect(recorder.error?.code == .notConnectedToInternet)
        #expect(recorder.error?.networkUnavailableReason == prohibition.reason)
        #expect(recorder.error?.failingURL == task.originalRequest?.url)
        #expect(!recorder.story.contains("waiting"))
        #expect(server.requests.isEmpty)
        await conditions.waitForObservers(0)
    }

    @Test(arguments: prohibitions)
    func `what is allowed is used`(prohibition: Prohibition) async throws {
        let others = Conditions.network.subtracting(prohibition.network)
        let conditions = ScriptedConditions(others.union(.power))
        try task(.data, in: session(conditions, prohibition.forbid)).resume()
        await recorder.waitForEnd()
        #expect(recorder.error == nil)
        #expect(recorder.data == Data(song.bytes))
        await conditions.waitForObservers(0)
    }

    @Test func `a request may forbid more than the configuration`() async throws {
        let session = session(ScriptedConditions(.cellularNetwork)) { _ in }
        var request = URLRequest(url: try url())
        request.allowsCellularAccess = false
        session.downloadTask(with: request).resume()
        await recorder.waitForEnd()
        #expect(recorder.error?.networkUnavailableReason == .cellular)
        request.allowsCellularAccess = true
        session.downloadTask(with: request).resume()
        await recorder.waitForEnd(2)
        #expect(recorder.error == nil)
    }

    @Test(arguments: Kind.allCases)
    func `DL-33: a task waits for a network that it may use, says so once, and goes on`(
        kind: Kind
    ) async throws {
        let conditions = ScriptedConditions(.expensiveNetwork)
        try task(kind, in: session(conditions, waits: true)).resume()
        await recorder.wait(for: "waiting")
        await conditions.change(to: [.expensiveNetwork, .battery])
        #expect(server.requests.isEmpty)
        await conditions.change(to: .battery)
        await recorder.waitForEnd()
        #expect(recorder.error == nil)
        #expect(recorder.story.count { $0 == "waiting" } == 1)
        #expect(server.requests.count == 1)
        await conditions.waitForObservers(0)
    }

    @Test func `DL-33: the resource timeout goes on while a task waits`() async throws {
        let session = session(ScriptedConditions(.expensiveNetwork), waits: true) {
            $0.allowsExpensiveNetworkAccess = false
            $0.timeoutIntervalForRequest = 0.05
            $0.timeoutIntervalForResource = 0.5
        }
        try task(.data, in: session).resume()
        await recorder.waitForEnd()
        #expect(recorder.error?.code == .timedOut)
        #expect(recorder.story.first == "waiting")
    }

    @Test func `a task waits until the conditions are known, and tells nothing of that`()
        async throws
    {
        let conditions = ScriptedConditions(nil)
        try task(.data, in: session(conditions, waits: true)).resume()
        await conditions.waitForObservers(1)
        #expect(server.requests.isEmpty)
        await conditions.change(to: [])
        await recorder.waitForEnd()
        #expect(recorder.error == nil)
        #expect(!recorder.story.contains("waiting"))
    }

    @Test func `a task that waits for a network leaves its connection to others`() async throws {
        let conditions = ScriptedConditions(.cellularNetwork)
        let session = session(conditions, waits: true) { $0.httpMaximumConnectionsPerHost = 1 }
        var request = URLRequest(url: try url())
        request.allowsCellularAccess = false
        session.downloadTask(with: request).resume()
        await recorder.wait(for: "waiting")
        session.downloadTask(with: try url()).resume()
        await recorder.waitForEnd()
        #expect(recorder.error == nil)
        await conditions.change(to: [])
        await recorder.waitForEnd(2)
        #expect(server.requests.count == 2)
    }

    @Test func `P15: equal requests that have waited still fetch once`() async throws {
        server.on("/song", .file(FixtureFile(song)).waiting(at: gate))
        let conditions = ScriptedConditions(.expensiveNetwork)
        let session = session(conditions, waits: true)
        for _ in 0..<3 { try task(.data, in: session).resume() }
        await conditions.waitForObservers(3)
        await conditions.change(to: [])
        try await server.waitForStall(at: "/song")
        await session.flush()
        gate.open()
        await recorder.waitForEnd(3)
        #expect(recorder.data.count == 900_000)
        #expect(server.requests.count == 1)
    }

    @Test func `a waiting task can be suspended and cancelled`() async throws {
        let conditions = ScriptedConditions(.expensiveNetwork)
        let task = try task(.download, in: session(conditions, waits: true))
        task.resume()
        await conditions.waitForObservers(1)
        task.suspend()
        await conditions.waitForObservers(0)
        task.resume()
        await conditions.waitForObservers(1)
        task.cancel()
        await recorder.waitForEnd()
        #expect(recorder.error?.code == .cancelled)
        await conditions.waitForObservers(0)
    }

    // MARK: - Without a network

    @Test func `what is on this machine needs no network`() async throws {
        let conditions = ScriptedConditions(.network)
        let session = session(conditions) { configuration in
            configuration.connectionProxyDictionary = [:]
            configuration.allowsExpensiveNetworkAccess = false
        }
        let local = try await session.data(from: server.address("/song")).0
        #expect(local == Data(song.bytes))
        let inline = try #require(URL(string: "data:,la"))
        #expect(try await session.data(from: inline).0 == Data("la".utf8))
        let directory = try TemporaryDirectory()
        let file = URL(fileURLWithPath: directory.path + "/song")
        try Data("la".utf8).write(to: file)
        #expect(try await session.data(from: file).0 == Data("la".utf8))
    }

    @Test(arguments: [false, true])
    func `a response in the cache needs no network`(waits: Bool) async throws {
        server.on(
            "/song",
            .content(.text("la")).with(fields: [("Cache-Control", "max-age=1000")])
        )
        let conditions = ScriptedConditions([])
        let session = session(conditions, waits: waits) { configuration in
            configuration.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0)
            configuration.allowsExpensiveNetworkAccess = false
        }
        #expect(try await session.data(from: url()).0 == Data("la".utf8))
        await conditions.change(to: .expensiveNetwork)
        #expect(try await session.data(from: url()).0 == Data("la".utf8))
        #expect(server.requests.count == 1)
        var request = URLRequest(url: try url("/other"))
        guard !waits else { return }
        request.cachePolicy = .useProtocolCachePolicy
        await expectURLError(.notConnectedToInternet) { try await session.data(for: request) }
    }

    // MARK: - A load under way

    private func stall(after byteCount: Int64) {
        let file = FixtureFile(song)
        server.on("/song", .file(file).stalling(after: byteCount, at: gate), .file(file))
    }

    @Test func `DL-33: a download in a network that becomes forbidden keeps its bytes, and waits`()
        async throws
    {
        stall(after: 100_000)
        let conditions = ScriptedConditions([])
        let task = try task(.download, in: session(conditions, waits: true))
        task.resume()
        try await server.waitForStall(at: "/song")
        await recorder.wait(for: "wrote")
        await conditions.change(to: .expensiveNetwork)
        await recorder.wait(for: "waiting")
        try await server.waitUntil { $0.requests.first?.isBeingAnswered == false }
        await conditions.change(to: [])
        await recorder.waitForEnd()
        #expect(recorder.error == nil)
        #expect(recorder.file == Data(song.bytes))
        #expect(server.requests.count == 2)
        #expect(server.requests.last?.range?.hasPrefix("bytes=") == true)
        await conditions.waitForObservers(0)
    }

    @Test func `a download that does not wait fails with its resume data`()
        async throws
    {
        stall(after: 100_000)
        let conditions = ScriptedConditions([])
        let session = session(conditions)
        try task(.download, in: session).resume()
        try await server.waitForStall(at: "/song")
        await recorder.wait(for: "wrote")
        await conditions.change(to: .expensiveNetwork)
        await recorder.waitForEnd()
        #expect(recorder.error?.code == .notConnectedToInternet)
        #expect(recorder.error?.networkUnavailableReason == .expensive)
        let resumeData = try #require(recorder.error?.downloadTaskResumeData)
        await conditions.change(to: [])
        session.downloadTask(withResumeData: resumeData).resume()
        await recorder.waitForEnd(2)
        #expect(recorder.file == Data(song.bytes))
        #expect(server.requests.last?.range?.hasPrefix("bytes=") == true)
    }

    @Test func `a data task waits before its response, and makes its request again`() async throws {
        let file = FixtureFile(song)
        server.on("/song", .file(file).waiting(at: gate), .file(file))
        let conditions = ScriptedConditions([])
        try task(.data, in: session(conditions, waits: true)).resume()
        try await server.waitForStall(at: "/song")
        await conditions.change(to: .expensiveNetwork)
        await recorder.wait(for: "waiting")
        await conditions.change(to: [])
        await recorder.waitForEnd()
        #expect(recorder.error == nil)
        #expect(recorder.data == Data(song.bytes))
        #expect(server.requests.count == 2)
    }

    @Test func `a data task that has a response fails, with what it has`() async throws {
        stall(after: 100_000)
        let conditions = ScriptedConditions([])
        try task(.data, in: session(conditions, waits: true)).resume()
        await recorder.wait(for: "data")
        await conditions.change(to: .expensiveNetwork)
        await recorder.waitForEnd()
        #expect(recorder.error?.networkUnavailableReason == .expensive)
        #expect(!recorder.data.isEmpty)
        #expect(server.requests.count == 1)
    }

    @Test func `a request that must not be repeated is not`() async throws {
        server.on("/song", .content(.text("thanks")).waiting(at: gate))
        let conditions = ScriptedConditions([])
        var request = URLRequest(url: try url())
        request.httpMethod = "POST"
        request.httpBody = Data("an order".utf8)
        session(conditions, waits: true).dataTask(with: request).resume()
        try await server.waitForStall(at: "/song")
        await conditions.change(to: .expensiveNetwork)
        await recorder.waitForEnd()
        #expect(recorder.error?.networkUnavailableReason == .expensive)
        #expect(server.requests.count == 1)
    }

    @Test func `a change to other conditions interrupts nothing`() async throws {
        stall(after: 100_000)
        let conditions = ScriptedConditions([])
        try task(.download, in: session(conditions)).resume()
        await recorder.wait(for: "wrote")
        await conditions.change(to: [.cellularNetwork, .constrainedNetwork, .power])
        gate.open()
        await recorder.waitForEnd()
        #expect(recorder.error == nil)
        #expect(server.requests.count == 1)
    }

    // MARK: - Metrics

    @Test func `DL-25: a transaction tells the network's conditions while they are known`()
        async throws
    {
        let conditions = ScriptedConditions([.expensiveNetwork, .constrainedNetwork])
        let known = session(conditions) { $0.allowsCellularAccess = false }
        try task(.data, in: known).resume()
        await recorder.waitForEnd()
        let transaction = try #require(recorder.metrics?.transactionMetrics.first)
        #expect(transaction.isExpensive)
        #expect(transaction.isConstrained)
        #expect(!transaction.isCellular)

        try task(.data, in: session(conditions) { _ in }).resume()
        await recorder.waitForEnd(2)
        let unknown = try #require(recorder.metrics?.transactionMetrics.first)
        #expect(!unknown.isExpensive)
        #expect(!unknown.isMultipath)
    }
}
