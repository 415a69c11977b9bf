import FerrySystem
import Testing

@Suite(.timeLimit(.minutes(1))) struct SecretTextTests {
    @Test(arguments: [
        ("Could not resolve host: example.org", "Could not resolve host: example.org"),
        (
            "Unsupported proxy scheme for 'ftp://u:p@h:1'",
            "Unsupported proxy scheme for 'ftp://...@h:1'"
        ),
        (
            "Unsupported proxy syntax in 'u:p w@h:99999'",
            "Unsupported proxy syntax in '...@h:99999'"
        ),
        (
            "'http://u:p@q@h' is no URL. Did you mean 'https://u:p@h'?",
            "'http://...@h' is no URL. Did you mean 'https://...@h'?"
        ),
        ("no proxy u:p@h", "no proxy ...@h"),
        ("u:p@h", "...@h"),
        ("http://h/a?token=1", "http://h/a?..."),
        ("'http://u:p@h/a?b=c' and 'http://i/?d'", "'http://...@h/a?...' and 'http://i/?...'"),
        ("http://u:a/b?c@h/", "http://...@h/"),
        ("one\nhttp://u:p@h\ntwo?", "one\nhttp://...@h\ntwo?"),
        ("", ""),
    ])
    func `SEC-13: users, passwords and queries are masked`(text: String, shown: String) {
        #expect(SecretText.masked(text) == shown)
    }

    @Test(arguments: [
        ("http://user:hun%74er2@host", ["user:hun%74er2", "hun%74er2", "hunter2"]),
        ("user:pw@host", ["user:pw"]), ("http://host/a?token=1", ["token=1"]),
        ("http://host", []), ("", []),
    ])
    func `SEC-13: the secrets of an address`(address: String, secrets: [String]) {
        #expect(Set(SecretText.secrets(in: address)) == Set(secrets))
        let text = "libcurl says (\(secrets.joined(separator: ", ")))"
        let masked = SecretText.masked(text, hiding: SecretText.secrets(in: address))
        #expect(secrets.allSatisfy { !masked.contains($0) })
    }
}

@Suite(.timeLimit(.minutes(1))) struct ProxyAddressTests {
    @Test(arguments: [
        "host", "host:3128", "host:", "http://host", "HTTP://host:1/", "https://host:65535",
        "socks4://h", "socks4a://h", "socks5://h", "socks5h://u:p@h:1080", "u:p@host",
        "http://u:p%40@host:80", "http://u:p:q@host", "http://:@host", "[::1]", "[::1]:80",
        "http://u:p@[fe80::1%25eth0]:80", "127.0.0.1:80", "bücher.example:80", "a_b-c.d",
    ])
    func `SEC-13: an address that libcurl takes`(address: String) {
        #expect(ProxyAddress.fault(in: address) == nil)
    }

    @Test(arguments: [
        ("", "empty"), ("http://h:99999", "port"), ("http://h:0", "port"), ("h:x", "port"),
        ("h:-1", "port"), ("h:1:2", "port"), ("ftp://h", "scheme"), ("http://", "no host"),
        ("http://u:p@", "no host"), ("http://:80", "no host"), ("[::1", "bracket"),
        ("[::g]", "brackets"), ("[]", "brackets"), ("[::1]x", "brackets"), ("::1", "no host"),
        ("a b", "space"), ("a\tb", "space"), ("a\u{0}b", "space"), ("a\\b", "character"),
        ("http://u%00@h", "%00"), (String(repeating: "a", count: 4097), "4096"),
    ])
    func `SEC-13: what is wrong with an address`(address: String, word: String) throws {
        let fault = try #require(ProxyAddress.fault(in: address))
        #expect(fault.contains(word))
    }
}
