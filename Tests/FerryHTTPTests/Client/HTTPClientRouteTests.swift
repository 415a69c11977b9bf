import FerrySystem
import FerryTestSupport
import Foundation
import Testing

@testable import FerryHTTP

/// Which interface and which addresses connections use.
@Suite(.timeLimit(.minutes(1))) @LoopActor struct HTTPClientRouteTests {
    private func fetch(_ url: String, _ route: HTTPRoute) async throws -> ExchangeProbe {
        try await HTTPClient.local { $0.route = route }.fetch(HTTPRequest(url: url))
    }

    private func entry(_ port: UInt16, _ addresses: String...) -> HTTPRoute.HostAddresses {
        .init(host: "files.invalid", port: port, addresses: addresses)
    }

    @Test func `a host with an address of its own is not looked up`() async throws {
        let server = try FixtureServer()
        server.on("/a", .content(.text("here")))
        let url = "http://files.invalid:\(server.port)/a"
        let route = HTTPRoute(hosts: [entry(server.port, "127.0.0.1")])
        #expect(try await fetch(url, route).text == "here")
        #expect(server.requests.map { $0["Host"] } == ["files.invalid:\(server.port)"])
        // The address is of another port.
        let other = try await fetch(url, HTTPRoute(hosts: [entry(server.port &+ 1, "127.0.0.1")]))
        #expect(
            other.error?.code == .cannotFindHost || other.error?.code == .notConnectedToInternet
        )
    }

    @Test func `of several addresses, one that responds is used`() async throws {
        let server = try FixtureServer()
        server.on("/a", .content(.text("here")))
        // Nothing listens at the first.
        let route = HTTPRoute(hosts: [entry(server.port, "127.0.0.99", "127.0.0.1")])
        #expect(try await fetch("http://files.invalid:\(server.port)/a", route).text == "here")
    }

    @Test func `one version of the Internet Protocol is used alone`() async throws {
        let server = try FixtureServer()
        server.on("/a", .content(.text("here")))
        let hosts = [entry(server.port, "127.0.0.1")]
        let url = "http://files.invalid:\(server.port)/a"
        #expect(try await fetch(url, HTTPRoute(family: .ipv4, hosts: hosts)).text == "here")
        let other = try await fetch(url, HTTPRoute(family: .ipv6, hosts: hosts))
        #expect(other.error != nil)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: ["lo", "127.0.0.1"])
    func `connections are made from an interface or an address`(interface: String) async throws {
        let server = try FixtureServer()
        server.on("/a", .content(.text("here")))
        let probe = try await fetch(server.url("/a"), HTTPRoute(interface: interface))
        #expect(probe.text == "here")
    }

    @Test func `an interface that is not there makes no connection`() async throws {
        let server = try FixtureServer()
        let probe = try await fetch(server.url("/a"), HTTPRoute(interface: "absent0"))
        #expect(probe.error?.code == .cannotConnectToHost)
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func `another server is connected to in place of the one in the URL`(
        target: String
    ) async throws {
        let server = try FixtureServer()
        server.on("/a", .content(.text("here")))
        let redirection = HTTPRoute.Redirection(
            host: "files.invalid",
            port: 81,
            target: target,
            targetPort: server.port
        )
        let route = HTTPRoute(redirections: [redirection])
        #expect(try await fetch("http://files.invalid:81/a", route).text == "here")
        #expect(server.requests.map { $0["Host"] } == ["files.invalid:81"])
        #expect(route.isLocal("files.invalid:81"))
        #expect(!route.isLocal("files.invalid:80"))
    }

    @Test func `connections are made from a range of ports`() async throws {
        let server = try FixtureServer()
        server.on("/a", .content(.text("here")))
        let free = try FixtureServer().port
        let range = free...(free + 20)
        let probe = ExchangeProbe()
        var used: UInt16?
        probe.onFinish = { used = $0.metrics.connection?.local.port }
        let client = try HTTPClient.local { $0.route = HTTPRoute(localPorts: range) }
        client.start(HTTPRequest(url: server.url("/a")), handler: probe)
        try await probe.finished()
        #expect(probe.text == "here")
        #expect(used.map(range.contains) == true)
    }

    @Test func `a server is reached by its UNIX socket`() async throws {
        let temporary = try TemporaryDirectory()
        let path = temporary.path + "/socket"
        let server = try UNIXServer(at: path, answering: "here")
        defer { withExtendedLifetime(server) {} }
        let route = HTTPRoute(unixSocket: path)
        #expect(try await fetch("http://files.invalid/a", route).text == "here")
        #expect(route.isLocal("files.invalid:80"))
        let absent = HTTPRoute(unixSocket: path + "-")
        #expect(
            try await fetch("http://files.invalid/a", absent).error?.code == .cannotConnectToHost
        )
    }

    @Test(
        arguments: [
            (HTTPRoute(), nil), (HTTPRoute(interface: "eth0"), nil),
            (HTTPRoute(localPorts: 1...65_535), nil), (HTTPRoute(unixSocket: "/run/a"), nil),
            (HTTPRoute(localPorts: 0...1), "a port is from 1 to 65535"),
            (
                HTTPRoute(unixSocket: "a"),
                "the path of a UNIX socket is absolute and has up to 107 bytes"
            ),
            (
                HTTPRoute(unixSocket: "/" + String(repeating: "a", count: 107)),
                "the path of a UNIX socket is absolute and has up to 107 bytes"
            ),
            (
                HTTPRoute(redirections: [.init(host: "a", port: 1, target: "::1", targetPort: 2)]),
                nil
            ),
            (
                HTTPRoute(redirections: [.init(host: "a", port: 0, target: "b", targetPort: 2)]),
                "a port is from 1 to 65535"
            ),
            (
                HTTPRoute(redirections: [.init(host: "a", port: 1, target: "", targetPort: 2)]),
                "'' is not a host's name"
            ),
            (
                HTTPRoute(redirections: [.init(host: "a", port: 1, target: "b:", targetPort: 2)]),
                "'b:' is not a host's name"
            ),
            (HTTPRoute(interface: "::1"), nil),
            (HTTPRoute(hosts: [.init(host: "a", port: 1, addresses: ["::1", "1.2.3.4"])]), nil),
            (HTTPRoute(interface: ""), "'' is neither an interface nor an address"),
            (HTTPRoute(interface: "a/b"), "'a/b' is neither an interface nor an address"),
            (HTTPRoute(interface: "a\nb"), "'a\nb' is neither an interface nor an address"),
            (
                HTTPRoute(interface: "sixteen-letters0"),
                "'sixteen-letters0' is neither an interface nor an address"
            ),
            (
                HTTPRoute(hosts: [.init(host: "", port: 1, addresses: ["::1"])]),
                "'' is not a host's name"
            ),
            (
                HTTPRoute(hosts: [.init(host: "a:b", port: 1, addresses: ["::1"])]),
                "'a:b' is not a host's name"
            ),
            (
                HTTPRoute(hosts: [.init(host: "a,b", port: 1, addresses: ["::1"])]),
                "'a,b' is not a host's name"
            ),
            (
                HTTPRoute(hosts: [.init(host: "a", port: 0, addresses: ["::1"])]),
                "a port is from 1 to 65535"
            ),
            (
                HTTPRoute(hosts: [.init(host: "a", port: 1, addresses: [])]),
                "a host has 1 to 64 addresses"
            ),
            (
                HTTPRoute(hosts: [.init(host: "a", port: 1, addresses: ["b"])]),
                "'b' is not an address"
            ),
            (
                HTTPRoute(hosts: [.init(host: "a", port: 1, addresses: ["1.2.3.4,5"])]),
                "'1.2.3.4,5' is not an address"
            ),
        ] as [(HTTPRoute, String?)]
    )
    func `a route that cannot be used says why`(route: HTTPRoute, fault: String?) {
        #expect(route.fault == fault)
    }

    @Test(
        arguments: [
            (["127.0.0.1"], "files.invalid:80", true), (["::1"], "files.invalid:80", true),
            (["127.0.0.1"], "files.invalid:81", false), (["127.0.0.1"], "other.invalid:80", false),
            (["127.0.0.1", "192.0.2.1"], "files.invalid:80", false),
        ] as [([String], String, Bool)]
    )
    func `a route leads to this machine if all addresses do`(
        addresses: [String],
        authority: String,
        isLocal: Bool
    ) {
        let entry = HTTPRoute.HostAddresses(host: "files.invalid", port: 80, addresses: addresses)
        #expect(HTTPRoute(hosts: [entry]).isLocal(authority) == isLocal)
    }
}

