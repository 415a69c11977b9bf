import Foundation
import Testing

@testable import Ferry

@Suite("DataURL", .timeLimit(.minutes(5)))
struct DataURLTests {
    @Test(arguments: [
        ("data:,A%20brief%20note", "A brief note"),
        ("data:,", ""),
        ("DATA:,a", "a"),
        ("data:,a,b;c=d", "a,b;c=d"),
        ("data:,a?b=c", "a?b=c"),
        ("data:,a%23b", "a#b"),
        ("data:,a#b", "a"),
        ("data:,50%25", "50%"),
        ("data:;base64,SGVsbG8=", "Hello"),
        ("data:;BASE64,SGVsbG8=", "Hello"),
        ("data:;%20base64,SGVsbG8=", "Hello"),
        ("data:;base64,SGVsbG8", "Hello"),
        ("data:;base64,SGVsbG9=", "Hello"),
        ("data:;base64,SGVs%0AbG8%3D", "Hello"),
        ("data:;base64,%20SGVs%20bG8=%20", "Hello"),
        ("data:;base64,SGVsbG8%3D#part", "Hello"),
        ("data:;base64,", ""),
        ("data:;base64;a=b,SGVsbG8=", "SGVsbG8="),
    ])
    func `the content is what follows the comma`(url: String, content: String) throws {
        #expect(try String(decoding: Self.read(url).data, as: UTF8.self) == content)
    }

    @Test(arguments: [
        ("data:,x", "text/plain", nil),
        ("data:;base64,eA==", "text/plain", nil),
        ("data:;,x", "text/plain", nil),
        ("data:;charset=utf-8;charset=utf-16;image/png,x", "text/plain", "utf-8"),
        ("data:a/b;key=value;charset=macroman,x", "a/b", "macroman"),
        ("data:;charset=utf-8,x", "text/plain", "utf-8"),
        ("data:;charset=utf-8;base64,eA==", "text/plain", "utf-8"),
        ("data:text/html,x", "text/html", nil),
        ("data:text/html;charset=ISO-8859-1,x", "text/html", "ISO-8859-1"),
        ("data:Text/HTML;CHARSET=%22utf-8%22,x", "text/html", "utf-8"),
        ("data:text/html;a=b;charset=utf-8;charset=latin1,x", "text/html", "utf-8"),
        ("data:text/html;charset,x", "text/html", nil),
        ("data:text/html;charset=,x", "text/html", nil),
        ("data:image/svg+xml;base64,eA==", "image/svg+xml", nil),
        ("data:%20text/css%20;%20charset=a%20,x", "text/css", "a"),
    ])
    func `API-13: the type is what precedes the comma, or plain text without a character set`(
        url: String,
        mimeType: String,
        encoding: String?
    ) throws {
        let content = try Self.read(url)
        #expect(content.mimeType == mimeType)
        #expect(content.textEncodingName == encoding)
    }

    @Test func `bytes need be no text`() throws {
        #expect(try Self.read("data:,%00%FF%fe").data == Data([0, 0xff, 0xfe]))
        #expect(try Self.read("data:;base64,AP/+").data == Data([0, 0xff, 0xfe]))
    }

    @Test(arguments: ["data:", "data:text/plain", "data:text/plain;base64", "data:a#,b", "http:,"])
    func `without a comma it is no data URL`(url: String) throws {
        try Self.expectError(.badURL, for: url)
    }

    @Test(arguments: [
        "data:text,x", "data:text/,x", "data:/html;charset=utf-8,x", "data:a/b/c,x",
        "data:te(t/html,x", "data:base64,SGVsbG8=",
        "data:application_json;charset=iso-8859-%31;key=value,123,",
        "data:appli/cation/json%3bcharset=ISO-8859-1;key=value,,123,",
    ])
    func `API-13: with a malformed media type it is no data URL`(url: String) throws {
        try Self.expectError(.badURL, for: url)
    }

    @Test(arguments: [
        "A", "AB=", "A===", "AAAAA", "AA=A", "AA==AA==", "AB-_", "%3D", "A%00AA", "%C3%A4",
    ])
    func `what is no Base64 cannot be decoded`(text: String) throws {
        try Self.expectError(.cannotDecodeRawData, for: "data:;base64,\(text)")
    }

    @Test func `the response tells type, character set and length`() throws {
        let url = try #require(URL(string: "data:text/html;charset=utf-8;base64,SGVsbG8="))
        let response = try DataURL(url).response(to: url)
        #expect(response.url == url)
        #expect(response.mimeType == "text/html")
        #expect(response.textEncodingName == "utf-8")
        #expect(response.expectedContentLength == 5)
    }

    private static func read(_ text: String) throws -> DataURL {
        try DataURL(#require(URL(string: text)))
    }

    private static func expectError(_ code: URLError.Code, for text: String) throws {
        let url = try #require(URL(string: text))
        let error = #expect(throws: URLError.self) { try DataURL(url) }
        #expect(error?.code == code)
        #expect(error?.failingURL == url)
    }
}
