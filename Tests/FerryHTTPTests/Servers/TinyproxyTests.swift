import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

/// What tests of transfers rely on in their proxy.
///
/// libcurl reads its proxies from the environment, which belongs to a whole process: each test has
/// one of its own.
@Suite(.timeLimit(.minutes(1))) struct TinyproxyTests {
    @Test func `requests pass through it`() async {
        await #expect(processExitsWith: .success) { @LoopActor in
            let home = try TestHome()
            let proxy = try await Tinyproxy(in: home)
            let server = try FixtureServer()
            server.on("/song", .content(.text("la")))
            ProcessEnvironment.set("http_proxy", proxy.url())
            let probe = try await HTTPClient.local { $0.proxies = .environment }
                .fetch(HTTPRequest(url: server.url("/song")))
            #expect(probe.error == nil)
            #expect(probe.text == "la")
            #expect(proxy.requests == ["GET \(server.url("/song")) HTTP/1.1"])
            #expect(proxy.connectionCount == 1)
            #expect(server.requests.map { $0["Via"]?.contains("tinyproxy") } == [true])
        }
    }

    @Test func `TLS goes through a tunnel`() async {
        await #expect(processExitsWith: .success) { @LoopActor in
            let home = try TestHome()
            let proxy = try await Tinyproxy(in: home)
            let authority = try await TestAuthority(in: home)
            let nginx = try await Nginx(in: home, authority: authority)
            ProcessEnvironment.set("https_proxy", proxy.url())
            let client = try HTTPClient.local {
                $0.proxies = .environment
                $0.certificateAuthorityFile = authority.file
            }
            let probe = try await client.fetch(
                HTTPRequest(url: nginx.url("echo", by: .secure), protocolChoice: .http2)
            )
            #expect(probe.error == nil)
            #expect(Nginx.Echo(probe.text)["protocol"] == "HTTP/2.0")
            let port = nginx.port(.secure)
            #expect(proxy.requests == ["CONNECT 127.0.0.1:\(port) HTTP/1.1"])
        }
    }

    @Test func `it asks for a password where it is told to`() async {
        await #expect(processExitsWith: .success) { @LoopActor in
            let home = try TestHome()
            let credentials = Tinyproxy.Credentials()
            let proxy = try await Tinyproxy(in: home, asksFor: credentials)
            let server = try FixtureServer()
            server.on("/song", .content(.text("la")))
            let request = HTTPRequest(url: server.url("/song"))
            ProcessEnvironment.set("http_proxy", proxy.url())
            let refused = try await HTTPClient.local { $0.proxies = .environment }
                .fetch(request)
            #expect(try refused.head.status == 407)
            #expect(
                try refused.head.fields.first(named: "Proxy-Authenticate")
                    == "Basic realm=\"Tinyproxy\""
            )
            #expect(server.requests.isEmpty)
            ProcessEnvironment.set("http_proxy", proxy.url(with: credentials))
            let served = try await HTTPClient.local { $0.proxies = .environment }
                .fetch(request)
            #expect(served.text == "la")
            #expect(proxy.requests.count == 2)
            #expect(proxy.connectionCount == 1)
        }
    }
}
