import FerryHTTP
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(5))) struct ValidatorTests {
    private static let modified = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let secondLater = "Sun, 06 Nov 1994 08:49:38 GMT"

    private func validator(_ fields: [(String, String)], isDecoded: Bool = false) -> Validator? {
        var head = HTTPResponseHead(
            status: 200,
            fields: fields.map { HTTPField(name: $0.0, value: $0.1) },
            url: "http://host/"
        )
        head.isDecoded = isDecoded
        return Validator(head: head)
    }

    @Test(arguments: ["\"\"", "\"abc\"", "\"a!#~\"", "\"W/x\"", "\"ä\"", " \"abc\" "])
    func `a strong entity tag is a validator`(tag: String) {
        let trimmed = tag.filter { $0 != " " }
        #expect(validator([("eTaG", tag)]) == .strongETag(trimmed))
    }

    @Test func `RD-5: an entity tag is preferred to a date`() {
        #expect(
            validator([
                ("Date", Self.secondLater), ("Last-Modified", Self.modified), ("ETag", "\"a\""),
            ]) == .strongETag("\"a\"")
        )
    }

    @Test(arguments: ["W/\"abc\"", "W/\"\""])
    func `a weak entity tag proves nothing, and forbids the date`(tag: String) {
        #expect(
            validator([
                ("ETag", tag), ("Last-Modified", Self.modified), ("Date", Self.secondLater),
            ]) == .weak(tag)
        )
    }

    @Test(arguments: [
        "abc", "\"abc", "abc\"", "\"", "", "\"a\"b\"", "\"a b\"", "w/\"abc\"", "W/abc", "\"a\tb\"",
        "\"a\", \"b\"",
    ])
    func `what is no entity tag is ignored`(tag: String) {
        #expect(validator([("ETag", tag)]) == .weak(""))
        #expect(
            validator([
                ("ETag", tag), ("Last-Modified", Self.modified), ("Date", Self.secondLater),
            ]) == .lastModified(Self.modified)
        )
    }

    @Test func `two different entity tags prove nothing`() {
        #expect(validator([("ETag", "\"a\""), ("ETag", "\"b\"")])?.isStrong == false)
        #expect(validator([("ETag", "\"a\""), ("ETag", "W/\"a\"")])?.isStrong == false)
        #expect(validator([("ETag", "\"a\""), ("ETag", "\"a\"")]) == .strongETag("\"a\""))
    }

    @Test func `a date is a validator when the response is a second younger`() {
        #expect(
            validator([("Last-Modified", Self.modified), ("Date", Self.secondLater)])
                == .lastModified(Self.modified)
        )
    }

    @Test(arguments: [
        [("Last-Modified", modified)],
        [("Last-Modified", modified), ("Date", modified)],
        [("Last-Modified", secondLater), ("Date", modified)],
        [("Last-Modified", modified), ("Date", "now")],
        [("Last-Modified", "then"), ("Date", secondLater)],
        [("Last-Modified", modified), ("Last-Modified", secondLater), ("Date", secondLater)],
        [("Date", secondLater)],
        [],
    ])
    func `a date that may hide a change proves nothing`(fields: [(String, String)]) {
        #expect(validator(fields)?.isStrong == false)
    }

    @Test(arguments: ["gzip", "GZIP", "br, identity", "identity, gzip", " zstd "])
    func `KEEP-4: a validator is for the bytes as they were sent, not for decoded ones`(
        coding: String
    ) {
        let fields = [("ETag", "\"a\""), ("Content-Encoding", coding)]
        #expect(validator(fields) == .strongETag("\"a\""))
        #expect(validator(fields, isDecoded: true) == .weak("\"a\""))
        // What says no version and is compressed for the way is hardly a file.
        #expect(validator([("Content-Encoding", coding)], isDecoded: true) == nil)
    }

    @Test(arguments: ["none", " None"])
    func `RD-1: what has no parts has a validator all the same`(ranges: String) {
        let fields = [("ETag", "\"a\""), ("Accept-Ranges", ranges)]
        #expect(validator(fields) == .strongETag("\"a\""))
    }

    @Test func `the value of If-Range is what the server sent`() {
        #expect(Validator.strongETag("\"a\"").ifRange == "\"a\"")
        #expect(Validator.lastModified(Self.modified).ifRange == Self.modified)
    }

    @Test func `an entity tag beside one that is none is ambiguous`() {
        #expect(validator([("ETag", "\"a\""), ("ETag", "\"a")])?.isStrong == false)
        #expect(validator([("ETag", "\"a\""), ("ETag", "\"a\" ")]) == .strongETag("\"a\""))
    }

    @Test func `entity tags are compared byte by byte`() throws {
        let tags = ["\"\u{E9}\"", "\"e\u{301}\""]
        #expect(validator([("ETag", tags[0]), ("ETag", tags[1])])?.isStrong == false)
        let strong = try #require(validator([("ETag", tags[0])]))
        for (tag, isSame) in zip(tags, [true, false]) {
            let fields = [HTTPField(name: "ETag", value: tag)]
            let part = HTTPResponseHead(status: 206, fields: fields, url: "https://example.com/")
            #expect((strong.mismatch(withPart: part) == nil) == isSame)
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct HTTPResponseHeadBodyTests {
    private func head(_ fields: [(String, String)]) -> HTTPResponseHead {
        HTTPResponseHead(
            status: 200,
            fields: fields.map { HTTPField(name: $0.0, value: $0.1) },
            url: "http://host/"
        )
    }

    @Test(
        arguments: [
            ([("Content-Length", "0")], 0),
            ([("content-length", "12")], 12),
            ([("Content-Length", "12"), ("Content-Length", "12")], 12),
            ([("Content-Length", "12, 12")], 12),
            ([("Content-Length", " 12\t")], 12),
            ([("Content-Length", "12, 13")], nil),
            ([("Content-Length", "12"), ("Content-Length", "13")], nil),
            ([("Content-Length", "12,")], nil),
            ([("Content-Length", "")], nil),
            ([("Content-Length", "-1")], nil),
            ([("Content-Length", "+1")], nil),
            ([("Content-Length", "1e3")], nil),
            ([("Content-Length", "99999999999999999999")], nil),
            ([("Content-Length", "12"), ("Transfer-Encoding", "chunked")], nil),
            ([], nil),
        ] as [([(String, String)], Int64?)]
    )
    func `a length is believed only when it is certain`(
        fields: [(String, String)],
        length: Int64?
    ) {
        #expect(head(fields).contentLength == length)
    }
}
