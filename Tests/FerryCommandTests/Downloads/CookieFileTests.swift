import Ferry
import FerryTransfer
import Foundation
import Testing

@testable import FerryCommand

/// Files of cookies as curl, wget and browsers' extensions write them.
@Suite(.timeLimit(.minutes(1))) struct CookieFileTests {
    private static let text = """
        # Netscape HTTP Cookie File

        example.org\tFALSE\t/\tFALSE\t0\thost\t1
        .example.org\tTRUE\t/\tFALSE\t0\tdomain\t2
        #HttpOnly_.example.org\tTRUE\t/files\tFALSE\t2000000000\thidden\ta b=c
        .example.org\tTRUE\t/\tTRUE\t0\tsecure\t3
        .example.org\tTRUE\t/\tFALSE\t1000000000\texpired\t4
        other.example\tFALSE\t/\tFALSE\t0\tother\t5
        example.org\tFALSE\t/files/\tFALSE\t0\tempty\t
        """

    private let now = Date(timeIntervalSince1970: 1_790_000_000)

    @Test(
        arguments: [
            ("http://example.org/", "host=1; domain=2"), ("http://EXAMPLE.org", "host=1; domain=2"),
            ("https://example.org/x", "host=1; domain=2; secure=3"),
            ("http://example.org/files/a", "empty=; hidden=a b=c; host=1; domain=2"),
            ("http://example.org/files", "hidden=a b=c; host=1; domain=2"),
            ("http://example.org/filesystem", "host=1; domain=2"),
            ("http://www.example.org/", "domain=2"), ("http://badexample.org/", nil),
            ("http://org/", nil), ("http://other.example:8080/a?b#c", "other=5"),
            ("http://www.other.example/", nil),
        ]
    )
    func `a request gets the cookies that are for it`(url: String, field: String?) throws {
        let file = try #require(CookieFile(Array(Self.text.utf8)))
        #expect(file.field(for: try #require(URL(string: url)), at: now) == field)
    }

    @Test func `line breaks of any system are read`() throws {
        let text = Self.text.replacing("\n", with: "\r\n")
        let file = try #require(CookieFile(Array("\u{FEFF}\(text)".utf8)))
        #expect(file == CookieFile(Array(Self.text.utf8)))
        #expect(CookieFile([]) != nil)
    }

    @Test func `the last of several lines counts, and an address has no subdomains`() throws {
        let text =
            "a\tFALSE\t/\tFALSE\t1899999999.5\tn\told\\na\tFALSE\t/\tFALSE\t0\tn\tnew\\n.0.0.1\tTRUE\t/\tFALSE\t0\tx\ty\\n"
            .replacing("\\n", with: "\n")
        let file = try #require(CookieFile(Array(text.utf8)))
        #expect(file.field(for: try #require(URL(string: "http://a/")), at: now) == "n=new")
        #expect(file.field(for: try #require(URL(string: "http://127.0.0.1/")), at: now) == nil)
    }

    @Test(arguments: ["<html>", "a=b", "a\tb\tc\td\te\tf\tg", "a\tTRUE\t/\tTRUE\t0"])
    func `what is no file of cookies is refused`(text: String) {
        #expect(CookieFile(Array(text.utf8)) == nil)
        #expect(CookieFile([0xff, 0x00]) == nil)
    }
}

/// Files to which cookies are added.
@Suite(.timeLimit(.minutes(1))) struct CookieJarTests {
    private let now = Date(timeIntervalSince1970: 1_790_000_000)

    @Test(
        arguments: [
            ("a=1", ["a=1"]), ("a=1, b=2; Path=/", ["a=1", "b=2; Path=/"]),
            (
                "a=1; Expires=Thu, 01 Jan 2037 00:00:00 GMT; Secure,b=2",
                ["a=1; Expires=Thu, 01 Jan 2037 00:00:00 GMT; Secure", "b=2"]
            ),
            ("a=1,2,3", ["a=1,2,3"]),
        ]
    )
    func `fields that were joined are parted again`(field: String, values: [String]) {
        #expect(CookieJar.values(field) == values)
    }

    @Test func `a file that is written says the same when it is read`() throws {
        let text =
            "#HttpOnly_.a.example\tTRUE\t/x\tTRUE\t2000000000\tn\tv=1\nb\tFALSE\t/\tFALSE\t0\tm\t\n"
        let file = try #require(CookieFile(Array(text.utf8)))
        #expect(file.text == "# Netscape HTTP Cookie File\n\n\(text)")
        #expect(CookieFile(Array(file.text.utf8)) == file)
    }

    @Test func `a cookie that is set again replaces the first, and one that has ended removes it`()
        throws
    {
        var file = try #require(CookieFile(Array("a.example\tFALSE\t/\tFALSE\t0\tn\told\n".utf8)))
        let first = try #require(URL(string: "http://a.example/x/y"))
        let origin = try #require(CookieOrigin(first))
        func cookies(_ fields: String...) -> [Cookie] {
            fields.compactMap(SetCookie.init).compactMap { Cookie($0, from: origin, at: now) }
        }
        file.add(cookies("n=new; Path=/", "m=1", "x=1; Domain=b.example"), at: now)
        let url = try #require(URL(string: "http://a.example/x/z"))
        #expect(file.field(for: url, at: now) == "m=1; n=new")
        file.add(cookies("n=; Path=/; Max-Age=0"), at: now)
        #expect(file.field(for: url, at: now) == "m=1")
    }
}

