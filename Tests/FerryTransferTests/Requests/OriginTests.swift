import FerryTransfer
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
    ])
    func `other URLs have none`(url: String) {
        #expect(Origin(url: url) == nil)
    }
}