/// A server at a UNIX socket that answers one request.
private final class UNIXServer: Sendable {
    private let listener: Int32

    init(at path: String, answering text: String) throws {
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, size) }
        }
        try #require(result == 0 && listen(listener, 1) == 0)
        Thread.detachNewThread { [listener] in
            let client = accept(listener, nil, nil)
            defer { close(client) }
            var request = [UInt8](repeating: 0, count: 4096)
            guard read(client, &request, request.count) > 0 else { return }
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
            _ = answer.withCString { write(client, $0, strlen($0)) }
        }
    }

    deinit { close(listener) }
}

/// Requests that accept any certificate.
@Suite(.timeLimit(.minutes(1)), .enabled(if: TLSServer.program != nil, "openssl is missing"))
@LoopActor struct UnverifiedRequestTests {
    @Test(arguments: [TLSServer.Certificate.good, .expired, .forAnotherHost])
    func `a request that accepts any certificate asks nobody`(
        certificate: TLSServer.Certificate
    ) async throws {
        let server = try await TLSServer.start(certificate)
        var request = HTTPRequest(url: server.url)
        request.acceptsInvalidCertificates = true
        request.asksForTrust = true
        let probe = try await HTTPClient.local().fetch(request)
        #expect(probe.error == nil)
        #expect(probe.trusts.isEmpty)
    }

    @Test func `the next request of the same client verifies again`() async throws {
        let home = try TestHome()
        let authority = try await TestAuthority(in: home)
        let server = try FixtureServer()
        server.on("/a", .content(.text("here")))
        let relay = try await TLSRelay(in: home, authority: authority, to: server.port)
        let client = try HTTPClient.local()
        var request = HTTPRequest(url: "https://127.0.0.1:\(relay.port)/a")
        request.acceptsInvalidCertificates = true
        #expect(try await client.fetch(request).text == "here")
        request.acceptsInvalidCertificates = false
        #expect(try await client.fetch(request).error?.code == .serverCertificateUntrusted)
        request.acceptsInvalidCertificates = true
        #expect(try await client.fetch(request).text == "here")
    }
}
