import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(5))) struct HostNameTests {
    @Test(arguments: [
        ("http://example.org/a", "example.org:80"),
        ("https://example.org", "example.org:443"),
        ("HTTP://EXAMPLE.org:8080/a?b#c", "example.org:8080"),
        ("https://user:word@example.org/", "example.org:443"),
        ("http://127.0.0.1:9/", "127.0.0.1:9"),
        ("http://127.0.0.1:08080/a", "127.0.0.1:8080"),
        ("http://127.0.0.1:/a", "127.0.0.1:80"),
        ("http://127.0.0.1:65535/a", "127.0.0.1:65535"),
        ("http://127.0.0.1/a%20b", "127.0.0.1:80"),
        ("https://a-b.example/c/d.e_f~G?h=i&j=1", "a-b.example:443"),
        ("http://example.org?a/b", "example.org:80"),
        ("http://a%2Eexample/", "a.example:80"),
        ("http://a@b.example/", "b.example:80"),
        ("http://xn--bcher-kva.example/", "xn--bcher-kva.example:80"),
    ])
    func `a task waits in the queue of its host and port`(_ address: String, _ host: String) {
        #expect(HostName.of(address) == host)
    }

    @Test func `an address of the new kind has a queue, too`() {
        #expect(HostName.of("http://[::1]:8080/a") != nil)
        #expect(HostName.of("http://[::1]:8080/a") == HostName.of("http://[::1]:8080/b"))
        #expect(HostName.of("http://[::1]/") != HostName.of("http://[::2]/"))
    }

    @Test(arguments: ["", "/a", "example.org/a", "ftp://example.org/", "http:///a", "http:", "://"])
    func `what is not http has none`(_ address: String) {
        #expect(HostName.of(address) == nil)
    }
}
