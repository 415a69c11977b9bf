import FerryHTTP
import FerryTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import Ferry

@Suite(.timeLimit(.minutes(5))) struct ReceivedResponseTests {
    private func response(
        _ fields: KeyValuePairs<String, String> = [:],
        from url: String = "http://host/path/song.tar.gz?x=y"
    ) throws -> HTTPURLResponse {
        let fields = fields.map { HTTPField(name: $0, value: $1) }
        return try #require(.make(HTTPResponseHead(status: 200, fields: fields, url: url)))
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
            let response = try response(["Content-Length": "50", field.key: field.value])
            #expect(response.expectedContentLength == NSURLSessionTransferSizeUnknown)
        }
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
        ("attachment; filename*=koi8-r''%C1; filename=fallback", "fallback"),
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
}
