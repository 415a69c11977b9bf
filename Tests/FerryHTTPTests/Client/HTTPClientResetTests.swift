import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

/// What an HTTP/2 server resets is sent again only if the server has not processed it.
@Suite(.timeLimit(.minutes(1))) @LoopActor struct HTTPClientResetTests {
    private func requests(
        after code: ResettingServer.Code,
        endsConnection: Bool = false,
        isKept: Bool = true
    ) async throws -> (requests: [String], error: HTTPError?) {
        let home = try TestHome()
        let authority = try await TestAuthority(in: home)
        let server = try await ResettingServer(
            in: home,
            authority: authority,
            code: code,
            endsConnection: endsConnection
        )
        let file = authority.file
        let client = try HTTPClient.local { $0.certificateAuthorityFile = file }
        let url = "https://127.0.0.1:\(server.port)/"
        func request(_ method: String) -> HTTPRequest {
            // One with a body would go by HTTP/1.1.
            HTTPRequest(url: url, method: method, protocolChoice: .http2)
        }
        if isKept { #expect(try await client.fetch(request("GET")).error == nil) }
        let error = try await client.fetch(request("POST")).error
        return (server.requests, error)
    }

    @Test(arguments: [true, false])
    func `RFC 9110 §9.2.2: a POST that a server may have processed is not sent again`(
        endsConnection: Bool
    ) async throws {
        let (requests, error) = try await requests(
            after: .internalError,
            endsConnection: endsConnection
        )
        #expect(requests == ["h2 GET", "h2 POST"])
        #expect(error != nil)
    }

    @Test func `RFC 9113 §8.7: a POST that a server refuses on a new connection is sent again`()
        async throws
    {
        let (requests, error) = try await requests(after: .refusedStream, isKept: false)
        #expect(requests == ["h2 POST", "h2 POST"])
        #expect(error == nil)
    }

    @Test func `RFC 9110 §9.2.2: on a kept connection a refusal looks like any other end`()
        async throws
    {
        let (requests, error) = try await requests(after: .refusedStream)
        #expect(requests == ["h2 GET", "h2 POST"])
        #expect(error?.code == .connectionLost)
    }

    @Test(arguments: [true, false])
    func `RFC 9113 §7: a POST for which a server wants HTTP/1.1 is sent so`(
        isKept: Bool
    ) async throws {
        let (requests, error) = try await requests(after: .http11Required, isKept: isKept)
        #expect(requests == (isKept ? ["h2 GET"] : []) + ["h2 POST", "http/1.1 POST"])
        #expect(error == nil)
    }
}
