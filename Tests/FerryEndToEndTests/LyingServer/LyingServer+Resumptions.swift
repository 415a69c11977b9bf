import FerryTestSupport

extension LyingServer {
    /// A first answer, honest but cut; then the lie, which a request for the rest meets.
    private init(
        _ behaviour: String,
        after beginning: FixtureFile = FixtureFile(old),
        _ answers: FixtureAnswer...,
        gets outcome: Outcome,
        asks: [String?]
    ) {
        self.behaviour = behaviour
        self.beginning = .file(beginning)
        validator = beginning.entityTag ?? beginning.lastModified
        self.answers = answers
        self.outcome = outcome
        self.asks = asks
    }

    /// What can be wrong with the answer to a request for the rest.
    static let resumptions =
        changes + refusals + wrongParts + partsOfUnknownVersion + interruptions
        + weakBeginnings + otherPlaces

    // MARK: - Another version, or the whole

    private static let changes: [LyingServer] = [
        .init("nothing is wrong", .oldFile, gets: .file(old, status: 206), asks: [rest]),
        .init(
            "same length, other ETag",
            .newFile,
            gets: .file(new),
            asks: [rest, comparison, whole]
        ),
        .init(
            "same length, other ETag, a long body",
            after: FixtureFile(long),
            .file(FixtureFile(newLong, entityTag: "\"v2\"")),
            gets: .file(newLong),
            asks: [rest, comparison, whole]
        ),
        .init(
            "same length, other ETag, If-Range ignored",
            .part(of: new, [("ETag", "\"v2\"")]),
            .newFile,
            gets: .file(new),
            asks: [rest, comparison, whole]
        ),
        .init(
            "another ETag with each answer",
            .part(of: new, [("ETag", "\"v2\"")]),
            .file(FixtureFile(third, entityTag: "\"v3\"")),
            gets: .file(third),
            asks: [rest, comparison, whole]
        ),
        .init(
            "shorter than what is there, other ETag",
            .file(FixtureFile(.text("short"), entityTag: "\"v2\"")),
            .oldFile,
            gets: .interruption(.badServerResponse, old),
            asks: [rest, rest]
        ),
        .init(
            "Range ignored",
            .file(FixtureFile(old, ranges: .ignored)),
            gets: .file(old),
            asks: [rest]
        ),
        .init(
            "If-Range refused though the ETag matches",
            .content(old).with(fields: [("ETag", "\"v1\"")]),
            gets: .file(old),
            asks: [rest]
        ),
        .init(
            "the whole in gzip, not asked for",
            .gzip(old),
            .oldFile,
            gets: .interruption(.badServerResponse, old),
            asks: [rest, rest]
        ),
        .init(
            "200 that carries the rest and says so",
            .part(status: 200),
            .oldFile,
            gets: .file(old),
            asks: [rest, whole]
        ),
    ]

    private static let refusals: [LyingServer] =
        [
            ("416 at the full length", 416, [("Content-Range", "bytes */300001")]),
            ("416 with another length", 416, [("Content-Range", "bytes */7")]),
            ("416 with a length beyond", 416, [("Content-Range", "bytes */900000")]),
            ("416 without a length", 416, []),
            ("412 to If-Range", 412, []),
            ("304 though nobody has a copy", 304, [("ETag", "\"v1\"")]),
        ].map { behaviour, status, fields in
            .init(
                behaviour,
                .status(status, fields: fields),
                .oldFile,
                gets: .file(old),
                asks: [rest, whole]
            )
        } + [
            .init(
                "404 for the rest",
                .status(404, body: "gone"),
                gets: .error(.badServerResponse),
                asks: [rest]
            )
        ]

    // MARK: - Parts that are not the rest

