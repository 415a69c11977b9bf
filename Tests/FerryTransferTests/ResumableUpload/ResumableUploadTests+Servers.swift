import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryTransfer

/// Servers that do nothing of this, or another version.
extension ResumableUploadTests {
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
}
