import Dispatch
import FerryHTTP
import FerryStore
import FerrySystem
import FerryTestSupport
import FerryTransfer
import FerryWire
import FoundationEssentials
import Synchronization
import Testing

@testable import FerryDaemon

/// Connections and secrets of one session that another one must not get.
@Suite(.timeLimit(.minutes(1)))
@LoopActor
struct ConnectionOwnershipTests {
    private nonisolated static let noon = Date(timeIntervalSince1970: 1_790_000_000)
    private let noon = ConnectionOwnershipTests.noon

    // MARK: Clients

    private let clients: TransferClients
    private let shared: HTTPClient

    init() throws {
        shared = try HTTPClient(configuration: HTTPClient.Configuration(environment: [:]))
        clients = TransferClients(sharing: shared)
    }

    private func client(
        _ session: SessionID,
        decides: Bool = false,
        _ setup: ConnectionSetup = ConnectionSetup()
    ) throws -> HTTPClient {
        try clients.client(for: session, decides: decides, setup)
    }

    private static func setup(
        proxy: String? = nil,
        authorities: [UInt8]? = nil
    ) -> ConnectionSetup {
        let proxies = HTTPProxyList(http: proxy.map { HTTPProxy(address: $0) })
        return ConnectionSetup(
            proxies: proxies,
            authorities: authorities.map { TrustedAuthorities($0) }
        )
    }

    @Test func `SEC-8: sessions that say nothing share connections`() throws {
        #expect(try client(1) === shared)
        #expect(try client(2) === shared)
    }

    @Test func `SEC-8: sessions with other proxies, passwords or authorities share none`() throws {
        let setups = [
            Self.setup(proxy: "http://a:1"), Self.setup(proxy: "http://me:one@a:1"),
            Self.setup(proxy: "http://me:two@a:1"), Self.setup(authorities: [1]),
            Self.setup(authorities: [2]),
            Self.setup(proxy: "http://a:1", authorities: [1]),
        ]
        var known: [HTTPClient] = [shared]
        for (index, setup) in setups.enumerated() {
            let client = try client(SessionID(Int64(index + 1)), setup)
            #expect(!known.contains { $0 === client })
            #expect(client.configuration.proxies == setup.proxies)
            #expect(client.configuration.certificateAuthorities == setup.authorities)
            known.append(client)
        }
    }

    @Test func `SEC-8: equal sessions share, but for one that decides about certificates`() throws {
        let setup = Self.setup(proxy: "http://a:1")
        let first = try client(1, setup)
        #expect(try client(2, setup) === first)
        #expect(try client(3, decides: true, setup) !== first)
        #expect(try client(1, Self.setup(proxy: "http://b:1")) !== first)
        #expect(try client(2, setup) === first)
    }

    @Test func `SEC-8: a client goes with the last session that needs it`() throws {
        let setup = Self.setup(proxy: "http://a:1")
        weak let first = try client(1, setup)
        #expect(first != nil)
        clients.forget(session: 1)
        #expect(first == nil)
        weak let second = try client(2, setup)
        _ = try client(2)
        #expect(second == nil)
    }

    // MARK: Files

    @Test func `SEC-8: files that do not come fail the transfer, and hold up no other session`()
        async throws
    {
        let gate = DispatchSemaphore(value: 0)
        let files = ConnectionFiles(timeout: .milliseconds(50)) { connections in
            if connections.authorityFile == "/hung" { gate.wait() }
            return .success(ConnectionSetup())
        }
        defer { gate.signal() }
        async let hung = read(files, "/hung", session: 1)
        let other = await read(files, "/fine", session: 2)
        #expect(other == .success(ConnectionSetup()))
        guard case .failure(let error) = await hung else {
            Issue.record("it came")
            return
        }
        #expect(error.code == .timedOut)
        #expect(error.message.contains("/hung"))
    }

