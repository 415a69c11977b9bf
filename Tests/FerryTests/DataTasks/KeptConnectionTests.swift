import Ferry
import FerryTestSupport
import Foundation
import Testing

@Suite("Kept connections of sessions", .timeLimit(.minutes(1)))
struct KeptConnectionTests {
    private let server: FixtureServer
    private let session = DataRecorder().makeSession()

    init() throws {
        _ = Home.path
        server = try FixtureServer()
    }

    private static func response(_ status: String, _ body: String) -> String {
        "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    @Test(arguments: ["200 OK", "408 Request Timeout"])
    func `SEC-1: an answer that nobody asked for is not taken for the next task's`(
        status: String
    ) async throws {
        let gate = FixtureGate()
        let surprise = FixtureStep.text(Self.response(status, ""))
        server.on(
            "/first",
            .script([.text(Self.response("200 OK", "first")), .wait(gate), surprise, .close])
        )
        server.on("/second", .content(.text("second")))
        let first = try await session.data(from: server.address("/first"))
        #expect(String(decoding: first.0, as: UTF8.self) == "first")
        let socket = try ClientSocket(connectedTo: server.port)
        gate.open()
        let hasArrived = socket.waitForBytes()
        #expect(hasArrived, "\(socket.connection), \(server.history)")
        let second = try await session.data(from: server.address("/second"))
        #expect(String(decoding: second.0, as: UTF8.self) == "second")
        #expect((second.1 as? HTTPURLResponse)?.statusCode == 200)
    }
}
