import Testing

@testable import FerryCommand

@Suite(.timeLimit(.minutes(1))) struct ShownURLTests {
    @Test(arguments: [
        ("http://a/b?c=d#e", "http://a/b?c=d#e"), ("http://a/u:secret@b", "http://a/u:secret@b"),
        ("http://u@a/", "http://u@a/"), ("http://u:secret@a/b", "http://u@a/b"),
        ("http://u:sec%40ret@a:80/", "http://u@a:80/"), ("", ""),
    ])
    func `an address is shown without its password`(_ address: String, _ shown: String) {
        #expect(address.withoutPassword == shown)
    }

    @Test(arguments: [
        "http://u:secret@a b/", "http://u:secret@a:port/", "http://u:sec ret@[/", "u:secret@a",
        "http://u:secret@\u{0}/",
    ])
    func `what is no address is shown without what may be a password`(_ text: String) {
        #expect(!text.withoutPassword.contains("secret") && !text.withoutPassword.contains("ret@"))
    }
}
