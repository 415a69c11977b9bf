import FerryHTTP
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(5))) struct ResumptionTests {
    private static let url = "https://host/file"
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    private static func version(
        _ validator: Validator? = .strongETag("\"a\""),
        total: Int64? = 100
    ) -> ResourceVersion {
        ResourceVersion(validator: validator, totalByteCount: total, url: url)
    }

    private static func part(
        _ range: String? = "bytes 40-99/100",
        _ fields: [(String, String)] = [("ETag", "\"a\"")],
        url: String = url
    ) -> HTTPResponseHead {
        var head = HTTPResponseHead(status: 206, fields: [], url: url)
        if let range { head.fields.append(HTTPField(name: "Content-Range", value: range)) }
        head.fields += fields.map { HTTPField(name: $0.0, value: $0.1) }
        return head
    }

    private func isRefused(_ answer: Resumption.Answer) -> Bool {
        if case .accepted = answer { false } else { true }
    }

    // MARK: - Asking

    @Test func `RD-5: the rest is asked for, of this version only`() throws {
        let resumption = try #require(Resumption(byteCount: 40, version: Self.version()))
        #expect(
            resumption.fields == [
                HTTPField(name: "Range", value: "bytes=40-"),
                HTTPField(name: "If-Range", value: "\"a\""),
            ]
        )
    }

    @Test func `the last byte is asked for again where all bytes may be there`() throws {
        let complete = try #require(Resumption(byteCount: 100, version: Self.version()))
        #expect(complete.offset == 99)
        let unknown = try #require(Resumption(byteCount: 40, version: Self.version(total: nil)))
        #expect(unknown.offset == 39)
    }

    @Test(
        arguments: [
            (0, version()),
            (40, version(nil)),
            (101, version()),
            (1, version(total: 1)),
            (1, version(total: nil)),
        ] as [(Int64, ResourceVersion)]
    )
    func `there is nothing to continue`(byteCount: Int64, version: ResourceVersion) {
        #expect(Resumption(byteCount: byteCount, version: version) == nil)
    }

    // MARK: - The answer

    @Test func `the rest of the same version is accepted`() throws {
        let resumption = try #require(Resumption(byteCount: 40, version: Self.version()))
        #expect(resumption.answer(Self.part()) == .accepted(end: 100, total: 100))
        #expect(resumption.answer(Self.part("bytes 40-59/100")) == .accepted(end: 60, total: 100))
        #expect(resumption.answer(Self.part("bytes 40-59/*")) == .accepted(end: 60, total: 100))
        let matching = Self.part("bytes 40-99/100", [("ETag", "\"a\""), ("Content-Length", "60")])
        #expect(resumption.answer(matching) == .accepted(end: 100, total: 100))
    }

    @Test func `a length that was unknown is learned`() throws {
        let resumption = try #require(Resumption(byteCount: 40, version: Self.version(total: nil)))
        #expect(
            resumption.answer(Self.part("bytes 39-99/100")) == .accepted(end: 100, total: 100)
        )
        #expect(isRefused(resumption.answer(Self.part("bytes 39-99/*"))))
    }

    @Test(arguments: [
        part(nil),
        part("bytes 0-99/100"),
        part("bytes 39-99/100"),
        part("bytes 41-99/100"),
        part("bytes 40-99/101"),
        part("bytes 40-98/99"),
        part("bytes 40-100/*"),
        part("bytes */100"),
        part("garbage"),
        part("bytes 40-99/100", []),
        part("bytes 40-99/100", [("ETag", "\"b\"")]),
        part("bytes 40-99/100", [("ETag", "\"A\"")]),
        part("bytes 40-99/100", [("ETag", "W/\"a\"")]),
        part("bytes 40-99/100", [("ETag", "\"a\""), ("ETag", "\"b\"")]),
        part("bytes 40-99/100", [("ETag", "\"a\""), ("Content-Encoding", "gzip")]),
        part("bytes 40-99/100", [("ETag", "\"a\""), ("Content-Length", "59")]),
        part("bytes 40-99/100", [("ETag", "\"a\""), ("Content-Range", "bytes 0-1/2")]),
        part(url: "https://host/other"),
    ])
    func `what may be another version is refused`(head: HTTPResponseHead) throws {
        let resumption = try #require(Resumption(byteCount: 40, version: Self.version()))
        #expect(isRefused(resumption.answer(head)))
    }

    @Test(
        arguments: [
            (nil, "gzip", false), ("gzip", nil, true), ("gzip", "gzip", true),
            ("gzip", "GZIP", true),
            ("gzip", "x-gzip", true), ("gzip", "br", false), ("gzip", "identity", true),
            (nil, "identity", true), ("x-secret", "x-secret", true), ("gzip, br", "gzip", false),
        ] as [(String?, String?, Bool)]
    )
    func `KEEP-4: a part is in the coding of the bytes that it continues`(
        held: String?,
        coding: String?,
        isAccepted: Bool
    ) throws {
        var version = Self.version()
        version.coding = held
        let fields = coding.map { [("ETag", "\"a\""), ("Content-Encoding", $0)] }
        let part = Self.part("bytes 40-99/100", fields ?? [("ETag", "\"a\"")])
        let resumption = try #require(Resumption(byteCount: 40, version: version))
        #expect(isRefused(resumption.answer(part)) != isAccepted)
    }

    @Test(arguments: [
        ("bytes 40-59/100", true), ("bytes 40-49/100", true), ("bytes 40-60/100", false),
        ("bytes 40-99/100", false), ("bytes 39-59/100", false), ("bytes 41-59/100", false),
    ])
    func `TEST-12: what a gap is filled with ends where the gap does, or before`(
        range: String,
        isAccepted: Bool
    ) throws {
        let resumption = try #require(Resumption(gap: 40..<60, version: Self.version()))
        #expect(isRefused(resumption.answer(Self.part(range))) != isAccepted)
    }

    @Test(arguments: [
        "https://host/file?signature=2", "https://user@host/file", "https://mirror:8443/file",
        "http://host/file#part",
    ])
    func `an entity tag holds under the same path`(url: String) throws {
        let resumption = try #require(Resumption(byteCount: 40, version: Self.version()))
        #expect(resumption.answer(Self.part(url: url)) == .accepted(end: 100, total: 100))
    }

    @Test func `a date may be left out of a part, but may not differ`() throws {
        let version = Self.version(.lastModified(Self.date))
        let resumption = try #require(Resumption(byteCount: 40, version: version))
        let range = "bytes 40-99/100"
        let accepted = Resumption.Answer.accepted(end: 100, total: 100)
        #expect(resumption.answer(Self.part(range, [])) == accepted)
        #expect(resumption.answer(Self.part(range, [("Last-Modified", Self.date)])) == accepted)
        let other = "Sun, 06 Nov 1994 08:49:38 GMT"
        #expect(isRefused(resumption.answer(Self.part(range, [("Last-Modified", other)]))))
    }

    @Test(arguments: ["https://mirror/file", "http://host/file", "https://host:444/file"])
    func `a date holds at the same origin only`(url: String) throws {
        let version = Self.version(.lastModified(Self.date))
        let resumption = try #require(Resumption(byteCount: 40, version: version))
        #expect(isRefused(resumption.answer(Self.part("bytes 40-99/100", [], url: url))))
        let signed = Self.part("bytes 40-99/100", [], url: Self.url + "?x=1")
        #expect(!isRefused(resumption.answer(signed)))
    }

    @Test func `a version keeps no secret of a URL`() {
        let version = ResourceVersion(
            validator: nil,
            totalByteCount: nil,
            url: "https://user:password@Host/a/b?signature=secret#fragment"
        )
        #expect(version.origin == "https://host:443")
        #expect(version.path == "/a/b")
    }
}
