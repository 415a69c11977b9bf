import FerrySystem
import FerryTestSupport
import Foundation
import Testing

@testable import Ferry

@Suite("WebSocket tasks and networks that they must not use", .timeLimit(.minutes(1)))
struct WebSocketNetworkTests {
    private let server: WebSocketServer
    private let proxy: FixtureSocksProxy
    private let recorder = DataRecorder()

    init() async throws {
        _ = Home.path
        server = try await WebSocketServer.start()
        let port = try #require(URL(string: server.url)?.port.flatMap { UInt16(exactly: $0) })
        proxy = try FixtureSocksProxy(to: port)
    }

    private func task(
        _ conditions: ScriptedConditions,
        waits: Bool
    ) throws -> URLSessionWebSocketTask {
        let session = recorder.makeSession { configuration in
            configuration.waitsForConnectivity = waits
            configuration.allowsExpensiveNetworkAccess = false
            configuration.connectionProxyDictionary = [
                "SOCKSEnable": 1, "SOCKSProxy": "127.0.0.1", "SOCKSPort": Int(proxy.port),
            ]
            configuration[\.conditions] = conditions
        }
        return session.webSocketTask(with: try #require(URL(string: "ws://server.test/echo")))
    }

    private func expectEcho(_ task: URLSessionWebSocketTask) async throws {
        try await task.send(.string("la"))
        #expect(try await task.receive() == .string("la"))
    }

    @Test func `a connection is not opened in a forbidden network`() async throws {
        let conditions = ScriptedConditions(.expensiveNetwork)
        try task(conditions, waits: false).resume()
        await recorder.waitForEnd()
        #expect(recorder.error?.code == .notConnectedToInternet)
        #expect(recorder.error?.networkUnavailableReason == .expensive)
        #expect(proxy.hosts.isEmpty)
        await conditions.waitForObservers(0)
    }

    @Test func `DL-33: a connection waits for a network that may be used`() async throws {
        let conditions = ScriptedConditions(.expensiveNetwork)
        let task = try task(conditions, waits: true)
        task.resume()
        await recorder.wait(for: "waiting")
        task.suspend()
        await conditions.waitForObservers(0)
        await conditions.change(to: [])
        #expect(proxy.hosts.isEmpty)
        task.resume()
        try await expectEcho(task)
        #expect(proxy.hosts == ["server.test"])
        task.cancel()
    }

    @Test(arguments: [false, true])
    func `an open connection ends with the network that may be used`(waits: Bool) async throws {
        let conditions = ScriptedConditions([])
        let task = try task(conditions, waits: waits)
        task.resume()
        try await expectEcho(task)
        await conditions.change(to: .expensiveNetwork)
        await recorder.waitForEnd()
        #expect(recorder.error?.networkUnavailableReason == .expensive)
        await conditions.waitForObservers(0)
    }
}
