import FerrySystem
import FerryTestSupport
import Foundation
import Testing

@testable import Ferry

/// The limit of connections that holds for all sessions of a process together.
@Suite("The connections of a process", .timeLimit(.minutes(1)))
struct ProcessConnectionsTests {
    private let server: FixtureServer
    private let proxy: FixtureSocksProxy
    private let recorder = DataRecorder()
    private let gate = FixtureGate()

    init() throws {
        _ = Home.path
        server = try FixtureServer()
        proxy = try FixtureSocksProxy(to: server.port)
        let answer = FixtureAnswer.content(.text("la"))
        server.on("/gated", answer.waiting(at: gate))
        server.on("/open", answer)
    }

    /// A session that reaches the server by any name.
    private func session(_ connections: ProcessConnections) -> URLSession {
        recorder.makeSession { configuration in
            configuration.urlCache = nil
            configuration.connectionProxyDictionary = [
                "SOCKSEnable": 1, "SOCKSProxy": "127.0.0.1", "SOCKSPort": Int(proxy.port),
            ]
            configuration[\.connections] = connections
        }
    }

    /// Starts a task, which is under way or waits for its connection when this returns.
    @discardableResult
    private func start(
        _ path: String,
        at host: String,
        in session: URLSession
    ) async throws -> URLSessionTask {
        let task = session.dataTask(with: try #require(URL(string: "http://\(host).test\(path)")))
        task.resume()
        // Once for the command, and once for what the task then does by itself.
        for _ in 0..<2 { await session.flush() }
        return task
    }

    /// Starts a task whose response waits at the gate.
    private func startGated(in session: URLSession) async throws {
        try await start("/gated", at: "first", in: session)
        try await server.waitUntil { $0.requests(to: "/gated").first?.state == .stalled }
    }

    /// The hosts of the requests, in order.
    private var hosts: [String] {
        server.requests.map { $0["Host"]?.split(separator: ".").first.map(String.init) ?? "" }
    }

    @Test func `no more requests are under way than the process may have connections`() async throws
    {
        let session = session(ProcessConnections(limit: 3))
        for number in 0..<10 { try await start("/gated", at: "host\(number)", in: session) }
        try await server.waitUntil { $0.requests(to: "/gated").count { $0.state == .stalled } == 3 }
        for _ in 0..<5 { await session.flush() }
        #expect(server.requests.count == 3)
        gate.open()
        await recorder.waitForEnd(10)
        #expect(Set(hosts).count == 10)
    }

    @Test func `hosts take turns`() async throws {
        let session = session(ProcessConnections(limit: 1))
        try await startGated(in: session)
        // Not equal, so that they share no request.
        for (number, host) in ["many", "many", "many", "few", "one"].enumerated() {
            try await start("/open?\(number)", at: host, in: session)
        }
        gate.open()
        await recorder.waitForEnd(6)
        #expect(hosts == ["first", "many", "few", "one", "many", "many"])
    }

    @Test func `sessions take turns`() async throws {
        let connections = ProcessConnections(limit: 1)
        let (busy, other) = (session(connections), session(connections))
        try await startGated(in: busy)
        for host in ["a", "b", "c"] { try await start("/open", at: host, in: busy) }
        for host in ["x", "y"] { try await start("/open", at: host, in: other) }
        gate.open()
        await recorder.waitForEnd(6)
        #expect(hosts == ["first", "a", "x", "b", "y", "c"])
    }

    @Test func `tasks that are cancelled while they wait take no turn`() async throws {
        let session = session(ProcessConnections(limit: 1))
        try await startGated(in: session)
        for host in ["a", "b"] { try await start("/open", at: host, in: session).cancel() }
        try await start("/open", at: "c", in: session)
        await recorder.waitForEnd(2)
        gate.open()
        await recorder.waitForEnd(4)
        #expect(hosts == ["first", "c"])
    }

    @Test func `a session that is invalidated while it waits takes no turn`() async throws {
        let connections = ProcessConnections(limit: 1)
        let (invalid, other) = (session(connections), session(connections))
        try await startGated(in: other)
        try await start("/open", at: "a", in: invalid)
        try await start("/open", at: "b", in: other)
        invalid.invalidateAndCancel()
        await recorder.waitForEnd(1)
        gate.open()
        await recorder.waitForEnd(3)
        #expect(hosts == ["first", "b"])
    }

    @Test func `a URL without a server needs no connection`() async throws {
        let session = session(ProcessConnections(limit: 1))
        try await startGated(in: session)
        session.dataTask(with: try #require(URL(string: "data:,la"))).resume()
        await recorder.waitForEnd(1)
        #expect(recorder.text == "la")
        gate.open()
        await recorder.waitForEnd(2)
    }

    @Test func `requests that share a connection by HTTP/2 count as one`() async throws {
        let home = try TestHome()
        let authority = try await TestAuthority(in: home)
        let nginx = try await Nginx(in: home, authority: authority)
        try nginx.addFile("large", byteCount: 4_000_000)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.certificateAuthorityFile = URL(filePath: authority.file)
        configuration[\.connections] = ProcessConnections(limit: 1)
        let session = URLSession(configuration: configuration)
        let echo = try #require(URL(string: nginx.url("echo", by: .secure)))
        let large = try #require(URL(string: nginx.url("large", by: .secure)))
        _ = try await session.data(from: echo)
        // Each stays under way, since nobody reads its bytes.
        var open: [URLSession.AsyncBytes] = []
        for _ in 0..<8 { open.append(try await session.bytes(from: large).0) }
        let url = try #require(URL(string: server.url("/open")))
        let other = session.dataTask(with: url)
        other.resume()
        for _ in 0..<5 { await session.flush() }
        #expect(server.requests.isEmpty)
        for bytes in open { bytes.task.cancel() }
        try await server.waitUntil { $0.requests(to: "/open").first?.state == .sent }
    }
}