    private static let wrongParts: [LyingServer] =
        [
            ("starts too early", .part(range: "bytes 99999-300000/300001")),
            ("starts too late", .part(range: "bytes 100001-300000/300001")),
            ("starts at 0, with the whole as its body", .part(from: 0)),
            ("ends before its body does", .part(range: "bytes 100000-200000/300001")),
            ("ends after its body does", .part(to: 300_000, range: "bytes 100000-300000/300001")),
            ("ends behind the whole", .part(range: "bytes 100000-300001/300001")),
            ("ends before it starts", .part(range: "bytes 300000-100000/300001")),
            ("tells a shorter whole", .part(range: "bytes 100000-300000/300000")),
            ("tells a longer whole", .part(range: "bytes 100000-300000/300002")),
            ("tells a length only", .part(range: "bytes */300001")),
            ("has an empty Content-Range", .part(range: "")),
            ("has an unreadable Content-Range", .part(range: "bytes from 100000")),
            ("counts in another unit", .part(range: "items 100000-300000/300001")),
            ("exceeds every number", .part(range: "bytes 100000-99999999999999999999/300001")),
            (
                "has no Content-Range",
                .file(FixtureFile(old, ranges: .misreported(contentRange: nil)))
            ),
            (
                "has two Content-Ranges",
                .part([("ETag", "\"v1\""), ("Content-Range", "bytes 0-9/300001")])
            ),
            (
                "is in several parts",
                .status(
                    206,
                    fields: [
                        ("ETag", "\"v1\""), ("Content-Type", "multipart/byteranges; boundary=x"),
                    ],
                    body: "--x\r\nContent-Range: bytes 100000-300000/300001\r\n\r\n?\r\n--x--\r\n"
                )
            ),
            ("is coded", .part([("ETag", "\"v1\""), ("Content-Encoding", "gzip")])),
        ].map { behaviour, answer in
            .init("206 that " + behaviour, answer, .oldFile, gets: .file(old), asks: [rest, whole])
        } + [
            // It was taken for the rest until then; the whole has proved that its bytes were.
            .init(
                "206 that goes on behind its end",
                longerPart,
                .oldFile,
                gets: .file(old, status: 206),
                asks: [rest, whole]
            )
        ]

    /// Without a length in its head, so that nothing cuts the surplus off.
    private static let longerPart: FixtureAnswer = .part(
        of: .bytes(old.bytes + Array("surplus".utf8)),
        range: "bytes 100000-300000/300001"
    ).chunked()

    private static let partsOfUnknownVersion: [LyingServer] = [
        ("without an ETag", []),
        ("with the ETag in its weak form", [("ETag", "W/\"v1\"")]),
        ("with the ETag without its quotes", [("ETag", "v1")]),
        ("with two ETags", [("ETag", "\"v1\""), ("ETag", "\"v2\"")]),
    ].map { behaviour, fields in
        .init(
            "206 " + behaviour,
            .part(of: new, fields),
            .newFile,
            gets: .file(new),
            asks: [rest, comparison, whole]
        )
    }

    // MARK: - Parts that are a beginning

    private static let interruptions: [LyingServer] = [
        .init(
            "206 of unknown length",
            .part(range: "bytes 100000-300000/*"),
            gets: .file(old, status: 206),
            asks: [rest]
        ),
        .init(
            "206 of less than was asked for",
            .part(to: 150_000),
            .oldFile,
            gets: .file(old, status: 206),
            asks: [rest, "bytes=150000-"]
        ),
        .init(
            "206 that breaks off",
            .oldFile.dropping(after: 50_000),
            .oldFile,
            gets: .interruption(.connectionLost, old),
            asks: [rest, "bytes=150000-"]
        ),
        .init(
            "206 of a long body that breaks off",
            after: FixtureFile(long),
            longFile.dropping(after: 1 << 20),
            longFile,
            gets: .interruption(.connectionLost, long),
            asks: [rest, "bytes=1148576-"]
        ),
        .init(
            "206 that falls silent",
            .oldFile.stalling(after: 50_000, at: FixtureGate()),
            .oldFile,
            gets: .interruption(.timedOut, old),
            asks: [rest, "bytes=150000-"]
        ),
        .init(
            "no answer for the rest, three times",
            .script([.close]),
            .script([.reset]),
            .script([.close]),
            .oldFile,
            gets: .interruption(.connectionLost, old),
            asks: [rest, rest, rest, rest]
        ),
        .init(
            "no answer whenever the rest is asked for",
            FixtureAnswer { request in
                var response = FixtureResponse(status: 200, content: old)
                if request.range != nil { response.script = [.close] }
                return response
            },
            gets: .interruption(.connectionLost, old),
            asks: [String?](repeating: rest, count: 10) + [whole]
        ),
        .init(
            "503 for the rest",
            .retryLater(),
            .oldFile,
            gets: .interruption(.badServerResponse, old),
            asks: [rest, rest]
        ),
    ]

    // MARK: - Beginnings that prove little or nothing

