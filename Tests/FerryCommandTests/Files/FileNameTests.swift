import Foundation
import Testing

@testable import FerryCommand

@Suite(.timeLimit(.minutes(5))) struct FileNameTests {
    @Test(arguments: [
        ("report.pdf", "report.pdf"), ("../../etc/passwd", "passwd"),
        ("C:\\Windows\\a.exe", "a.exe"),
        (".bashrc", "bashrc"), ("...", nil), ("..", nil), ("", nil), ("/", nil), ("a/", "a"),
        ("-rf", "rf"), (" spaced ", "spaced"), ("a\u{0}b\nc", "abc"),
        ("txt.\u{202E}exe", "txt.exe"),
        ("dots...", "dots"), ("- .-", nil), ("naïve 日本.txt", "naïve 日本.txt"), ("%2e%2e", "%2e%2e"),
        ("\u{200B}", nil), (".\u{200B}.hidden", "hidden"),
    ])
    func `a proposed name becomes one visible component or none`(
        proposal: String,
        name: String?
    ) {
        #expect(FileName(proposal: proposal)?.text == name)
    }

    @Test(arguments: [
        ("a/\u{301}b", "\u{301}b"), ("x/\u{200D}../\u{200D}../etc/\u{200D}passwd", "passwd"),
        ("..\\\u{301}x", "\u{301}x"), ("-\u{301}rf", "\u{301}rf"), (".\u{301}x", "\u{301}x"),
    ])
    func `a separator ends a component also with an accent on it`(proposal: String, name: String) {
        #expect(FileName(proposal: proposal)?.text == name)
    }

    @Test func `more accents than there is room for are cut, and the name before them stays`()
        throws
    {
        let accents = String(repeating: "\u{301}", count: 300)
        let name = try #require(FileName(proposal: "a\(accents).txt"))
        #expect(name.text.utf8.first == UInt8(ascii: "a"))
        #expect(name.text.utf8.count <= 240)
        #expect(name.text.hasSuffix(".txt"))
    }

    @Test(arguments: [
        ("https://example.org/files/big.iso?x=y/z#f", "big.iso"),
        ("https://example.org/", "download"),
        ("https://example.org", "download"), ("https://example.org/a%2Fb", "b"),
        ("https://example.org?a/b", "download"), ("https://example.org#a/b", "download"),
        ("https://user:a@[::1]:8080//a", "a"), ("https://example.org/a;v=1", "a;v=1"),
        ("https://example.org/%2e%2e%2f.ssh", "ssh"),
        ("https://example.org/na%C3%AFve.txt", "naïve.txt"),
        ("https://example.org/bad%FFname", "bad%FFname"), ("https://example.org/dir/", "dir"),
        ("https://example.org/%1B%5B2J", "[2J"), ("https://example.org/a%00.txt", "a.txt"),
    ])
    func `a URL names its file by its last component`(url: String, name: String) {
        #expect(FileName(contentDisposition: nil, address: url).text == name)
        #expect(FileName(proposedBy: nil, url: URL(string: url)).text == name)
    }

    @Test func `what a response proposes wins over its URL, unless nothing usable is in it`() {
        let url = "https://example.org/get.php"
        #expect(
            FileName(contentDisposition: "attachment; filename=a.iso", address: url).text == "a.iso"
        )
        #expect(
            FileName(contentDisposition: "attachment; filename=\"..\"", address: url).text
                == "get.php"
        )
        #expect(FileName(contentDisposition: "inline", address: url).text == "get.php")
        #expect(FileName(contentDisposition: "inline", address: nil).text == "download")
    }

    @Test func `a long name keeps its extension and leaves room for a number`() throws {
        let name = try #require(FileName(proposal: String(repeating: "ü", count: 300) + ".tar.gz"))
        #expect(name.text.hasSuffix("ü.gz"))
        #expect(name.text.utf8.count <= 240)
        #expect(name.numbered(0) == name.text)
        #expect(name.numbered(12) == name.text + ".12")
        let endless = try #require(FileName(proposal: "a." + String(repeating: "b", count: 300)))
        #expect(endless.text.utf8.count == 240)
    }

    @Test func `a name that the user chose is taken as it is`() {
        #expect(FileName(chosen: ".netrc").text == ".netrc")
    }

    @Test func `the longest name that the user can choose is shortened for a number`() {
        let name = FileName(chosen: String(repeating: "ü", count: 125) + ".html")
        #expect(name.numbered(0) == name.text)
        #expect(name.numbered(1) == String(repeating: "ü", count: 124) + ".html.1")
        #expect(name.numbered(12).utf8.count == 255 - 1)
    }
}
