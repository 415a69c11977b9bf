import FerryHTTP
import FerrySystem
import FerryTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import Ferry

@Suite("A response in a file", .timeLimit(.minutes(5)))
struct CacheFileTests {
    private let temporary: TemporaryDirectory
    private let key: CacheKey

    init() throws {
        temporary = try TemporaryDirectory()
        let url = try #require(URL(string: "https://host/file?a"))
        key = try #require(CacheKey(URLRequest(url: url)))
    }

    private func write(_ response: CachedURLResponse) throws {
        let file = try #require(CacheFile(KeptResponse(response), for: key))
        let opened = try temporary.directory.open("file", .create)
        try file.write(to: opened)
        #expect(try Int(opened.status().size) == file.byteCount)
    }

    private func read(for other: CacheKey? = nil) throws -> KeptResponse? {
        let file = try temporary.directory.open("file", .read)
        return CacheFile.read(
            file,
            byteCount: Int(try file.status().size),
            for: other ?? key,
            marked: .distantPast
        )
    }

    private func response(
        _ fields: [String: String] = ["Content-Type": "text/plain; charset=utf-8", "X-a": "b"]
    ) throws -> HTTPURLResponse {
        let url = try #require(URL(string: "https://elsewhere/file%20a?b"))
        return try #require(
            HTTPURLResponse(url: url, statusCode: 203, httpVersion: nil, headerFields: fields)
        )
    }

    @Test(arguments: [0, 1, 100_000])
    func `an HTTP response comes back as it was`(byteCount: Int) throws {
        let response = try response()
        let body = Data((0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let date = Date()
        try write(CachedURLResponse(response: response, data: body))
        let kept = try #require(try read())
        let found = try #require(kept.response.response as? HTTPURLResponse)
        #expect(found.url == response.url)
        #expect(found.statusCode == 203)
        #expect(
            found.allHeaderFields as? [String: String] == response.allHeaderFields
                as? [String: String]
        )
        #expect(found.mimeType == "text/plain")
        #expect(found.textEncodingName == "utf-8")
        #expect(found.suggestedFilename == response.suggestedFilename)
        #expect(found.expectedContentLength == response.expectedContentLength)
        #expect(kept.response.data == body)
        #expect(kept.response.userInfo == nil)
        #expect(kept.response.storagePolicy == .allowed)
        #expect(abs(kept.date.timeIntervalSince(date)) < 60)
    }

    @Test func `a response of another kind comes back as it was`() throws {
        let response = URLResponse(
            url: try #require(URL(string: "song:one")),
            mimeType: "audio/ogg",
            expectedContentLength: 7,
            textEncodingName: nil
        )
        try write(CachedURLResponse(response: response, data: Data([1])))
        let found = try #require(try read()).response.response
        #expect(type(of: found) == URLResponse.self)
        #expect(found.url == response.url)
        #expect(found.mimeType == "audio/ogg")
        #expect(found.expectedContentLength == 7)
        #expect(found.textEncodingName == nil)
    }

    @Test func `a response whose body was decoded is still one`() throws {
        let fields = ["Content-Encoding": "gzip", "Content-Length": "3"]
        let url = try #require(URL(string: "https://host/"))
        let response = try #require(
            ReceivedHTTPURLResponse(
                url: url,
                statusCode: 200,
                httpVersion: nil,
                headerFields: fields
            )
        )
        try write(CachedURLResponse(response: response, data: Data("decoded".utf8)))
        #expect(try #require(try read()).response.response.expectedContentLength == -1)
    }

    @Test func `user info comes back with its types`() throws {
        let date = Date(timeIntervalSinceReferenceDate: 123.456_789)
        let userInfo: [AnyHashable: Any] = [
            "text": "a", "data": Data([0]), "date": date, "flag": true, "integer": 1, "number": 1.0,
        ]
        try write(
            CachedURLResponse(
                response: try response(),
                data: Data(),
                userInfo: userInfo,
                storagePolicy: .allowed
            )
        )
        let found = try #require(try read()?.response.userInfo)
        #expect(found.count == 6)
        #expect(found["text"] as? String == "a")
        #expect(found["data"] as? Data == Data([0]))
        #expect(found["date"] as? Date == date)
        #expect(found["flag"] as? Bool == true)
        #expect(found["integer"] as? Int == 1)
        #expect(found["number"] as? Double == 1)
    }

    // MARK: - Forged files

    /// Writes a file with a header of bytes, whose hash is right.
    private func forge(_ header: [UInt8], date: UInt64 = 0, body: [UInt8] = []) throws {
        var start = Array("FerryUC2".utf8)
        for word in [UInt64(header.count), UInt64(body.count), date] {
            withUnsafeBytes(of: word.littleEndian) { start.append(contentsOf: $0) }
        }
        let hash = BodyHash(.sha256)
        for part in [start, header, body] { part.withUnsafeBytes { hash.add($0) } }
        let opened = try temporary.directory.open("file", .create)
        let bytes = start + (try #require(hash.finish())) + header + body
        try bytes.withUnsafeBytes { try opened.writeAll($0) }
    }

    /// Headers that are none, or not for this key.
    private static let forged: [String] = [
        "", "{", "[]", "null", "7", "\"a\"", "{}", #"{"url":"https://host/file?a"}"#,
        #"{"url":"https://host/file?a","response":null}"#,
        #"{"url":"https://host/file?a","response":{"url":"","expectedContentLength":0}}"#,
        #"{"url":"https://host/other","response":{"url":"a:b","expectedContentLength":0}}"#,
        #"{"url":"https://host/file?a","response":{"url":"a:b","expectedContentLength":1e999}}"#,
        #"{"url":"https://host/file?a","response":{"url":"a:b","expectedContentLength":-9223372036854775809}}"#,
        #"{"url":"https://host/file?a","response":{"url":"a:b","expectedContentLength":0.5}}"#,
        #"{"url":"https://host/file?a","response":{"url":"a:b","expectedContentLength":0,"http":{"status":1}}}"#,
        #"{"url":"https://host/file?a","response":{"url":"a:b","expectedContentLength":0},"userInfo":{"a":{"data":{"_0":"!"}}}}"#,
        "bplist00\u{d1}\u{1}\u{1}", "<?xml version=\"1.0\"?><plist><array/></plist>",
    ]

    @Test(arguments: forged)
    func `REL-19: a file with a forged header is none`(header: String) throws {
        try forge(Array(header.utf8))
        #expect(try read() == nil)
    }

    @Test(arguments: [100, 100_000])
    func `REL-19: a header that is nested without end is none`(depth: Int) throws {
        for (opening, closing) in [("[", "]"), ("{\"url\":", "}")] {
            let text = String(repeating: opening, count: depth)
            try forge(Array((text + "0" + String(repeating: closing, count: depth)).utf8))
            #expect(try read() == nil)
            try forge(Array(text.utf8))
            #expect(try read() == nil)
        }
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, .signalingNaN])
    func `REL-19: a file without a date is none`(date: Double) throws {
        let response = try response()
        let file = CachedURLResponse(response: response, data: Data())
        let header = try #require(CacheFile.Header(file, for: key))
        let bytes = try #require(CacheCoding.encode(header))
        try forge(Array(bytes), date: 0)
        #expect(try read() != nil, "the rest of it is right")
        try forge(Array(bytes), date: date.bitPattern)
        #expect(try read() == nil)
    }

    /// Every byte of a header in turn, changed to each of some.
    @Test func `REL-19: whatever single byte of a header is changed, the process goes on`() throws {
        let response = CachedURLResponse(
            response: try response(["A": "b"]),
            data: Data(),
            userInfo: ["n": 1.5, "d": Data([1, 2])],
            storagePolicy: .allowed
        )
        let header = try #require(CacheFile.Header(response, for: key))
        let bytes = Array(try #require(CacheCoding.encode(header)))
        let others: [UInt8] = [0, 0x22, 0x2d, 0x39, 0x45, 0x5b, 0x5c, 0x7b, 0x7f, 0x80, 0xff]
        for index in bytes.indices {
            for other in others {
                var changed = bytes
                changed[index] = other
                let read = CacheCoding.decode(CacheFile.Header.self, from: Data(changed))
                _ = read?.cachedResponse(with: Data())
            }
            let cut = CacheCoding.decode(CacheFile.Header.self, from: Data(bytes[..<index]))
            #expect(cut == nil, "cut at \(index)")
        }
    }

    @Test func `REL-19: a forged record in the user info counts as none`() {
        for text in ["", "{}", "[[[[", "bplist00", "{\"requestTime\":1e99}"] {
            #expect(CacheRecord(userInfo: [CacheRecord.key: Data(text.utf8)]) == nil)
        }
    }

    /// A response of an app's.
    private final class OwnResponse: URLResponse, @unchecked Sendable {}

    @Test func `a response of an app's class, and user info of other types, is for the memory`()
        throws
    {
        let own = OwnResponse(
            url: try #require(URL(string: "song:one")),
            mimeType: nil,
            expectedContentLength: 7,
            textEncodingName: nil
        )
        #expect(
            CacheFile(KeptResponse(CachedURLResponse(response: own, data: Data())), for: key) == nil
        )
        let others: [[AnyHashable: Any]] = [
            ["a": ["b"]], ["a": UUID()], ["a": NSNull()], [1: "a"], ["a": NSNumber(value: 1)],
            ["a": String(repeating: "x", count: 2 << 20)],
        ]
        for userInfo in others {
            let response = CachedURLResponse(
                response: try response(),
                data: Data(),
                userInfo: userInfo,
                storagePolicy: .allowed
            )
            #expect(CacheFile(KeptResponse(response), for: key) == nil, "\(userInfo)")
        }
    }

    @Test func `a file for another URL has no response`() throws {
        try write(CachedURLResponse(response: try response(), data: Data()))
        let url = try #require(URL(string: "https://host/file?b"))
        #expect(try read(for: CacheKey(URLRequest(url: url))) == nil)
        #expect(try read() != nil)
    }

    @Test func `a file with any byte changed, or without its last ones, has no response`() throws {
        try write(CachedURLResponse(response: try response(), data: Data("body".utf8)))
        let whole = try temporary.contents(of: "file")
        for index in whole.indices {
            try temporary.write([whole[index] ^ 0x80], to: "file", at: Int64(index))
            #expect(try read() == nil, "byte \(index)")
            try temporary.write([whole[index]], to: "file", at: Int64(index))
        }
        #expect(try read() != nil)
        try temporary.write([0], to: "file", at: Int64(whole.count))
        #expect(try read() == nil)
        let file = try temporary.directory.open("file", .readWrite)
        for count in whole.indices.reversed() {
            try file.truncate(to: Int64(count))
            #expect(try read() == nil, "\(count) bytes")
        }
    }
}