    @Test func `transfers that start together have their files read once, and others on their own`()
        async throws
    {
        let gate = DispatchSemaphore(value: 0)
        let paths = Mutex<[String?]>([])
        let files = ConnectionFiles { connections in
            paths.withLock { $0.append(connections.authorityFile) }
            gate.wait()
            return .success(
                ConnectionSetup(
                    authorities: connections.authorityFile.map {
                        TrustedAuthorities(Array($0.utf8))
                    }
                )
            )
        }
        let results = Mutex<[String]>([])
        await withCheckedContinuation { continuation in
            for path in ["/a", "/a", "/b", "/a"] {
                files.read(
                    Wire.Connections(authorityFile: path),
                    ofSession: 1,
                    createdAt: noon,
                    at: noon
                ) { result in
                    let bytes = try? result.get().authorities?.certificates
                    let count = results.withLock { results in
                        results.append(String(decoding: bytes ?? [], as: UTF8.self))
                        return results.count
                    }
                    if count == 4 { continuation.resume() }
                }
            }
            for _ in 1...2 { gate.signal() }
        }
        #expect(results.withLock { $0 } == ["/a", "/a", "/a", "/b"])
        #expect(paths.withLock { $0 } == ["/a", "/b"])
    }

    @Test
    func `what was read serves tasks created before, and no later ones: the files may be others`()
        async throws
    {
        let reads = Mutex(0)
        let files = ConnectionFiles(lifetime: .seconds(3600)) { _ in
            let count = reads.withLock { reads in
                reads += 1
                return reads
            }
            return .success(ConnectionSetup(authorities: TrustedAuthorities([UInt8(count)])))
        }
        func authorities(createdAt: Date, session: SessionID = 1) async throws -> [UInt8]? {
            try await read(files, "/a", session: session, createdAt: createdAt).get().authorities?
                .certificates
        }
        #expect(try await authorities(createdAt: noon) == [1])
        #expect(try await authorities(createdAt: noon - 1) == [1])
        #expect(try await authorities(createdAt: noon) == [2])
        #expect(try await authorities(createdAt: noon - 1, session: 2) == [3])
        #expect(
            try await read(files, "/b", session: 1, createdAt: noon - 1).get().authorities?
                .certificates == [4]
        )
    }

    @Test func `what was read is forgotten after its time, and what could not be read at once`()
        async throws
    {
        let reads = Mutex(0)
        let files = ConnectionFiles(lifetime: .zero) { _ in
            reads.withLock { $0 += 1 }
            return .success(ConnectionSetup())
        }
        _ = await read(files, "/a", session: 1, createdAt: noon - 1)
        await withCheckedContinuation { continuation in
            // Timers end in order, so that of the result has ended.
            _ = EventLoop.shared.schedule(after: .milliseconds(1)) { continuation.resume() }
        }
        _ = await read(files, "/a", session: 1, createdAt: noon - 1)
        #expect(reads.withLock { $0 } == 2)
        let kept = ConnectionFiles { _ in
            reads.withLock { $0 += 1 }
            return .failure(TransferError(code: .certificateUntrusted, message: "missing"))
        }
        for _ in 1...2 { _ = await read(kept, "/missing", session: 1, createdAt: noon - 1) }
        #expect(reads.withLock { $0 } == 4)
    }

    private func read(
        _ files: ConnectionFiles,
        _ path: String,
        session: SessionID,
        createdAt: Date = ConnectionOwnershipTests.noon
    ) async -> Result<ConnectionSetup, TransferError> {
        await withCheckedContinuation { continuation in
            files.read(
                Wire.Connections(authorityFile: path),
                ofSession: session,
                createdAt: createdAt,
                at: noon
            ) { continuation.resume(returning: $0) }
        }
    }

    @Test func `SEC-8: a file that is missing is named`() async {
        let result = await read(ConnectionFiles(), "/nonexistent/ca.pem", session: 1)
        guard case .failure(let error) = result else {
            Issue.record("it is there")
            return
        }
        #expect(error.code == .certificateUntrusted)
        #expect(error.message.contains("/nonexistent/ca.pem: No such file or directory"))
    }

    // MARK: Transfers

    private static let secrets = [
        Wire.Field(name: "Authorization", value: "Bearer secret"),
        Wire.Field(name: "X-Api-Key", value: "secret"),
        Wire.Field(name: "Accept-Language", value: "de"),
    ]

    /// Runs one task of a session to its end.
    private func run(
        _ task: TaskRecord,
        _ configuration: Wire.SessionConfiguration,
        until condition: () -> Bool
    ) async throws {
        let bench = try await DaemonBench()
        try await bench.store.commit([
            .sampleSession("session", of: "app", configuration: configuration),
            .insertTask(task),
        ])
        try await bench.start()
        try await bench.work { condition() }
        await bench.end()
    }

    private func task(_ url: String, link: String? = nil) -> TaskRecord {
        var task = TaskRecord(
            id: 1,
            sessionID: 1,
            identifier: 1,
            state: .waiting,
            host: Origin(url: link ?? url)?.authority ?? "",
            request: Encoded(Wire.Request.sample(url)),
            createdAt: Date()
        )
        task.link = link.map { Encoded(LinkState(request: .sample($0), number: 1)) }
        return task
    }

    @Test
    func `SEC-2: a session's secrets do not go to another origin that a task was relinked to`()
        async throws
    {
        let server = try FixtureServer()
        server.on("/file", .content(.text("there")))
        var configuration = Wire.SessionConfiguration.sample
        configuration.additionalFields = Self.secrets
        try await run(task("http://first.invalid/file", link: server.url("/file")), configuration) {
            !server.requests.isEmpty
        }
        let fields = try #require(server.requests.first).fields
        let names = fields.map { $0.name.lowercased() }
        #expect(!names.contains("authorization") && !names.contains("x-api-key"))
        #expect(names.contains("accept-language"))
    }

    @Test func `SEC-2: nor after a new task has gone on with what the relinked one has left`()
        async throws
    {
        let server = try FixtureServer()
        server.on("/file", .content(.text("there")))
        let relinked = task("http://first.invalid/file", link: server.url("/file"))
        let link = try #require(relinked.requestToSend)
        let left = Wire.Request(relinked.request(link))
        var next = task(server.url("/file"))
        next.request = Encoded(left)
        var configuration = Wire.SessionConfiguration.sample
        configuration.additionalFields = Self.secrets
        try await run(next, configuration) { !server.requests.isEmpty }
        let names = try #require(server.requests.first).fields.map { $0.name.lowercased() }
        #expect(!names.contains("authorization") && !names.contains("x-api-key"))
        #expect(
            OwnIdentity(HTTPIdentity([1], format: .pem), meantFor: next.ownURL)?
                .identity(for: TransferRequest(link)) == nil
        )
    }

    @Test func `SEC-2: they do go where a task was relinked to within its origin`() async throws {
        let server = try FixtureServer()
        server.on("/new", .content(.text("there")))
        var configuration = Wire.SessionConfiguration.sample
        configuration.additionalFields = Self.secrets
        try await run(task(server.url("/old"), link: server.url("/new")), configuration) {
            !server.requests.isEmpty
        }
        let fields = try #require(server.requests.first).fields
        #expect(fields.contains { $0.name == "Authorization" && $0.value == "Bearer secret" })
    }

    @Test func `SEC-8: a session's transfer goes through the session's proxy`() async throws {
        let proxy = try FixtureServer()
        proxy.on("http://somewhere.invalid/file", .content(.text("through the proxy")))
        var configuration = Wire.SessionConfiguration.sample
        configuration.connections = Wire.Connections(httpProxy: proxy.origin)
        try await run(task("http://somewhere.invalid/file"), configuration) {
            !proxy.requests.isEmpty
        }
        #expect(proxy.requests.count == 1)
    }
}