/// Files of names and passwords for servers.
@Suite(.timeLimit(.minutes(1))) struct NetrcFileTests {
    @Test(
        arguments: [
            ("machine a login me password secret", "a", "me:secret"),
            ("machine a\n\tlogin me\n\tpassword secret\n", "A", "me:secret"),
            ("machine a password secret login me\nmachine b login you", "b", "you:"),
            (
                "machine b login x password y\ndefault login anonymous password z", "c",
                "anonymous:z"
            ),
            (
                "machine a login \"two words\" password \"qu\\\"ote \\\\\"", "a",
                "two words:qu\"ote \\"
            ),
            ("# comment machine a\nmachine a login me password s#1", "a", "me:s#1"),
            (
                "machine a login alice password #secret\nmachine b login bob password x", "a",
                "alice:#secret"
            ),
            ("machine a account x login me password y", "a", "me:y"),
            (
                "machine b login x\nmacdef init\nmachine a login no\n\nmachine a login me password y",
                "a", "me:y"
            ),
            ("machine a login me", "b", nil), ("", "a", nil), ("login me password x", "a", nil),
            ("machine", "a", nil), ("machine a login", "a", ":"),
            ("machine a login \"open", "a", "open:"),
            ("macdef x", "a", nil),
            ("machine a login first\nmachine a login second", "a", "first:"),
        ]
    )
    func `a server's login is the first that is for it`(
        text: String,
        host: String,
        login: String?
    ) {
        let found = NetrcFile(text).login(for: host).map { "\($0.name):\($0.password)" }
        #expect(found == login)
    }
}

/// Digests as sha256sum(1) and its siblings write them.
@Suite(.timeLimit(.minutes(1))) struct DigestListTests {
    private static let good = String(repeating: "0a", count: 32)
    private static let other = String(repeating: "ff", count: 32)
    private static let md5 = String(repeating: "0B", count: 16)

    @Test(
        arguments: [
            ("\(good)  a.iso", "/x/a.iso"), ("\(good) *a.iso", "a.iso"), ("\(good) a.iso", "a.iso"),
            ("\(good)  ./x/a.iso", "a.iso"), ("SHA256 (a.iso) = \(good)", "a.iso"),
            ("SHA256 (a (1) = b) = \(good)", "a (1) = b"), ("\(good)  two words", "two words"),
            ("\(md5)  a\r\n\(good)  a", "a"), ("\(good)  a\r\n\(md5)  a", "a"),
            ("SHA3-256 (a) = \(other)\r\nSHA256 (a) = \(good)", "a"),
            ("\(other)  ./gtk/mini.iso\r\n\(good)  ./mini.iso", "/debian/netboot/mini.iso"),
            ("\(other)  ./gtk/mini.iso\r\n\(good)  ./net/mini.iso", "/debian/net/mini.iso"),
            ("\(good)  gtk/mini.iso\r\n\(other)  mini.iso", "/debian/gtk/mini.iso"),
        ]
    )
    func `a file has the digest of its line`(lines: String, path: String) throws {
        let text = "\u{FEFF}-----BEGIN PGP SIGNED MESSAGE-----\r\nHash: SHA256\r\n\r\n\(lines)\r\n"
        let list = DigestList(Array(text.utf8))
        #expect(list.digest(of: path) == TransferOptions.Digest(.sha256, hexadecimal: Self.good))
        #expect(list.digest(of: "unknown") == nil)
        let two = DigestList(
            Array("\u{FEFF}\(Self.good)  a\n\u{FEFF}\(Self.good)  b".utf8)
        )
        #expect(two.digest(of: "a") != nil && two.digest(of: "b") != nil)
    }

    @Test(
        arguments: [
            "", "<html>", "\(good)", "\(good)0  a", "SHA256 (a = x", "zz  a",
            "SHA3-256 (a) = \(good)",
            "RMD160 (a) = \(String(repeating: "0a", count: 20))", "SHA256 (a) = \(md5)",
        ]
    )
    func `what is no digest is passed over`(line: String) {
        #expect(DigestList(Array(line.utf8)).isEmpty)
    }
}

extension CookieFile {
    /// The value of a request's field that the cookies give.
    fileprivate func field(for url: URL, at now: Date) -> String? {
        guard let origin = CookieOrigin(url) else { return nil }
        let matching = cookies(near: url, at: now).filter { $0.isFor(origin, at: now) }
            .sorted { $0.goesBefore($1) }
        return matching.isEmpty
            ? nil : matching.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
    }
}
