import FerryHTTP
import FerryTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import Ferry

@Suite(.timeLimit(.minutes(5))) struct ReceivedResponseTests {
    private func response(
        _ fields: KeyValuePairs<String, String> = [:],
        from url: String = "http://host/path/song.tar.gz?x=y",
        isDecoded: Bool = false
    ) throws -> HTTPURLResponse {
        let fields = fields.map { HTTPField(name: $0, value: $1) }
        var head = HTTPResponseHead(status: 200, fields: fields, url: url)
        head.isDecoded = isDecoded
        return try #require(.make(head))
    }

    @Test(arguments: [
        ("http://host/path/song.tar.gz?x=y", "song.tar.gz"), ("http://host/a%20b", "a b"),
        ("http://host/a%2Fb", "a_b"), ("http://host/directory/", "directory"),
        ("http://host.example/", "host.example"), ("http://host.example", "host.example"),
    ])
    func `a response without a proposal is named after its URL`(url: String, name: String) throws {
        #expect(try response(from: url).suggestedFilename == name)
    }

    @Test(arguments: [
        ("attachment; filename*=UTF-8''na%C3%AFve.txt", "naïve.txt"),
        ("ATTACHMENT; FILENAME=\"Y.bin\"", "Y.bin"),
        ("attachment; filename=\"../../etc/passwd\"", ".._.._etc_passwd"),
        ("attachment; filename=\"..\"", "song.tar.gz"), ("inline", "song.tar.gz"),
    ])
    func `a response has the name that its server proposes, as one component`(
        field: String,
        name: String
    ) throws {
        #expect(try response(["Content-Disposition": field]).suggestedFilename == name)
    }

    @Test(arguments: [
        ("text/plain; Charset=utf-8", "utf-8"), ("text/plain; charset=\"UTF-8\"", "utf-8"),
        ("text/plain", nil),
    ])
    func `the name of a parameter has no case`(field: String, name: String?) throws {
        #expect(try response(["Content-Type": field]).textEncodingName == name)
    }

    @Test func `a length that is not the body's is not expected`() throws {
        #expect(try response(["Content-Length": "50"]).expectedContentLength == 50)
        for field in ["Content-Encoding": "gzip", "Transfer-Encoding": "chunked"] {
            let response = try response(
                ["Content-Length": "50", field.key: field.value],
                isDecoded: true
            )
            #expect(response.expectedContentLength == NSURLSessionTransferSizeUnknown)
        }
        let kept = try response(["Content-Length": "50", "Content-Encoding": "gzip"])
        #expect(kept.expectedContentLength == 50)
    }

    @Test(arguments: [
        ("attachment; filename=\"a b.txt\"", "a b.txt"),
        ("attachment; filename=plain.txt", "plain.txt"),
        ("attachment; filename=\"quo\\\"te\\\\d\"", "quo\"te\\d"),
        ("attachment; FileName = \"x.txt\" ; size=3", "x.txt"),
        ("attachment; filename=old.txt; filename*=UTF-8''na%C3%AFve%20x.txt", "naïve x.txt"),
        ("attachment; filename*=iso-8859-1'en'%A3%20rates", "£ rates"),
        ("attachment; filename*=UTF-8''%FF; filename=fallback", "fallback"),
        ("attachment; filename*=UTF-8''%4; filename=fallback", "fallback"),
        ("attachment; filename*=koi8-r''%C1; filename=fallback", "а"),
        ("attachment; filename*=utf-7''a; filename=fallback", "fallback"),
        ("attachment; filename*=nonsense; filename=fallback", "fallback"),
        ("attachment; note=\"a;filename=wrong\"; filename=right", "right"),
        ("attachment; filename=\"never closed", "never closed"), ("attachment", nil), ("", nil),
        ("attachment; filename", nil), ("filename=alone", nil), ("attachment;;;filename=a", "a"),
        ("attachment; filename=\"trailing\\", "trailing"),
    ])
    func `RFC 6266: a field proposes a name, the extended form first`(field: String, name: String?)
    {
        #expect(ContentDisposition.fileName(in: field) == name)
    }

    // What Chrome makes of each, or Firefox where Chrome reads none.
    @Test(arguments: [
        ("attachment; filename=foo-%c3%a4.html", "foo-ä.html"),
        ("attachment; filename=\"foo-%41.html\"", "foo-A.html"),
        ("attachment; filename=\"a%20b%2Ec\"", "a b.c"),
        ("attachment; filename=\"50%.txt\"", "50%.txt"),
        ("attachment; filename=\"100%25.txt\"", "100%.txt"),
        ("attachment; filename=\"%zz%4.txt\"", "%zz%4.txt"),
        ("attachment; filename=\"a%FFb\"", "a%FFb"),
        ("attachment; filename=\"=?UTF-8?Q?foo-=C3=A4.html?=\"", "foo-ä.html"),
        ("attachment; filename==?ISO-8859-1?Q?foo-=E4.html?=", "foo-ä.html"),
        ("attachment; filename=\"=?utf-8?B?5pel5pysLnBkZg==?=\"", "日本.pdf"),
        ("attachment; filename=\"=?utf-8?b?5pel5pysLnBkZg?=\"", "日本.pdf"),
        ("attachment; filename=\"=?UTF-8?Q?a_?= =?UTF-8?Q?b.txt?=\"", "a b.txt"),
        ("attachment; filename=\"x =?UTF-8?Q?=C3=A4?= y\"", "x ä y"),
        ("attachment; filename=\"=?shift_jis?B?k/qWey50eHQ=?=\"", "日本.txt"),
        ("attachment; filename=\"=?UTF-8*en?Q?=C3=A4?=\"", "ä"),
        ("attachment; filename=\"=?nonsense?Q?a?=\"", "=?nonsense?Q?a?="),
        ("attachment; filename*=utf8''na%C3%AFve.txt", "naïve.txt"),
        ("attachment; filename*=UTF-8'en'na%c3%afve.txt", "naïve.txt"),
        ("attachment; filename*=windows-1252''%80%20rates", "€ rates"),
        ("attachment; filename*=Shift_JIS''%93%fa%96%7b.txt", "日本.txt"),
        ("attachment; filename*=gb2312''%C4%E3.txt", "你.txt"),
        ("attachment; filename*=\"UTF-8''foo-%c3%a4.html\"", "foo-ä.html"),
        ("attachment; filename*=''a; filename=b", "b"),
        ("attachment; filename=\"b\"; filename*=UTF-8''a", "a"),
        ("attachment; filename=first; filename=second", "first"),
        ("attachment; filename*0=\"foo.\"; filename*1=\"html\"", "foo.html"),
        ("attachment; filename*0*=UTF-8''foo-%c3%a4; filename*1=\".html\"", "foo-ä.html"),
        ("attachment; filename*1=\"html\"; filename=plain", "plain"),
        ("attachment; filename*0=\"long\"; filename*=UTF-8''best", "best"),
        ("attachment; filename=\"a\\\"b\\c.txt\"", "a\"bc.txt"),
        ("attachment; filename='a b.txt'", "'a b.txt'"),
        ("attachment; filename=a b.txt", "a b.txt"), ("attachment; filename=\"\"", ""),
        ("attachment; filename=naïve.txt", "naïve.txt"), ("attachment; filename=日本.txt", "日本.txt"),
        // Raw bytes, each of which stands for a character.
        ("attachment; filename=\"\u{80} rates\"", "€ rates"),
        ("attachment; filename=\"\u{93}quoted\u{94}\"", "\u{201C}quoted\u{201D}"),
    ])
    func `HTTP-6: a name is read as browsers read it`(field: String, name: String) {
        #expect(ContentDisposition.fileName(in: field) == name)
    }

    @Test(arguments: [
        ("windows-1251", "\u{EF}\u{F0}\u{E8}\u{E2}\u{E5}\u{F2}.txt", "привет.txt"),
        ("Shift_JIS", "\u{93}\u{FA}\u{96}{.txt", "日本.txt"),
        ("euc-jp", "\u{C6}\u{FC}\u{CB}\u{DC}.txt", "日本.txt"),
        ("GBK", "\u{C4}\u{E3}.txt", "你.txt"), ("big5", "\u{A7}A.txt", "你.txt"),
        ("euc-kr", "\u{B0}\u{A1}.txt", "가.txt"), ("iso-8859-1", "na\u{EF}ve.txt", "naïve.txt"),
        ("utf-8", "na\u{EF}ve.txt", "naïve.txt"), ("nonsense", "na\u{EF}ve.txt", "naïve.txt"),
        ("windows-1251", "日本.txt", "日本.txt"), ("windows-1251", "%EF%F0.txt", "пр.txt"),
        ("windows-1251", "%C3%A4.txt", "ä.txt"),
    ])
    func `HTTP-6: a name in no said encoding has that of the response's text`(
        charset: String,
        value: String,
        name: String
    ) throws {
        let response = try response([
            "Content-Disposition": "attachment; filename=\"\(value)\"",
            "Content-Type": "text/plain; charset=\(charset)",
        ])
        #expect(ContentDisposition.fileName(proposedBy: response) == name)
        #expect(response.suggestedFilename == name)
    }

    @Test(arguments: [
        ("ja_JP.UTF-8", [0x93, 0xFA] as [UInt8], "日"), ("ru_RU.UTF-8", [0xEF, 0x85], "п…"),
        ("zh_TW", [0xA7, 0x41], "你"), ("zh_CN.UTF-8", [0xC4, 0xE3], "你"), ("de_DE", [0x80], "€"),
        ("C.UTF-8", [0x80, 0xE4], "€ä"), ("", [0x99], "™"),
    ])
    func `HTTP-6: without any hint, the user's language says the encoding`(
        locale: String,
        bytes: [UInt8],
        text: String
    ) {
        #expect(LegacyEncoding(assumedFor: locale).text(bytes) == text)
    }

    @Test(arguments: [254, 255, 256, 300, 2000])
    func `API-29: a suggested name is no longer than a file system takes, and keeps its extension`(
        length: Int
    ) throws {
        for letter in ["a", "ü", "日", "👩‍👩‍👧"] {
            let whole = String(repeating: letter, count: length / letter.utf8.count)
            // What is longer is no extension.
            for end in [".tar.gz", "", ".\(letter)"] where end.utf8.count <= 16 {
                let response = try response([
                    "Content-Disposition": "attachment; filename=\"\(whole)\(end)\""
                ])
                let name = try #require(response.suggestedFilename)
                #expect(name.utf8.count <= 255)
                #expect(name.utf8.count > 255 - 40 || name == whole + end)
                #expect(name.hasSuffix(end == ".tar.gz" ? ".gz" : end))
                #expect((whole + end).hasPrefix(name.prefix(3)))
                // No character is cut in two.
                #expect(name.allSatisfy { "\(letter).targz".contains($0) })
            }
        }
    }
}
