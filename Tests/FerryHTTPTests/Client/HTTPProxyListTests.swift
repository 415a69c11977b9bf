import Testing

@testable import FerryHTTP

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
