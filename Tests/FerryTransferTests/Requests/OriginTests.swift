import FerryTransfer
import FoundationEssentials
import Testing

@Suite(.timeLimit(.minutes(5))) struct OriginTests {
    @Test(arguments: [
        ("http://host", "http://host:80"),
        ("https://host/", "https://host:443"),
        ("HTTP://HOST:8080/x?y#z", "http://host:8080"),
        ("https://user:password@host/", "https://host:443"),
        ("http://[::1]:81/", "http://[::1]:81"),
        ("http://[::1]/", "http://[::1]:80"),
        ("http://192.0.2.1/", "http://192.0.2.1:80"),
    ])
    func `an origin is scheme, host and port`(url: String, text: String) {
        #expect(Origin(url: url)?.description == text)
    }

    @Test(arguments: [
        "", "host", "/path", "ftp://host/", "file:///etc/passwd", "http:", "http:///x",
        // What is decoded is no name of a host.
        "https://other.exampl%1ez", "http://a%00b/", "http://a%20b/", "http://a%7Fb/",
        "http://a%2Fb/",
        "http://a%3Fb/", "http://a%23b/", "http://a%40b/", "http://a%5Cb/", "http://a%3Ab/",
        "http://a%25b/", "http://%5Ba%5D/", "http://%3A%3A1/", "http://a%3C/",
    ])
    func `other URLs have none`(url: String) {
        #expect(Origin(url: url) == nil)
    }

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
        ("http://[::1]:8080/a", "[::1]:8080"),
        ("https://[::1]/", "[::1]:443"),
    ])
    func `an authority is host and port`(url: String, authority: String) {
        #expect(Origin(url: url)?.authority == authority)
    }

    @Test func `what is read quickly is what a URL has`() throws {
        for url in [
            "http://host/", "https://host/", "http://host:1/", "https://a.b-c:65535/d?e=f",
            "http://host:65536/", "http://host:99999/", "http://host:0/", "http://host:00080/",
        ] {
            #expect(Origin(url: url) == URL(string: url).flatMap { Origin($0) }, "\(url)")
        }
    }

    @Test(arguments: [
        "http://host/", "http://host/a", "http://host/a/", "https://host:81/a/b?c=d/e",
        "http://host/?a", "http://host//a/../b", "http://host/a%20b/", "http://host",
        "http://host/a?b?c", "http://host/%C3%A4?%C3%A4",
    ])
    func `the path of a version is the URL's as it stands there`(url: String) throws {
        let version = ResourceVersion(validator: nil, totalByteCount: nil, url: url)
        let parsed = try #require(URL(string: url))
        #expect(version.path == parsed.path(percentEncoded: true))
        #expect(version.origin == Origin(parsed)?.description)
    }
}
