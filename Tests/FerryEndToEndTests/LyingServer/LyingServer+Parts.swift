import FerryTestSupport

extension LyingServer {
    /// What else can be wrong with the answer to a request for the rest (RFC 9110 §14).
    static let parts = readableParts + wrongRanges + wrongVersions + otherAnswers + brokenParts

    // MARK: - Parts that are right, and look odd

    private static let readableParts: [LyingServer] = [
        ("in a unit of capitals", FixtureAnswer.part(range: "BYTES 100000-300000/300001")),
        ("with zeros in its numbers", .part(range: "bytes 00100000-0300000/000300001")),
        ("in chunks", FixtureAnswer.oldFile.chunked()),
        ("up to the end of the connection", FixtureAnswer.oldFile.untilClose()),
        ("behind an interim response", FixtureAnswer.oldFile.after(interim: 103)),
        (
            "of another type",
            .oldFile.with(fields: [("Content-Type", "text/html"), ("Content-Language", "tlh")])
        ),
        ("with surplus bytes behind it", surplusPart),
        ("that says that there are no parts", .oldFile.with(fields: [("Accept-Ranges", "none")])),
        (
            "that is to be seen as unpacked",
            .oldFile.with(fields: [("Content-Encoding", "identity")])
        ),
    ].map { behaviour, answer in
        .continuation("206 " + behaviour, answer, gets: .file(old, status: 206), asks: [rest])
    }

    private static let surplusPart = FixtureAnswer.script([
        .text("HTTP/1.1 206 Part\r\nETag: \"v1\"\r\nContent-Length: 200001\r\n"),
        .text("Content-Range: bytes 100000-300000/300001\r\n\r\n"),
        .sendBody(old, cutByteCount..<old.byteCount, bytesPerSecond: nil),
        .text("surplus"), .close,
    ])

    // MARK: - Parts of other places

    private static let wrongRanges: [LyingServer] = [
        ("with an equals sign", "bytes=100000-300000/300001"),
        ("with a sign in its numbers", "bytes +100000-+300000/300001"),
        ("in hexadecimal digits", "bytes 0x186A0-0x493E0/0x493E1"),
        ("without a whole", "bytes 100000-300000"),
        ("with an empty whole", "bytes 100000-300000/"),
        ("of a whole of nothing", "bytes 100000-300000/0"),
        ("of a negative whole", "bytes 100000-300000/-1"),
        ("without an end", "bytes 100000-/300001"),
        ("without a start", "bytes -300000/300001"),
        ("with a list", "bytes 100000-300000/300001, bytes 0-1/300001"),
        ("up to the greatest number", "bytes 100000-9223372036854775807/*"),
        ("of a whole beyond the greatest number", "bytes 100000-300000/9223372036854775808"),
        ("with two slashes", "bytes 100000-300000/300001/300001"),
        ("in no unit", "100000-300000/300001"),
        ("of nothing in no place", "bytes */*"),
        ("with spaces in its numbers", "bytes 100000 - 300000 / 300001"),
        ("of its first byte only", "bytes 100000-100000/300001"),
        ("of the first bytes", "bytes 0-200000/300001"),
    ].map { behaviour, range in
        .continuation(
            "206 " + behaviour,
            .part(range: range),
            gets: .file(old),
            asks: [rest, whole]
        )
    }

    private static let wrongVersions: [LyingServer] =
        [
            ("with an empty ETag", [("ETag", "")]),
            ("with an ETag of nothing", [("ETag", "\"\"")]),
            ("with the ETag in other quotes", [("ETag", "'v1'")]),
            ("with the ETag in capitals", [("ETag", "\"V1\"")]),
            ("with the ETag and more", [("ETag", "\"v1\", \"v2\"")]),
            ("with the ETag in a list of one", [("ETag", "\"v1\",")]),
            ("with the ETag and its coding", [("ETag", "\"v1-gzip\"")]),
            ("with a date for the ETag", [("Last-Modified", "Mon, 02 Nov 2026 08:00:00 GMT")]),
        ].map { behaviour, fields in
            .continuation(
                "206 of other bytes " + behaviour,
                .part(of: new, fields),
                gets: .file(old, status: 206),
                asks: [rest, comparison]
            )
        } + [
            .continuation(
                "206 of other bytes with an earlier date",
                after: FixtureFile(old, entityTag: nil),
                .part(of: new, [("Last-Modified", "Sun, 01 Nov 2026 08:00:00 GMT")]),
                gets: .file(old, status: 206),
                asks: [rest, comparison]
            ),
            .continuation(
                "206 of other bytes with the date in another form",
                after: FixtureFile(old, entityTag: nil),
                .part(of: new, [("Last-Modified", "Tuesday, 03-Nov-26 08:00:00 GMT")]),
                gets: .file(old, status: 206),
                asks: [rest, comparison]
            ),
        ]

