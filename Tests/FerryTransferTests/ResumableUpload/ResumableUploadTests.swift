import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryTransfer

/// Uploads against a server that speaks the drafts, and is cut off, slow to remember or a liar.
@Suite(.timeLimit(.minutes(2)))
@LoopActor
struct ResumableUploadTests {
    let client: HTTPClient
    let content = FixtureContent.seeded(41, byteCount: 1_000_003)
    let memory = UploadMemory()

    nonisolated static let versions = [3, 5, 6, 8]

    init() throws {
        var configuration = HTTPClient.Configuration()
        configuration.proxies = .direct
        client = try HTTPClient(configuration: configuration)
    }

    func configuration(
        timeout: Duration? = .seconds(30),
        _ protocols: ResumableUpload.Protocols = .automatic
    ) -> ResumableUpload.Configuration {
        ResumableUpload.Configuration(
            protocols: protocols,
            interruptions: .proceed(
                RetryPolicy(firstDelay: .milliseconds(2), maximumDelay: .milliseconds(20)),
                timeout: timeout
            )
        )
    }

    /// Has the next upload offer what the server speaks.
    func teach(_ server: UploadServer) throws {
        let origin = try #require(Origin(url: server.url("/")))
        let draft = try #require(UploadProtocol(interopVersion: server.version))
        memory.knowledge.record(.proof(draft, origin))
    }

    func upload(
        to server: UploadServer,
        _ fields: [(String, String)] = [],
        method: String = "PUT",
        resource: UploadResource? = nil,
        teaching: Bool = true,
        timeout: Duration? = .seconds(30)
    ) throws -> ResumableUploadProbe {
        if teaching { try teach(server) }
        return ResumableUploadProbe(
            TransferRequest(
                url: server.url("/in"),
                method: method,
                fields: fields.map { HTTPField(name: $0.0, value: $0.1) },
                idleTimeout: 30
            ),
            ResumableUpload.Body(BytesBodySource(content.bytes)),
            resource: resource,
            client: client,
            memory: memory,
            configuration(timeout: timeout)
        )
    }

    func difference(_ server: UploadServer) -> Int? {
        content.firstDifference(from: server.contents(of: "/in"))
    }

    // MARK: - Cuts

    @Test(arguments: versions)
    func `UP-6: what was cut off forty times is at the server byte by byte`(
        version: Int
    ) async throws {
        let server = try UploadServer(version: version) { request in
            guard ["PUT", "PATCH"].contains(request.method), request.number < 80 else {
                return UploadBehaviour()
            }
            let count = 7_001 + request.number * 211
            // A reset may overtake the interim response to the first request.
            let isReset = request.method == "PATCH" && request.number % 4 == 0
            return .cutting(after: count, isReset: isReset)
        }
        let probe = try upload(to: server)
        await probe.end()
        #expect(probe.error == nil)
        #expect(probe.head?.status == 200)
        #expect(probe.text == "thanks")
        #expect(difference(server) == nil)
        #expect(server.violations == [])
        #expect(server.requests.count { $0.method == "PATCH" } == 40)
        #expect(server.requests.count { $0.method == "HEAD" } == 40)
    }

    @Test(arguments: versions)
    func `UP-7: the offset may go back`(version: Int) async throws {
        let server = try UploadServer(version: version) { request in
            switch (request.method, request.number) {
            case ("PUT", _): .cutting(after: 500_000)
            case ("HEAD", _): .with { $0.forgets = 123_456 }
            case ("PATCH", ..<8): .cutting(after: 200_000)
            default: UploadBehaviour()
            }
        }
        let probe = try upload(to: server)
        await probe.end()
        #expect(probe.error == nil)
        #expect(difference(server) == nil)
        #expect(server.violations == [])
    }

    @Test(arguments: versions)
    func `UP-7: after a 5xx the server is asked what it has`(version: Int) async throws {
        let server = try UploadServer(version: version) { request in
            switch request.number {
            case 0: .cutting(after: 10_000)
            case 1: .answering(503)
            case 3: .answering(502)
            default: UploadBehaviour()
            }
        }
        let probe = try upload(to: server)
        await probe.end()
        #expect(probe.error == nil)
        #expect(server.requests.map(\.method) == ["PUT", "HEAD", "HEAD", "PATCH", "HEAD", "PATCH"])
        #expect(difference(server) == nil)
    }

    @Test func `what the server limits is sent in parts`() async throws {
        let server = try UploadServer(version: 8, limit: "max-size=9999999, max-append-size=150000")
        {
            $0.number == 0 ? .cutting(after: 100_003) : UploadBehaviour()
        }
        let probe = try upload(to: server)
        await probe.end()
        #expect(probe.error == nil)
        #expect(probe.text == "thanks")
        #expect(
            server.requests.map(\.method) == ["PUT", "HEAD"] + Array(repeating: "PATCH", count: 6)
        )
        #expect(server.violations == [])
        #expect(difference(server) == nil)
    }

    // MARK: - Bodies

    @Test func `UP-10: a body that was changed is not continued`() async throws {
        let server = try UploadServer(version: 8) { request in
            request.method == "PUT" ? .cutting(after: 1_000) : UploadBehaviour()
        }
        try teach(server)
        let changed = TransferError(code: .fileChanged, message: "")
        let probe = ResumableUploadProbe(
            TransferRequest(url: server.url("/in"), method: "PUT"),
            ResumableUpload.Body(BytesBodySource(content.bytes)) { $0(changed) },
            client: client,
            memory: memory,
            configuration()
        )
        await probe.end()
        #expect(probe.error == changed)
        #expect(probe.resources.last == .some(nil))
        #expect(server.requests.map(\.method) == ["PUT"])
    }

    @Test func `UP-10: the rest of a stream is asked for where it begins`() async throws {
        let server = try UploadServer(version: 8) { request in
            request.number < 4 && request.method != "HEAD"
                ? .cutting(after: 100_000) : UploadBehaviour()
        }
        try teach(server)
        let decider = StreamingDecider(content)
        let probe = ResumableUploadProbe(
            TransferRequest(url: server.url("/in"), method: "PUT"),
            ResumableUpload.Body(onDemand: nil),
            client: client,
            memory: memory,
            decider: decider,
            configuration()
        )
        await probe.end()
        #expect(probe.error == nil)
        #expect(decider.offsets == [0, 100_000, 200_000])
        #expect(difference(server) == nil)
        #expect(server.violations == [])
    }

    // MARK: - Giving up

    @Test func `an upload that is given up is taken back from the server`() async throws {
        let server = try UploadServer(version: 8) { request in
            request.method == "PUT" ? .cutting(after: 1_000) : .answering(503)
        }
        let probe = try upload(to: server)
        await probe.resourceToCome()
        probe.upload?.terminate()
        await server.waitUntil { $0.requests.contains { $0.method == "DELETE" } }
        #expect(server.requests.last?["Upload-Draft-Interop-Version"] == "8")
    }

    @Test func `an upload that is only let go of stays at the server`() async throws {
        let letGo = FixtureGate()
        // The first one is to come no further, however long it is kept.
        let server = try UploadServer(version: 8) { request in
            if request.number == 0 { return .cutting(after: 1_000) }
            return letGo.isOpen ? UploadBehaviour() : .answering(503)
        }
        let first = try upload(to: server)
        await first.resourceToCome()
        let resource = try #require(first.upload?.resource)
        first.upload?.cancel()
        letGo.open()
        let second = try upload(to: server, resource: resource)
        await second.end()
        #expect(second.error == nil)
        #expect(difference(server) == nil)
        #expect(server.requests.contains { $0.method == "DELETE" } == false)
    }
}
