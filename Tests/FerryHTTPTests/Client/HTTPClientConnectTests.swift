import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryHTTP

/// Connections that are not made, or not with TLS.
@Suite(.timeLimit(.minutes(1))) @LoopActor struct HTTPClientConnectTests {
    // MARK: Time

    @Test func `HTTP-5: where packets are dropped, the time for connecting ends the attempt`()
        async throws
    {
        let silent = try SilentPort()
        let start = EventLoop.now
        var request = HTTPRequest(url: "http://127.0.0.1:\(silent.port)/", idleTimeout: .zero)
        request.connectTimeout = .milliseconds(200)
        let probe = try await HTTPClient.local().fetch(request)
        #expect(probe.error?.code == .timedOut)
        #expect(EventLoop.now - start >= .milliseconds(200))
        withExtendedLifetime(silent) {}
    }

    @Test func `HTTP-5: the client's time counts where a request names none, and is 15 s`()
        async throws
    {
        #expect(HTTPClient.Configuration(environment: [:]).connectTimeout == .seconds(15))
        let silent = try SilentPort()
        let client = try HTTPClient.local { $0.connectTimeout = .milliseconds(100) }
        let probe = try await client.fetch(
            HTTPRequest(url: "http://127.0.0.1:\(silent.port)/", idleTimeout: .zero)
        )
        #expect(probe.error?.code == .timedOut)
        withExtendedLifetime(silent) {}
    }

    @Test func `HTTP-5: a server that is silent in the handshake is not waited for longer`()
        async throws
    {
        let silent = try SilentPort(accepts: true)
        var request = HTTPRequest(url: "https://127.0.0.1:\(silent.port)/", idleTimeout: .zero)
        request.connectTimeout = .milliseconds(200)
        let probe = try await HTTPClient.local().fetch(request)
        #expect(probe.error?.code == .timedOut)
        withExtendedLifetime(silent) {}
    }

    @Test func `HTTP-5: neither a slow answer nor the wait for a connection counts`() async throws {
        let gate = FixtureGate()
        let server = try FixtureServer()
        server.on("/slow", .content(.text("late")).waiting(at: gate))
        let client = try HTTPClient.local {
            $0.connectTimeout = .milliseconds(150)
            $0.maximumConnectionsPerHost = 1
        }
        let probes = [ExchangeProbe(), ExchangeProbe()]
        for probe in probes {
            client.start(HTTPRequest(url: server.url("/slow"), idleTimeout: .zero), handler: probe)
        }
        await withCheckedContinuation { done in
            _ = EventLoop.shared.schedule(after: .milliseconds(400)) { done.resume() }
        }
        gate.open()
        for probe in probes {
            try await probe.finished()
            #expect(probe.error == nil)
            #expect(probe.text == "late")
        }
    }

    // MARK: Ports without TLS

    @Test(arguments: [
        "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n<html>", "HTTP/1.0 200 OK\r\n\r\n",
        "<html><body>login", "SSH-2.0-OpenSSH_9.2p1 Debian\r\n", "220 mail.example.org ESMTP\r\n",
        "* OK IMAP4rev1\r\n", "+OK POP3\r\n", "\n\n\n\n\n\n",
        "\u{0}\u{0}\u{6}\u{4}\u{0}\u{0}\u{0}\u{0}\u{0}",
        "\u{16}\u{3}\u{3}\u{7f}\u{7f}garbage",
    ])
    func `HTTP-8: an answer that is no TLS is final, and says so`(answer: String) async throws {
        let server = try FirstAnswerServer(Array(answer.utf8))
        let probe = try await HTTPClient.local().fetch(
            HTTPRequest(url: "https://127.0.0.1:\(server.port)/")
        )
        #expect(probe.error?.code == .serverWithoutTLS)
        #expect(probe.error?.message.contains("does not speak TLS") == true)
        server.stop()
    }

    /// Nothing, less than a record's header, an alert, and an end by a reset.
    @Test(arguments: [
        ([], FirstAnswerServer.End.closed), ([], .reset), ([0x78], .closed), ([0x16, 3], .closed),
        ([0x15, 3, 3, 0, 2, 2, 40], .closed), ([0x15, 3, 3, 0, 2, 2, 70], .closed),
        ([0x16, 3, 3, 0, 4, 1, 1, 1, 1], .reset),
    ])
    func `HTTP-8: an end without an answer, or an alert, is no proof`(
        answer: [UInt8],
        end: FirstAnswerServer.End
    ) async throws {
        let server = try FirstAnswerServer(answer, end: end)
        let probe = try await HTTPClient.local().fetch(
            HTTPRequest(url: "https://127.0.0.1:\(server.port)/")
        )
        #expect(probe.error?.code == .secureConnectionFailed)
        server.stop()
    }

    // MARK: Addresses

    /// Addresses with a password, and what is wrong with them.
    nonisolated static let badProxies = [
        "http://user:hunter2@127.0.0.1:99999", "http://user:hunter2@127.0.0.1:0",
        "http://user:hunter2@127.0.0.1:-1", "http://user:hunter2@127.0.0.1:8o",
        "http://user:hunter2@127.0.0.1:80:80", "gopher://user:hunter2@127.0.0.1:80",
        "://user:hunter2@127.0.0.1:80", "socks6://user:hunter2@127.0.0.1",
        "http://user:hunter2@[::1:80", "http://user:hunter2@[::g]:80",
        "http://user:hunter2@[::1]80", "http://user:hunter2@::1]:80", "http://user:hunter2@",
        "http://user:hunter2@:80", "user:hunter2@", "http://user:hunter2@a b:80",
        "http://user:hunter2 @127.0.0.1:80", "http://user:hunter2@127.0.0.1:80\n",
        "http://user:hunter2/@127.0.0.1:80", "http://user:hunter2?@127.0.0.1:80",
        "http://user:hunter2#@127.0.0.1:80", "http://user:hunter2%00@127.0.0.1:80",
        "http://user:hunter2@a\\b:80", "http://user:hunter2@a|b", "user:hunter2@127.0.0.1:99999",
    ]

    @Test(arguments: badProxies, ["http", "https"])
    func `SEC-13: a proxy's address that cannot be used is named without its password`(
        address: String,
        scheme: String
    ) async throws {
        let proxy = HTTPProxy(address: address)
        let client = try HTTPClient.local {
            $0.proxies = HTTPProxyList(http: proxy, https: proxy)
        }
        let probe = try await client.fetch(HTTPRequest(url: "\(scheme)://127.0.0.1:9/"))
        let error = try #require(probe.error)
        #expect(error.code == .cannotConnectToHost)
        #expect(error.message.hasPrefix("The proxy's address cannot be used: "))
        #expect(!"\(error)".contains("hunter2") && !"\(error)".contains("user:"))
    }

    @Test(arguments: [
        "http://user:hunter2@127.0.0.1:99999/", "http://user:hunter2@127.0.0.1:x/",
        "http://user:hunter2@[::1/", "http://user:hunter2@[::g]/", "http://user:hunter2@/",
        "http://user:hunter2@a b/", "http://user:hunter2@a\\b/", "gopher://user:hunter2@a/",
        "user:hunter2@a", "http://user:hunter2@a:80:80/",
        "http://", "http:", "",
        "http://user:hunter2@\u{7f}/",
    ])
    func `SEC-13: an address that cannot be requested is named without its password`(
        url: String
    ) async throws {
        let probe = try await HTTPClient.local().fetch(HTTPRequest(url: url))
        let error = try #require(probe.error)
        #expect([.badURL, .unsupportedURL].contains(error.code))
        #expect(!"\(error)".contains("hunter2"))
    }
}
