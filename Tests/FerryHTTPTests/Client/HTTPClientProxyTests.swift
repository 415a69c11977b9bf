import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryHTTP

@Suite(.timeLimit(.minutes(1))) @LoopActor struct HTTPClientProxyTests {
    let server: FixtureServer
    let proxy: FixtureServer

    init() throws {
        server = try FixtureServer()
        proxy = try FixtureServer()
    }

    private var given: HTTPProxy { HTTPProxy(host: "127.0.0.1", port: proxy.port) }

    private func client(_ list: HTTPProxyList) throws -> HTTPClient {
        try .local { $0.proxies = list }
    }

    private static let secret = [HTTPField(name: "Proxy-Authorization", value: "Basic c2VjcmV0")]

    // MARK: Plain HTTP

    @Test func `a proxy for http is asked for the whole URL`() async throws {
        proxy.on("http://somewhere.invalid/file", .content(.text("from afar")))
        let probe = try await client(HTTPProxyList(http: given))
            .fetch(HTTPRequest(url: "http://somewhere.invalid/file?x=1"))
        #expect(probe.error == nil)
        #expect(probe.text == "from afar")
        #expect(proxy.requests.map(\.target) == ["http://somewhere.invalid/file?x=1"])
        #expect(proxy.requests.map { $0["Host"] } == ["somewhere.invalid"])
    }

    @Test(arguments: [["127.0.0.1"], ["a.invalid", "127.0.0.0/8"], ["*", "a.invalid"]])
    func `a host that is an exception is reached directly`(exceptions: [String]) async throws {
        server.on("/file", .content(.text("near")))
        let probe = try await client(HTTPProxyList(http: given, exceptions: exceptions))
            .fetch(HTTPRequest(url: server.url("/file"), fields: Self.secret))
        #expect(probe.text == "near")
        #expect(proxy.requests.isEmpty)
        #expect(server.requests.map { $0["Proxy-Authorization"] } == [nil])
    }

    @Test func `a name that is an exception stands for those below it`() async throws {
        let list = HTTPProxyList(http: given, exceptions: [".invalid"])
        let probe = try await client(list).fetch(HTTPRequest(url: "http://a.b.invalid/"))
        #expect(probe.error?.code == .cannotFindHost)
        #expect(proxy.requests.isEmpty)
    }

    @Test func `a list without a proxy for a scheme means none`() async throws {
        server.on("/file", .content(.text("near")))
        let probe = try await client(HTTPProxyList(https: given))
            .fetch(HTTPRequest(url: server.url("/file")))
        #expect(probe.text == "near")
        #expect(proxy.requests.isEmpty)
    }

    @Test func `a proxy for http gets what is for proxies, and no server does`() async throws {
        proxy.on("http://somewhere.invalid/file", .status(407, fields: Self.demand), .status(200))
        let client = try client(HTTPProxyList(http: given))
        var request = HTTPRequest(url: "http://somewhere.invalid/file")
        let refused = try await client.fetch(request)
        #expect(try refused.head.status == 407)
        #expect(try refused.head.fields.first(named: "Proxy-Authenticate") == "Basic realm=\"x\"")
        request.fields = Self.secret
        #expect(try await client.fetch(request).head.status == 200)
        #expect(
            proxy.requests.map { $0["Proxy-Authorization"] } == [nil, "Basic c2VjcmV0"]
        )
        server.on("/file", .status(200))
        request.url = server.url("/file")
        _ = try await HTTPClient.local().fetch(request)
        #expect(server.requests.map { $0["Proxy-Authorization"] } == [nil])
    }

    private static let demand = [(name: "Proxy-Authenticate", value: "Basic realm=\"x\"")]

    @Test func `a body through a proxy does not come in pipes`() async throws {
        let content = FixtureContent.seeded(1, byteCount: 1 << 20)
        proxy.on("http://somewhere.invalid/file", .content(content))
        let client = try HTTPClient.local {
            $0.proxies = HTTPProxyList(http: given)
            $0.minimumSplicedBytes = 1
        }
        let probe = ExchangeProbe()
        probe.onHead = { _, _ in .deliverInPipes }
        client.start(HTTPRequest(url: "http://somewhere.invalid/file"), handler: probe)
        try await probe.finished()
        #expect(content.firstDifference(from: probe.bytes) == nil)
        #expect(probe.calls == [.head, .bytes, .finish])
    }

    @Test(arguments: ["", "a b", "a/b", "user@127.0.0.1", "127.0.0.1:1/#"])
    func `a proxy whose host is none is no proxy`(host: String) async throws {
        let list = HTTPProxyList(http: HTTPProxy(host: host, port: proxy.port))
        let probe = try await client(list).fetch(HTTPRequest(url: server.url("/")))
        #expect(probe.error?.code == .cannotConnectToHost)
        #expect(server.requests.isEmpty)
    }

    @Test func `a proxy that is not there cannot be connected to`() async throws {
        let port = try FixtureClosedPort()
        let list = HTTPProxyList(http: HTTPProxy(host: "127.0.0.1", port: port.port))
        let probe = try await client(list).fetch(HTTPRequest(url: server.url("/")))
        #expect(probe.error?.code == .cannotConnectToHost)
        #expect(server.requests.isEmpty)
    }

    @Test func `a proxy may have an address of IPv6`() async throws {
        let proxy = try FixtureServer(host: "::1")
        proxy.on("http://somewhere.invalid/", .content(.text("six")))
        let list = HTTPProxyList(http: HTTPProxy(host: "::1", port: proxy.port))
        let probe = try await client(list).fetch(HTTPRequest(url: "http://somewhere.invalid/"))
        #expect(probe.text == "six")
    }

    // MARK: The environment

    @Test func `the environment's proxies are followed by default, and by nobody else`() async {
        await #expect(processExitsWith: .success) { @LoopActor in
            let server = try FixtureServer()
            let proxy = try FixtureServer()
            let other = try FixtureServer()
            for place in [server, proxy, other] {
                place.on("/file", .status(200))
                place.on(server.url("/file"), .status(200))
            }
            @LoopActor func count(_ proxies: HTTPProxyList) async throws -> [Int] {
                let client = try HTTPClient.local { $0.proxies = proxies }
                let probe = try await client.fetch(HTTPRequest(url: server.url("/file")))
                #expect(probe.error == nil)
                return [server, proxy, other].map(\.requests.count)
            }
            let list = HTTPProxyList(http: HTTPProxy(host: "127.0.0.1", port: other.port))
            // What libcurl reads is the process's environment.
            ProcessEnvironment.set("http_proxy", proxy.origin)
            #expect(HTTPClient.Configuration().proxies == .environment)
            #expect(try await count(.environment) == [0, 1, 0])
            #expect(try await count(.direct) == [1, 1, 0])
            ProcessEnvironment.set("no_proxy", "127.0.0.1")
            #expect(try await count(.environment) == [2, 1, 0])
            #expect(try await count(list) == [2, 1, 1])
            #expect(try await count(HTTPProxyList()) == [3, 1, 1])
        }
    }

    // MARK: SOCKS

    @Test func `a proxy that speaks SOCKS looks up the names`() async throws {
        server.on("/file", .content(.text("through socks")))
        let socks = try FixtureSocksProxy(to: server.port)
        let proxy = HTTPProxy(host: "127.0.0.1", port: socks.port, kind: .socks5)
        let list = HTTPProxyList(http: proxy)
        let probe = try await client(list)
            .fetch(HTTPRequest(url: "http://somewhere.invalid/file", fields: Self.secret))
        #expect(probe.error == nil)
        #expect(probe.text == "through socks")
        #expect(socks.hosts == ["somewhere.invalid"])
        #expect(server.requests.map(\.target) == ["/file"])
        #expect(server.requests.map { $0["Proxy-Authorization"] } == [nil])
    }
}

