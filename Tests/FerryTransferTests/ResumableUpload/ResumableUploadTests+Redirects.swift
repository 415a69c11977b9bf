import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryTransfer

/// Where requests go, and what goes along.
extension ResumableUploadTests {
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
}