    private static let weakBeginnings: [LyingServer] =
        [
            ("weak ETag only", FixtureFile(old, entityTag: "W/\"v1\"", lastModified: nil)),
            ("weak ETag beside Last-Modified", FixtureFile(old, entityTag: "W/\"v1\"")),
            ("no validator", FixtureFile(old, entityTag: nil, lastModified: nil)),
            ("Last-Modified without Date", FixtureFile(old, entityTag: nil, date: nil)),
            (
                "Last-Modified in the second of Date",
                FixtureFile(old, entityTag: nil, date: "Mon, 02 Nov 2026 08:00:00 GMT")
            ),
            (
                "Last-Modified that is no date",
                FixtureFile(old, entityTag: nil, lastModified: "yesterday")
            ),
            ("two ETags", FixtureFile(old, fields: [("ETag", "\"v2\"")])),
        ].map { behaviour, file in
            .init(
                behaviour,
                after: file,
                .file(file),
                gets: .file(old, status: 206),
                asks: [comparison]
            )
        } + [
            .init(
                "Accept-Ranges: none",
                after: FixtureFile(old, ranges: .ignored, fields: [("Accept-Ranges", "none")]),
                .file(FixtureFile(old, ranges: .ignored, fields: [("Accept-Ranges", "none")])),
                gets: .fileFromTheStart(old),
                asks: [whole]
            ),
            .init(
                "Last-Modified only",
                after: FixtureFile(old, entityTag: nil),
                .file(FixtureFile(old, entityTag: nil)),
                gets: .file(old, status: 206),
                asks: [rest]
            ),
            .init(
                "Last-Modified only, and a later one",
                after: FixtureFile(old, entityTag: nil),
                .file(
                    FixtureFile(
                        new,
                        entityTag: nil,
                        lastModified: "Mon, 02 Nov 2026 08:00:01 GMT"
                    )
                ),
                gets: .file(new),
                asks: [rest, comparison, whole]
            ),
            .unknownLength(
                "chunked without a length",
                .oldFile,
                gets: .file(old, status: 206),
                asks: ["bytes=99999-"]
            ),
            .unknownLength(
                "chunked without a length, then other bytes under the same ETag",
                .part(of: new, from: 99_999),
                .newFile,
                gets: .file(new),
                asks: ["bytes=99999-", whole]
            ),
        ]

    private static func unknownLength(
        _ behaviour: String,
        _ answers: FixtureAnswer...,
        gets outcome: Outcome,
        asks: [String?]
    ) -> LyingServer {
        LyingServer(
            behaviour: behaviour,
            beginning: .oldFile.chunked(),
            validator: "\"v1\"",
            answers: answers,
            outcome: outcome,
            asks: asks
        )
    }

    // MARK: - Another place

    private static let otherPlaces: [LyingServer] = [
        LyingServer(
            behaviour: "a redirect of the rest to another file with the same ETag",
            beginning: .oldFile,
            validator: "\"v1\"",
            answers: [.redirect(to: "/elsewhere")],
            elsewhere: .file(FixtureFile(new)),
            outcome: .file(new),
            asks: [rest, comparison, whole]
        )
    ]
}

extension LyingServer {
    /// Redirects, each with something behind it that nobody has asked for, by the connection that the next request would
    /// take.
    static let surplus: [LyingServer] = redirectsWithSurplus.flatMap { redirect, head in
        uninvited.map { surprise, steps in
            .lie(
                "\(surprise) behind a redirect \(redirect)",
                .script([.text(head + steps.text)] + (steps.ends ? [.close] : [])),
                elsewhere: .oldFile,
                gets: .file(old)
            )
        }
    }

    private static let redirectsWithSurplus: [(redirect: String, head: String)] = [
        ("without a body", moved("Content-Length: 0", "")),
        ("with a body", moved("Content-Length: 5", "moved")),
        ("in chunks", moved("Transfer-Encoding: chunked", "5\r\nmoved\r\n0\r\n\r\n")),
    ]

    private static let uninvited: [(surprise: String, steps: (text: String, ends: Bool))] = [
        ("an answer too many", ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong", false)),
        // Of which most is on its way when the next request leaves.
        (
            "a long answer too many",
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n"
                    + String(repeating: "wrong", count: 400_000),
                false
            )
        ),
        (
            "a 408 and the end",
            ("HTTP/1.1 408 Request Timeout\r\nContent-Length: 4\r\n\r\nlate", true)
        ),
        ("garbage", ("\r\nuninvited", false)),
    ]

    private static func moved(_ field: String, _ body: String) -> String {
        "HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\n\(field)\r\n\r\n\(body)"
    }
}
