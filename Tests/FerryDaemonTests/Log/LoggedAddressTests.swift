import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(5))) struct LoggedAddressTests {
    @Test(arguments: [
        ("https://example.org/a/b.iso", "https://example.org/a/b.iso"),
        ("https://example.org/a?token=secret#part", "https://example.org/a"),
        ("https://example.org#secret?x", "https://example.org"),
        ("https://user:secret@example.org:8443/a", "https://example.org:8443/a"),
        ("https://a@secret@example.org/a@b", "https://example.org/a@b"),
        ("", ""), ("//", "//"), ("@", "@"),
    ])
    func `USE-5: the log names an address without its secrets`(address: String, logged: String) {
        #expect(LoggedAddress.of(address) == logged)
    }

    @Test func `USE-5: an address without end does not fill the log`() {
        let address = "https://example.org/" + String(repeating: "a", count: 8000)
        #expect(LoggedAddress.of(address).count == 501)
    }
}
