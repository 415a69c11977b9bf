import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryTransfer

/// Uploads by tus, to a server that others wrote.
@Suite(.timeLimit(.minutes(2)))
@LoopActor
struct TusUploadTests {
    let client: HTTPClient
    let content = FixtureContent.seeded(47, byteCount: 6_000_007)
    let memory = UploadMemory()

    init() throws {
        var configuration = HTTPClient.Configuration()
        configuration.proxies = .direct
        client = try HTTPClient(configuration: configuration)
    }

    private func upload(
        to url: String,
        _ content: FixtureContent? = nil,
        protocols: ResumableUpload.Protocols = .automatic
    ) -> ResumableUploadProbe {
        ResumableUploadProbe(
            TransferRequest(url: url, method: "POST", idleTimeout: 30),
            ResumableUpload.Body(BytesBodySource((content ?? self.content).bytes)),
            client: client,
            memory: memory,
            ResumableUpload.Configuration(
                protocols: protocols,
                interruptions: .proceed(
                    RetryPolicy(firstDelay: .milliseconds(5), maximumDelay: .milliseconds(100)),
                    timeout: .seconds(30)
                )
            )
        )
    }

    @Test func `tus: what was cut off thirty times is at the server byte by byte`() async throws {
        let server = try await TusServer()
        let relay = try CuttingRelay(to: server.port, cuttingAfter: 100_000, times: 33)
        let probe = upload(to: "http://127.0.0.1:\(relay.port)/files/", protocols: .tus)
        await probe.end()
        #expect(probe.error == nil)
        #expect(probe.head?.status == 204)
        #expect(relay.cuts.taken == 33)
        let name = try #require(server.resources.first)
        #expect(server.resources.count == 1)
        #expect(content.firstDifference(from: try server.contents(of: name)) == nil)
        // Where the upload is, only tus's own answer tells.
        #expect(probe.head?.url.hasSuffix(name) == true)
    }

    @Test func `tus: a server that refuses a plain upload is spoken to in its words`()
        async throws
    {
        let server = try await TusServer()
        let small = FixtureContent.seeded(3, byteCount: 40_000)
        for _ in 0..<2 {
            let probe = upload(to: server.url, small)
            await probe.end()
            #expect(probe.error == nil)
            #expect(probe.head?.status == 201 || probe.head?.status == 204)
        }
        #expect(server.resources.count == 2)
        for name in server.resources {
            #expect(small.firstDifference(from: try server.contents(of: name)) == nil)
        }
        // The second time nothing had to be tried.
        #expect(memory.knowledge.tusCapabilities(at: server.url) != nil)
    }

    @Test func `tus: a large body is preceded by a question`() async throws {
        let server = try await TusServer()
        let large = FixtureContent.seeded(4, byteCount: 17 << 20)
        let probe = upload(to: server.url, large)
        await probe.end()
        #expect(probe.error == nil)
        let name = try #require(server.resources.first)
        #expect(large.firstDifference(from: try server.contents(of: name)) == nil)
    }

    @Test func `tus: what is switched off is not spoken`() async throws {
        let server = try await TusServer()
        let small = FixtureContent.seeded(3, byteCount: 40_000)
        for protocols in [ResumableUpload.Protocols.off, .drafts] {
            let probe = upload(to: server.url, small, protocols: protocols)
            await probe.end()
            #expect(probe.head?.status == 412)
        }
        #expect(server.resources.isEmpty)
    }

    @Test func `tus: an upload that is given up is deleted`() async throws {
        let server = try ChecksumServer(takesNothing: true)
        let probe = upload(to: server.url, protocols: .tus)
        try await server.waitForRequest("PATCH")
        probe.upload?.terminate()
        try await server.waitForRequest("DELETE")
    }

    @Test func `a server without tus gets a large body all the same`() async throws {
        let server = try FixtureServer()
        server.on("/in") { $0.method == "OPTIONS" ? .status(405) : .content(.text("thanks")) }
        let large = FixtureContent.seeded(4, byteCount: 17 << 20)
        for count in 1...2 {
            let probe = upload(to: server.url("/in"), large)
            await probe.end()
            #expect(probe.text == "thanks")
            // It is asked once.
            #expect(
                server.requests.map(\.method) == ["OPTIONS"]
                    + Array(repeating: "POST", count: count)
            )
        }
    }

    @Test func `tus: parts are made sure of where the server can check them`() async throws {
        let server = try ChecksumServer()
        let large = FixtureContent.seeded(5, byteCount: 9_000_000)
        let probe = upload(to: server.url, large, protocols: .tus)
        await probe.end()
        #expect(probe.error == nil)
        // One was damaged on its way, and is sent once more.
        #expect(server.parts == [4 << 20, 4 << 20, 4 << 20, 9_000_000 - (8 << 20)])
        #expect(large.firstDifference(from: server.bytes) == nil)
    }
}
