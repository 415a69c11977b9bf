import FerryHTTP
import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import Foundation
import Testing

@testable import FerryDaemon

/// Which proxies and authorities a session's transfers start with.
@Suite(.timeLimit(.minutes(1))) struct SessionConnectionsTests {
    private var bench = MachineBench()

    private static let first = Wire.Connections(httpProxy: "http://first:1")
    private static let second = Wire.Connections(authorityFile: "/second.pem")

    private func configuration(_ connections: Wire.Connections?) -> Wire.SessionConfiguration {
        var configuration = Wire.SessionConfiguration.sample
        configuration.connections = connections
        return configuration
    }

    private mutating func open(
        _ connections: Wire.Connections?,
        process: Int64 = 1
    ) -> BenchClient {
        bench.open(process: process, configuration: configuration(connections))
    }

    @Test mutating func `SEC-8: a transfer starts with what its session says`() {
        let client = open(Self.first)
        let task = bench.start(client)
        #expect(bench.transfers[task]?.connections == Self.first)
        let other = bench.open(
            "other",
            process: 2,
            configuration: configuration(Self.second)
        )
        let second = bench.start(other, 1, host: "b")
        #expect(bench.transfers[second]?.connections == Self.second)
    }

    @Test mutating func `SEC-8: what the newest process says holds for what starts afterwards`() {
        let client = open(Self.first)
        let task = bench.start(client)
        bench.disconnect(client)
        let next = open(Self.second, process: 2)
        let second = bench.start(next, 2)
        #expect(bench.transfers[task]?.connections == Self.first)
        #expect(bench.transfers[second]?.connections == Self.second)
    }

    @Test mutating func `SEC-8: a process that says nothing leaves it as it was`() {
        let client = open(Self.first)
        bench.start(client)
        bench.disconnect(client)
        let next = open(nil, process: 2)
        let task = bench.start(next, 2)
        #expect(bench.transfers[task]?.connections == Self.first)
    }

    @Test mutating func `SEC-8: a daemon that comes after another one knows it, too`() {
        let client = open(Self.first)
        bench.create(client)
        bench = MachineBench(on: bench.database)
        let next = open(nil, process: 2)
        let task = bench.start(next, 2)
        #expect(bench.transfers[task]?.connections == Self.first)
    }

    @Test(arguments: [
        ("httpProxy", Wire.Connections(httpProxy: "")),
        ("httpsProxy", Wire.Connections(httpsProxy: "http://a:1\nb")),
        ("httpProxy", Wire.Connections(httpProxy: String(repeating: "a", count: 5000))),
        (
            "proxyExceptions",
            Wire.Connections(proxyExceptions: [String](repeating: "host.example", count: 9000))
        ),
        (
            "proxyFields",
            Wire.Connections(proxyFields: [.init(name: "X-Site", value: "a\r\nX-Other: b")])
        ),
        ("proxyFields", Wire.Connections(proxyFields: [.init(name: "", value: "a")])),
        ("tls", Wire.Connections(ciphers: "")),
        ("tls", Wire.Connections(keyDigests: [.init([1])])),
        ("authorityFile", Wire.Connections(authorityFile: "ca.pem")),
        ("authorityDirectory", Wire.Connections(authorityDirectory: "")),
        (
            "clientCertificate.key",
            Wire.Connections(
                clientCertificate: Wire.ClientCertificate(certificate: "/a", key: "b")
            )
        ),
    ])
    mutating func `SEC-8: what makes no sense is refused by its name`(
        member: String,
        connections: Wire.Connections
    ) {
        let client = bench.connect()
        let open = Wire.OpenSession.sample("session", "app", .sample, configuration(connections))
        let outcome = bench.settledCall(client) { $0.openSession(open, from: $1) }
        guard case .refusal(.invalidRequest(let parameter, _)) = outcome else {
            Issue.record("\(String(describing: outcome))")
            return
        }
        #expect(parameter == "configuration.connections.\(member)")
    }

    @Test mutating func `SEC-8: a proxy that fails says nothing about the host to others`() {
        let client = open(Self.first)
        for number in 1...HostBreaker.threshold + 1 {
            let task = bench.start(client, number)
            bench.fail(task, .cannotConnectToHost)
        }
        let other = bench.open("other", process: 2)
        let task = bench.start(other)
        #expect(bench.transfers[task] != nil)
    }

    @Test mutating func `SEC-8: without a network a proxy on this machine may still know a way`() {
        let client = open(Wire.Connections(httpProxy: "http://me:you@127.0.0.1:9050"))
        bench.input { $0.connectivityChanged(to: .disconnected) }
        let task = bench.start(client)
        #expect(bench.transfers[task] != nil)
        let direct = bench.open("other", process: 2)
        #expect(bench.transfers[bench.start(direct)] == nil)
    }

    // MARK: Processes

    @Test mutating func `SEC-9: two processes that cannot be seen do not open one session`() {
        let first = open(nil, process: -7)
        let other = bench.connect(process: -8)
        let open = Wire.OpenSession.sample()
        #expect(
            bench.settledCall(other) { $0.openSession(open, from: $1) }
                == .refusal(.sessionInUse(identifier: "session", pid: 0))
        )
        #expect(bench.machine.isOpen(first.sessionID, for: caller(of: first)))
        let again = bench.open(process: -7)
        #expect(again.session == first.session)
    }

    @Test mutating func `SEC-9: where nothing is known of processes, connections tell them apart`()
    {
        let first = open(nil, process: 0)
        let other = bench.connect(process: 0)
        let open = Wire.OpenSession.sample()
        #expect(
            bench.settledCall(other) { $0.openSession(open, from: $1) }
                == .refusal(.sessionInUse(identifier: "session", pid: 0))
        )
        #expect(bench.machine.isOpen(first.sessionID, for: caller(of: first)))
        #expect(!bench.machine.isOpen(first.sessionID, for: caller(of: other)))
        #expect(bench.create(first, 1) != 0)
        var guest = other
        guest.session = first.session
        #expect(bench.create(guest, 2) == 0)
    }

    @Test
    mutating func `SEC-9: who nothing is known of subscribes over a second connection by a token`()
        throws
    {
        let first = open(nil, process: 0)
        let token = try #require(bench.machine.sessions[first.sessionID]?.token)
        #expect(token.utf8.count == 32)
        func subscribe(showing token: String?) -> MachineBench.Outcome? {
            let other = bench.connect(process: 0)
            return bench.settledCall(other) {
                $0.subscribe(session: first.sessionID, showing: token, from: $1)
            }
        }
        let refusal = MachineBench.Outcome.refusal(.sessionNotOpen(session: first.session))
        #expect(subscribe(showing: nil) == refusal)
        #expect(subscribe(showing: "0") == refusal)
        #expect(bench.machine.sessions[first.sessionID]?.subscriber == nil)
        #expect(subscribe(showing: token) == nil)
        #expect(bench.machine.sessions[first.sessionID]?.subscriber != nil)
        // Whose process is seen needs none.
        let seen = bench.open("seen", process: 7)
        #expect(bench.machine.sessions[seen.sessionID]?.token == nil)
    }

    private func caller(of client: BenchClient) -> DaemonStateMachine.Caller {
        DaemonStateMachine.Caller(call: 0, connection: client.connection, process: client.process)
    }
}