@Suite(.timeLimit(.minutes(5))) struct HTTPProxyListTests {
    /// Variables, and the proxies that curl takes of them.
    struct Row: Sendable, CustomTestStringConvertible {
        var variables: [String: String]
        var http: String?
        var https: String?
        var exceptions: [String] = []
        var testDescription: String { "\(variables)" }
    }

    @Test(arguments: [
        Row(variables: [:]),
        Row(variables: ["http_proxy": "a:1"], http: "a:1"),
        Row(variables: ["HTTP_PROXY": "a:1"]),
        Row(variables: ["https_proxy": "b", "HTTPS_PROXY": "c"], https: "b"),
        Row(variables: ["HTTPS_PROXY": "c"], https: "c"),
        Row(
            variables: ["all_proxy": "socks5h://d:2"],
            http: "socks5h://d:2",
            https: "socks5h://d:2"
        ),
        Row(variables: ["ALL_PROXY": "d", "http_proxy": "a"], http: "a", https: "d"),
        Row(variables: ["http_proxy": "", "ALL_PROXY": "d"], http: "d", https: "d"),
        Row(variables: ["no_proxy": "e,.f", "NO_PROXY": "g"], exceptions: ["e,.f"]),
        Row(variables: ["NO_PROXY": "*"], exceptions: ["*"]),
    ])
    func `SEC-8: an environment's proxies are those that curl takes`(row: Row) {
        let list = HTTPProxyList(environment: row.variables)
        #expect(list.http?.address == row.http)
        #expect(list.https?.address == row.https)
        #expect(list.exceptions == row.exceptions)
    }

    @Test func `SEC-8: a proxy's password is not shown where it is printed`() {
        let proxy = HTTPProxy(address: "http://alice:harbour@127.0.0.1:3128")
        let list = HTTPProxyList(http: proxy, https: proxy)
        var text = "\(proxy) \(list)"
        dump(list, to: &text)
        debugPrint(list, to: &text)
        #expect(!text.contains("harbour"))
    }
}
