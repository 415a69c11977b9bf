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

    private func configuration(
        patience: Duration? = .seconds(30),
        _ protocols: ResumableUpload.Protocols = .automatic
    ) -> ResumableUpload.Configuration {
        ResumableUpload.Configuration(
            protocols: protocols,
            interruptions: .goOn(
                RetryPolicy(firstDelay: .milliseconds(2), maximumDelay: .milliseconds(20)),
                patience: patience
            )
        )
    }

    /// Has the next upload offer what the server speaks.
    private func teach(_ server: UploadServer) throws {
        let origin = try #require(Origin(url: server.url("/")))
        let draft = try #require(UploadProtocol(interopVersion: server.version))
        memory.knowledge.note(.proof(draft, origin))
    }

    private func upload(
        to server: UploadServer,
        _ fields: [(String, String)] = [],
        method: String = "PUT",
        resource: UploadResource? = nil,
        teaching: Bool = true,
        patience: Duration? = .seconds(30)
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
            configuration(patience: patience)
        )
    }

    private func difference(_ server: UploadServer) -> Int? {
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

    // MARK: - Servers without

    @Test func `UP-1, UP-4: a server that does nothing of this sees one upload and no more`()
        async throws
    {
        let server = try FixtureServer()
        server.on("/in", .content(.text("hello")))
        let probe = ResumableUploadProbe(
            TransferRequest(url: server.url("/in"), method: "POST"),
            ResumableUpload.Body(BytesBodySource(content.bytes)),
            client: client,
            memory: memory,
            configuration()
        )
        await probe.end()
        #expect(probe.text == "hello")
        #expect(probe.resources.isEmpty)
        let request = try #require(server.requests.first)
        #expect(server.requests.count == 1)
        #expect(request["Upload-Draft-Interop-Version"] == "8")
        #expect(request["Upload-Complete"] == "?1")
        #expect(content.firstDifference(from: request.body) == nil)
        #expect(probe.request?.fields == [])
    }

    @Test func `UP-4: without the interim response a cut is a failure`() async throws {
        let server = try UploadServer(version: 8) { _ in
            .with {
                $0.cut = 10_000
                $0.announces = false
            }
        }
        let probe = try upload(to: server)
        await probe.end()
        #expect(probe.error?.code == .connectionLost)
        #expect(server.requests.count == 1)
        #expect(probe.resources.isEmpty)
    }

    @Test func `UP-3: an interim response in another version proves nothing, and is remembered`()
        async throws
    {
        let server = try UploadServer(version: 6) { request in
            request.number == 0
                ? .with {
                    $0.announcedVersion = 6
                    $0.cut = 20_000
                } : UploadBehaviour()
        }
        let first = try upload(to: server, teaching: false)
        await first.end()
        #expect(first.error?.code == .connectionLost)
        #expect(first.resources.isEmpty)
        let second = try upload(to: server, teaching: false)
        await second.end()
        #expect(second.error == nil)
        #expect(server.requests.map { $0["Upload-Draft-Interop-Version"] } == ["8", "6"])
        #expect(second.resources.count == 1)
    }

    @Test func `UP-2: a server that is silent is offered one version after the other`() async throws
    {
        let server = try UploadServer(version: 3)
        for _ in 0..<5 {
            let probe = try upload(to: server, teaching: false)
            await probe.end()
            #expect(probe.error == nil)
        }
        let offered = server.requests.map { $0["Upload-Draft-Interop-Version"] }
        #expect(offered == ["8", "6", "5", "3", "3"])
        #expect(server.violations == [])
    }

    @Test func `UP-13: methods without a body of their own offer nothing`() async throws {
        let server = try UploadServer(version: 8)
        let probe = try upload(to: server, method: "DELETE")
        await probe.end()
        #expect(server.requests.first?["Upload-Draft-Interop-Version"] == nil)
    }

    @Test func `an app that does this itself is left alone`() async throws {
        let server = try UploadServer(version: 8)
        let probe = try upload(to: server, [("Upload-Complete", "?0")])
        await probe.end()
        #expect(server.requests.first?["Upload-Draft-Interop-Version"] == nil)
    }

    // MARK: - Lies

    @Test(arguments: versions)
    func `UP-7: an offset beyond the end is a lie`(version: Int) async throws {
        let server = try UploadServer(version: version) { request in
            request.method == "PUT"
                ? .cutting(after: 1_000) : .with { $0.claimedOffset = 1_000_004 }
        }
        let probe = try upload(to: server)
        await probe.end()
        #expect(probe.error?.code == .badServerResponse)
        #expect(server.requests.count == 2)
        #expect(probe.resources.last == .some(nil))
    }

    @Test(arguments: versions)
    func `UP-9: a success with a wrong offset is a failure`(version: Int) async throws {
        let server = try UploadServer(version: version) { _ in .with { $0.claimedOffset = 999_999 }
        }
        let probe = try upload(to: server)
        await probe.end()
        #expect(probe.error?.code == .badServerResponse)
        #expect(probe.head == nil)
    }

    @Test(arguments: versions)
    func `UP-9: a part with a wrong offset is a failure`(version: Int) async throws {
        let server = try UploadServer(version: version) { request in
            switch request.method {
            case "PUT": .cutting(after: 1_000)
            case "PATCH": .with { $0.claimedOffset = 5 }
            default: UploadBehaviour()
            }
        }
        let probe = try upload(to: server)
        await probe.end()
        #expect(probe.error?.code == .badServerResponse)
        #expect(probe.head == nil)
    }

    @Test(arguments: versions)
    func `an answer that was lost is not made up for`(version: Int) async throws {
        let server = try UploadServer(version: version) { request in
            request.method == "PUT" ? .with { $0.losesAnswer = true } : UploadBehaviour()
        }
        let probe = try upload(to: server)
        await probe.end()
        #expect(probe.error?.code == .answerLost)
        #expect(server.requests.map(\.method) == ["PUT", "HEAD"])
        #expect(probe.resources.last == .some(nil))
    }

    @Test(arguments: versions)
    func `bytes that are all there and not complete are completed by an empty part`(
        version: Int
    ) async throws {
        let server = try UploadServer(version: version) { request in
            request.method == "PUT" ? .cutting(after: 1_000_002) : UploadBehaviour()
        }
        let probe = try upload(to: server)
        await probe.end()
        #expect(probe.error == nil)
        #expect(difference(server) == nil)
    }

    @Test(arguments: [404, 410])
    func `UP-7: what the server has forgotten cannot be continued`(status: Int) async throws {
        let server = try UploadServer(version: 8) { request in
            request.method == "PUT" ? .cutting(after: 1_000) : .answering(status)
        }
        let probe = try upload(to: server)
        await probe.end()
        #expect(probe.error?.code == .uploadGone)
        #expect(server.requests.count == 2)
        #expect(probe.resources.last == .some(nil))
    }

    @Test(arguments: [400, 401, 403, 409, 423])
    func `UP-7: after a 4xx nothing is tried again`(status: Int) async throws {
        let server = try UploadServer(version: 8) { request in
            request.method == "PUT" ? .cutting(after: 1_000) : .answering(status)
        }
        let probe = try upload(to: server)
        await probe.end()
        #expect(probe.error?.code == .badServerResponse)
        #expect(server.requests.count == 2)
        // The app may try, when whatever is wrong was put right.
        #expect(probe.upload?.resource != nil)
    }

    @Test func `UP-7: a part in the wrong place is not tried again`() async throws {
        let server = try UploadServer(version: 8) { request in
            switch request.method {
            case "PUT": .cutting(after: 1_000)
            case "PATCH": .answering(409)
            default: UploadBehaviour()
            }
        }
        let probe = try upload(to: server)
        await probe.end()
        #expect(probe.error?.code == .badServerResponse)
        #expect(server.requests.map(\.method) == ["PUT", "HEAD", "PATCH", "HEAD"])
        #expect(probe.upload?.resource != nil)
    }

    @Test func `bytes that reach the server after it has told what it has are not sent again`()
        async throws
    {
        let server = try UploadServer(version: 8) { request in
            switch request.number {
            case 0: .cutting(after: 1_000)
            case 1: .with { $0.claimedOffset = 600 }
            default: UploadBehaviour()
            }
        }
        let probe = try upload(to: server)
        await probe.end()
        #expect(probe.error == nil)
        let offsets = server.requests.map { $0["Upload-Offset"] }
        #expect(server.requests.map(\.method) == ["PUT", "HEAD", "PATCH", "HEAD", "PATCH"])
        #expect(offsets == [nil, nil, "600", nil, "1000"])
        #expect(server.violations == [])
    }

    @Test func `a server that wants a part elsewhere time and again is not obeyed for ever`()
        async throws
    {
        let server = try UploadServer(version: 8) { request in
            switch request.method {
            case "PUT": .cutting(after: 1_000)
            case "HEAD": .with { $0.claimedOffset = 1_000 - request.number }
            default: .answering(409)
            }
        }
        let probe = try upload(to: server)
        await probe.end()
        #expect(probe.error?.code == .badServerResponse)
        #expect(server.requests.map(\.method) == ["PUT", "HEAD", "PATCH", "HEAD", "PATCH"])
    }

    @Test func `what the app's server refuses is the answer`() async throws {
        let server = try UploadServer(version: 8) { request in
            switch request.method {
            case "PUT": .cutting(after: 1_000)
            case "PATCH": .answering(500, [("Upload-Complete", "?1")])
            default: UploadBehaviour()
            }
        }
        let probe = try upload(to: server)
        await probe.end()
        #expect(probe.error == nil)
        #expect(probe.head?.status == 500)
        #expect(probe.text == "no")
    }

    @Test func `UP-5: without progress, patience ends`() async throws {
        let server = try UploadServer(version: 8) { request in
            request.method == "HEAD"
                ? UploadBehaviour() : .cutting(after: request.number == 0 ? 9 : 0)
        }
        let probe = try upload(to: server, patience: .milliseconds(150))
        await probe.end()
        #expect(probe.error?.code == .connectionLost)
        #expect(probe.upload?.resource != nil)
        #expect(server.requests.count > 4)
        #expect(server.violations == [])
    }

    // MARK: - Redirects and places

    @Test(arguments: [301, 302, 303])
    func `UP-8: a redirect that may change the method is not followed`(
        status: Int
    ) async throws {
        let server = try UploadServer(version: 8) { request in
            request.method == "PUT"
                ? .cutting(after: 1_000) : .answering(status, [("Location", "/resources/1")])
        }
        let probe = try upload(to: server)
        await probe.end()
        #expect(probe.error?.code == .badServerResponse)
        #expect(server.requests.count == 2)
    }

    @Test(arguments: [307, 308])
    func `UP-8: 308 moves the upload, 307 the next part`(status: Int) async throws {
        let server = try UploadServer(version: 8) { request in
            switch (request.method, request.target) {
            case ("PUT", _):
                .with {
                    $0.cut = 1_000
                    $0.location = "/old"
                }
            case (_, "/old"): .answering(status, [("Location", "/resources/1")])
            case ("PATCH", _) where request.number < 4: .cutting(after: 2_000)
            default: UploadBehaviour()
            }
        }
        let probe = try upload(to: server)
        await probe.end()
        #expect(probe.error == nil)
        #expect(difference(server) == nil)
        let asked = server.requests.filter { $0.method == "HEAD" }.map(\.target)
        let moved = ["/old", "/resources/1"]
        #expect(asked == moved + (status == 308 ? ["/resources/1"] : moved))
        #expect(server.requests.allSatisfy { $0.method != "PATCH" || $0.target == "/resources/1" })
    }

    @Test func `UP-13: what the app has set goes along, and what describes the body does not`()
        async throws
    {
        let server = try UploadServer(version: 6) { request in
            request.method == "PUT" ? .cutting(after: 1_000) : UploadBehaviour()
        }
        let probe = try upload(
            to: server,
            [("X-Token", "secret"), ("Content-Type", "image/png"), ("Content-Digest", "x")]
        )
        await probe.end()
        #expect(probe.error == nil)
        #expect(server.requests.map { $0["X-Token"] } == ["secret", "secret", "secret"])
        #expect(
            server.requests.map { $0["Content-Type"] }
                == ["image/png", nil, "application/partial-upload"]
        )
        #expect(server.requests.map { $0["Content-Digest"] } == ["x", nil, nil])
        #expect(probe.head?.url == server.url("/in"))
        #expect(probe.request?.url == server.url("/in"))
    }

    @Test(arguments: [3, 5])
    func `UP-6: in the first drafts a part has the type of the whole`(version: Int) async throws {
        let server = try UploadServer(version: version) { request in
            request.method == "PUT" ? .cutting(after: 1_000) : UploadBehaviour()
        }
        let probe = try upload(to: server, [("Content-Type", "image/png")])
        await probe.end()
        #expect(server.requests.last?["Content-Type"] == "image/png")
    }

    @Test func `secrets stay with the origin that they were given for`() async throws {
        let other = try UploadServer(version: 8)
        // The other one has a resource that waits for its bytes.
        let server = try UploadServer(version: 8) { [url = other.url("/resources/1")] _ in
            .with {
                $0.cut = 0
                $0.location = url
            }
        }
        let preparation = ResumableUploadProbe(
            TransferRequest(url: other.url("/in"), method: "PUT"),
            ResumableUpload.Body(BytesBodySource([UInt8]())),
            client: client,
            memory: memory,
            configuration()
        )
        await preparation.end()
        let probe = try upload(to: server, [("Authorization", "secret"), ("X-Token", "secret")])
        await probe.end()
        let asked = other.requests.dropFirst()
        #expect(asked.first?.method == "HEAD")
        #expect(asked.allSatisfy { $0["Authorization"] == nil && $0["X-Token"] == nil })
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
            ResumableUpload.Body(BytesBodySource(content.bytes)) { changed },
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
        let server = try UploadServer(version: 8) { request in
            request.number == 0 ? .cutting(after: 1_000) : UploadBehaviour()
        }
        let first = try upload(to: server)
        await first.resourceToCome()
        let resource = try #require(first.upload?.resource)
        first.upload?.cancel()
        let second = try upload(to: server, resource: resource)
        await second.end()
        #expect(second.error == nil)
        #expect(difference(server) == nil)
        #expect(server.requests.contains { $0.method == "DELETE" } == false)
    }
}