    // MARK: - No part

    private static let otherAnswers: [LyingServer] = [
        .continuation(
            "204 for the rest",
            .raw("HTTP/1.1 204 Nothing\r\n\r\n"),
            gets: .interruption(.badServerResponse, old),
            asks: [rest, rest]
        ),
        .continuation(
            "101 for the rest",
            .raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nhello"),
            gets: .interruption(.badServerResponse, old),
            asks: [rest, rest]
        ),
        .continuation(
            "another protocol for the rest",
            .raw("SSH-2.0-OpenSSH_9.2\r\n\r\n"),
            gets: .interruption(.badServerResponse, old),
            asks: [rest, rest]
        ),
        .continuation(
            "200 with nothing for the rest",
            .content(.empty),
            gets: .interruption(.badServerResponse, old),
            asks: [rest, rest]
        ),
        .continuation(
            "416 for the rest, and for the whole",
            .status(416, fields: [("Content-Range", "bytes */300001")]),
            .status(416, body: "no"),
            gets: .error(.badServerResponse),
            asks: [rest, whole]
        ),
        .continuation(
            "416 with a body without end",
            .script([
                .text("HTTP/1.1 416 No\r\n\r\n"),
                .sendForever([UInt8](repeating: 0x78, count: 16 << 10)),
            ]),
            gets: .file(old),
            asks: [rest, whole]
        ),
        .continuation(
            "412 with a body that never comes",
            FixtureAnswer.status(412, body: "no").stalling(after: 0, at: FixtureGate()),
            gets: .file(old),
            asks: [rest, whole]
        ).wastingTime(),
        .continuation(
            "the rest in gzip, and 200",
            FixtureAnswer.gzip(.text("short")).with(fields: [("ETag", "\"v1\"")]),
            gets: .interruption(.badServerResponse, old),
            asks: [rest, rest]
        ),
        .continuation(
            "a choice for the rest",
            .status(300, body: "choose"),
            gets: .interruption(.badServerResponse, old),
            asks: [rest, rest]
        ),
    ]

    private static let brokenParts: [LyingServer] = [
        .continuation(
            "206 of one byte, and again",
            .part(to: 100_001),
            .part(from: 100_001, to: 100_002),
            gets: .file(old, status: 206),
            asks: [rest, "bytes=100001-", "bytes=100002-"]
        ),
        .continuation(
            "206 of less, then of another version",
            .part(to: 150_000),
            .part(of: new, from: 150_000, [("ETag", "\"v2\"")]),
            gets: .file(old, status: 206),
            asks: [rest, "bytes=150000-", "bytes=131250-"]
        ),
        .continuation(
            "206 of less, then 416",
            .part(to: 150_000),
            .status(416, fields: [("Content-Range", "bytes */150000")]),
            gets: .file(old, status: 206),
            asks: [rest, "bytes=150000-", whole]
        ),
        .continuation(
            "206 in chunks that end early",
            FixtureAnswer { _ in
                var response = FixtureResponse(status: 206, content: old)
                response.part = cutByteCount..<150_000
                response.fields = [
                    ("ETag", "\"v1\""), ("Content-Range", "bytes 100000-300000/300001"),
                ]
                response.framing = .chunked(byteCount: 4096)
                return response
            },
            gets: .interruption(.connectionLost, old),
            asks: [rest, "bytes=150000-"]
        ),
        .continuation(
            "206 with a head that breaks off",
            .raw("HTTP/1.1 206 Part\r\nContent-Ra"),
            gets: .interruption(.connectionLost, old),
            asks: [rest, rest]
        ),
        .continuation(
            "206 cut after each 30 000 bytes",
            FixtureAnswer.oldFile.dropping(after: 30_000),
            FixtureAnswer.oldFile.dropping(after: 30_000),
            FixtureAnswer.oldFile.dropping(after: 30_000),
            gets: .interruption(.connectionLost, old),
            asks: [rest, "bytes=130000-", "bytes=160000-", "bytes=190000-"]
        ),
    ]
}
