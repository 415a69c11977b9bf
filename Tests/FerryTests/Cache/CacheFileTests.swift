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
