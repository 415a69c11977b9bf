import Ferry
import Foundation
import Testing

@testable import FerryCommand

/// Streams that are continued after a loss, and proved to be of the same version.
@Suite(.timeLimit(.minutes(1))) struct StreamPositionTests {
    private static let content = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    private let url: URL
    private let whole: URLRequest

    init() throws {
        url = try #require(URL(string: "https://example.org/a"))
        whole = URLRequest(url: url)
    }

    private func response(_ status: Int, _ fields: [String: String]) throws -> HTTPURLResponse {
        try #require(
            HTTPURLResponse(
                url: url,
                statusCode: status,
                httpVersion: "HTTP/1.1",
                headerFields: fields
            )
        )
    }

    /// A position after the first so many bytes.
    private func position(
        after count: Int,
        _ fields: [String: String] = [:]
    ) throws -> StreamPosition {
        var position = StreamPosition()
        _ = position.request(whole)
        let length = ["Content-Length": String(Self.content.count)]
        try position.begin(try response(200, length.merging(fields) { $1 }))
        let new = try position.take(Self.content.prefix(count))
        #expect(new == Self.content.prefix(count))
        position.wrote(new)
        return position
    }

    /// Takes a body in pieces; returns what is to be written.
    private func take(_ body: Data, _ position: inout StreamPosition) throws -> Data {
        var written = Data()
        var rest = body
        while !rest.isEmpty {
            let piece = rest.prefix(7001)
            rest = rest.dropFirst(piece.count)
            let new = try position.take(piece)
            position.wrote(new)
            written += new
        }
        position.end()
        return written
    }

    @Test func `the first request is for all, without a coding`() {
        var position = StreamPosition()
        let request = position.request(whole)
        #expect(request.value(forHTTPHeaderField: "Range") == nil)
        #expect(request.value(forHTTPHeaderField: "If-Range") == nil)
        #expect(request.value(forHTTPHeaderField: "Accept-Encoding") == "identity")
    }

    @Test func `with a strong entity tag the rest is requested, if it is of that version`() throws {
        var position = try position(after: 100_000, ["ETag": "\"v1\""])
        let request = position.request(whole)
        #expect(request.value(forHTTPHeaderField: "Range") == "bytes=100000-")
        #expect(request.value(forHTTPHeaderField: "If-Range") == "\"v1\"")
        try position.begin(
            try response(206, ["ETag": "\"v1\"", "Content-Range": "bytes 100000-199999/200000"])
        )
        #expect(
            try take(Self.content.dropFirst(100_000), &position) == Self.content.dropFirst(100_000)
        )
        #expect(position.isComplete)
        #expect(position.offset == 200_000)
    }

    @Test(arguments: [[:], ["ETag": "W/\"v1\""]])
    func `without one the last bytes have to come again`(fields: [String: String]) throws {
        var position = try position(after: 100_000, fields)
        let request = position.request(whole)
        let start = 100_000 - 65_536
        #expect(request.value(forHTTPHeaderField: "Range") == "bytes=\(start)-")
        #expect(request.value(forHTTPHeaderField: "If-Range") == nil)
        try position.begin(
            try response(206, ["Content-Range": "bytes \(start)-199999/200000"])
        )
        let written = try take(Self.content.dropFirst(start), &position)
        #expect(written == Self.content.dropFirst(100_000))
        #expect(position.isComplete)
        var other = try self.position(after: 100_000, fields)
        _ = other.request(whole)
        try other.begin(try response(206, ["Content-Range": "bytes \(start)-199999/200000"]))
        var changed = Data(Self.content.dropFirst(start))
        changed[65_535] ^= 1
        #expect(throws: StreamPosition.Fault.changed) { try take(changed, &other) }
        #expect(other.offset == 100_000)
    }

    @Test(arguments: [["ETag": "\"v1\""], [:]])
    func `of a server without ranges, what was written is passed over`(
        fields: [String: String]
    ) throws {
        for count in [1, 10, 65_535, 65_536, 65_537, 199_999, 200_000] {
            var position = try position(after: count, fields)
            _ = position.request(whole)
            try position.begin(
                try response(200, fields.merging(["Content-Length": "200000"]) { $1 })
            )
            #expect(try take(Self.content, &position) == Self.content.dropFirst(count))
            #expect(position.isComplete)
        }
    }

    @Test(
        arguments: [
            (206, ["Content-Range": "bytes 0-199999/200000", "ETag": "\"v1\""], .otherBytes),
            (206, ["ETag": "\"v1\""], .otherBytes),
            (206, ["Content-Range": "bytes 100000-199999/200000", "ETag": "\"v2\""], .changed),
            (206, ["Content-Range": "bytes 100000-199999/200000"], .changed),
            (206, ["Content-Range": "bytes 100000-299999/300000", "ETag": "\"v1\""], .changed),
            (200, ["Content-Length": "200000", "ETag": "\"v2\""], .changed),
            (200, ["Content-Length": "200001", "ETag": "\"v1\""], .changed),
            (416, ["Content-Range": "bytes */99"], .status(416)), (416, [:], .status(416)),
            (404, [:], .status(404)), (503, [:], .status(503)), (304, [:], .status(304)),
        ] as [(Int, [String: String], StreamPosition.Fault)]
    )
    func `a response that does not continue the stream is refused`(
        status: Int,
        fields: [String: String],
        fault: StreamPosition.Fault
    ) throws {
        var position = try position(after: 100_000, ["ETag": "\"v1\""])
        _ = position.request(whole)
        let response = try response(status, fields)
        #expect(throws: fault) { try position.begin(response) }
        #expect(position.offset == 100_000)
        #expect(!position.isComplete)
    }

    @Test func `a range that is empty means that all was written`() throws {
        var position = try position(after: 200_000, ["ETag": "\"v1\""])
        _ = position.request(whole)
        try position.begin(try response(416, ["Content-Range": "bytes */200000"]))
        #expect(position.isComplete)
    }

    @Test func `a response that ends before its length is not complete`() throws {
        var position = try position(after: 100_000)
        position.end()
        #expect(!position.isComplete)
        var unknown = StreamPosition()
        _ = unknown.request(whole)
        try unknown.begin(try response(200, [:]))
        unknown.wrote(try unknown.take(Data([1, 2])))
        unknown.end()
        #expect(unknown.isComplete)
    }
}
