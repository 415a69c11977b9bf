import FerryTestSupport

extension LyingServer {
    /// The lie is the first answer; what follows is honest, for those who ask again.
    private init(
        _ behaviour: String,
        _ answers: FixtureAnswer...,
        gets outcome: Outcome,
        asks: [String?] = [whole]
    ) {
        self.behaviour = behaviour
        validator = "\"v1\""
        self.answers = answers + [.oldFile]
        self.outcome = outcome
        self.asks = asks
    }

    /// What can be wrong with the answer to a request for the whole.
    static let answers = statuses + lengths + longBodies + noHTTP + codings + silences

    // MARK: - Statuses that nobody asked for

    private static let statuses: [LyingServer] = [
        .init("206 for the whole", .part(), gets: .error(.badServerResponse)),
        .init("206 with all of it", .part(from: 0), gets: .file(old, status: 206)),
        // RFC 9110 §14.4: the field means nothing in there.
        .init(
            "200 with a Content-Range",
            .content(old).with(fields: [("Content-Range", "bytes 5-9/10")]),
            gets: .file(old)
        ),
        .init(
            "304 without a condition",
            .status(304, fields: [("ETag", "\"v1\"")]),
            gets: .file(.empty, status: 304)
        ),
        .init(
            "204 with a body",
            .raw("HTTP/1.1 204 Nothing\r\nContent-Length: 5\r\n\r\nhello"),
            gets: .file(.empty, status: 204)
        ),
        .init(
            "416 without a range",
            .status(416, body: "no"),
            gets: .file(.text("no"), status: 416)
        ),
        .init("interim responses first", .oldFile.after(interim: 103), gets: .file(old)),
        .init(
            "101 to nowhere",
            .raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nhello"),
            gets: .error(.badServerResponse)
        ),
    ]

    // MARK: - Lengths

    private static let lengths: [LyingServer] = [
        .init(
            "two Content-Lengths that differ",
            .raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
            gets: .error(.badServerResponse)
        ),
        .init(
            "two Content-Lengths in one field that differ",
            .raw("HTTP/1.1 200 OK\r\nContent-Length: 1, 2\r\n\r\nab"),
            gets: .error(.badServerResponse)
        ),
        .init(
            "a negative Content-Length",
            .raw("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nab"),
            gets: .error(.badServerResponse)
        ),
        .init(
            "a Content-Length in words",
            .raw("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nab"),
            gets: .error(.badServerResponse)
        ),
        .init(
            "a Content-Length that fills every disk",
            .oldFile.claiming(contentLength: .max),
            gets: .interruption(.connectionLost, old),
            asks: [whole, "bytes=300001-", whole]
        ),
        .init(
            "a Content-Length beside chunks",
            .oldFile.with(fields: [("Content-Length", "10")]).chunked(),
            gets: .file(old)
        ),
        .init(
            "a body shorter than its length",
            .oldFile.claiming(contentLength: 300_011),
            gets: .interruption(.connectionLost, old),
            asks: [whole, "bytes=300001-", whole]
        ),
        .init(
            "a body that is cut off",
            .oldFile.dropping(after: 100_000),
            gets: .interruption(.connectionLost, old),
            asks: [whole, rest]
        ),
        .init(
            "a body that is reset before its first byte",
            .oldFile.resetting(after: 0),
            gets: .interruption(.connectionLost, old),
            asks: [whole, whole]
        ),
        .init(
            "a body longer than its length",
            .content(.bytes(old.bytes + Array("surplus".utf8)))
                .claiming(contentLength: old.byteCount),
            gets: .file(old)
        ),
        .init(
            "a chunk that is no number",
            .raw(chunked + "zz\r\nhello\r\n0\r\n\r\n"),
            gets: .interruption(.connectionLost, old),
            asks: [whole, whole]
        ),
        .init(
            "a chunk longer than it says",
            .raw(chunked + "3\r\nhello\r\n0\r\n\r\n"),
            gets: .interruption(.connectionLost, old),
            asks: [whole, whole]
        ),
        .init(
            "a chunk shorter than it says",
            .raw(chunked + "9\r\nhello\r\n"),
            gets: .interruption(.connectionLost, old),
            asks: [whole, whole]
        ),
        .init(
            "a chunk larger than any number",
            .raw(chunked + "ffffffffffffffffff\r\nhello\r\n"),
            gets: .interruption(.connectionLost, old),
            asks: [whole, whole]
        ),
        .init(
            "chunks without a last one",
            .raw(chunked + "5\r\nhello\r\n"),
            gets: .interruption(.connectionLost, old),
            asks: [whole, whole]
        ),
    ]

    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    private static let longBodies: [LyingServer] = [
        LyingServer(
            behaviour: "a long body that is cut off",
            validator: "\"v1\"",
            answers: [longFile.dropping(after: 1 << 20), longFile],
            outcome: .interruption(.connectionLost, long),
            asks: [whole, "bytes=1048576-"]
        ),
        LyingServer(
            behaviour: "a long body that falls silent",
            validator: "\"v1\"",
            answers: [longFile.stalling(after: 1 << 20, at: FixtureGate()), longFile],
            outcome: .interruption(.timedOut, long),
            asks: [whole, "bytes=1048576-"]
        ),
        .init(
            "a long body longer than its length",
            .content(.seeded(4, byteCount: long.byteCount + 100_000))
                .claiming(contentLength: long.byteCount),
            gets: .file(long)
        ),
    ]

    static let longFile = FixtureAnswer.file(FixtureFile(long))

    // MARK: - No HTTP

    private static let noHTTP: [LyingServer] =
        [
            ("another protocol", "SSH-2.0-OpenSSH_9.2\r\n\r\n"),
            ("HTTP/0.9", "<html>hello</html>"),
            ("a version from the future", "HTTP/9.9 200 OK\r\nContent-Length: 0\r\n\r\n"),
            ("a status in words", "HTTP/1.1 fine\r\nContent-Length: 0\r\n\r\n"),
            ("a status below 100", "HTTP/1.1 99 Low\r\nContent-Length: 0\r\n\r\n"),
            ("a zero byte in the header", "HTTP/1.1 200 OK\r\nX-Zero: \0\r\n\r\n"),
        ].map { behaviour, text in
            .init(behaviour, .raw(text), gets: .error(.badServerResponse))
        } + [
            .init(
                "a header that breaks off",
                .raw("HTTP/1.1 200 OK\r\nContent-Le"),
                gets: .interruption(.connectionLost, old),
                asks: [whole, whole]
            ),
            .init(
                "the end of the connection for an answer, again and again",
                .script([.close]),
                .script([.reset]),
                .script([.close]),
                gets: .interruption(.connectionLost, old),
                asks: [whole, whole, whole, whole]
            ),
        ]

    // MARK: - Codings

    private static let codings: [LyingServer] = [
        .init("gzip though identity was asked for", .gzip(old), gets: .file(.bytes(gzip))),
        .init(
            "a header that says gzip of what is none",
            .content(.text("hello")).with(fields: [("Content-Encoding", "gzip")]),
            gets: .file(.text("hello"))
        ),
        .init(
            "a coding that does not exist",
            .content(.text("hello")).with(fields: [("Content-Encoding", "x-secret")]),
            gets: .file(.text("hello"))
        ),
        .init(
            "gzip that ends early, with its connection",
            FixtureAnswer.gzip(old).dropping(after: 100_000),
            gets: .interruption(.connectionLost, old),
            asks: [whole, comparison, whole]
        ),
    ]

    // MARK: - Silence

    private static let silences: [LyingServer] = [
        .init(
            "no word",
            .script([.wait(FixtureGate())]),
            gets: .interruption(.timedOut, old),
            asks: [whole, whole]
        ),
        .init(
            "silence after a part of the body",
            .oldFile.stalling(after: 100_000, at: FixtureGate()),
            gets: .interruption(.timedOut, old),
            asks: [whole, rest]
        ),
        .init(
            "a header byte by byte without end",
            .script([
                .text("HTTP/1.1 200 OK\r\nX-Drip: "),
                .sendBody(
                    .bytes([UInt8](repeating: 0x78, count: 10_000)),
                    0..<10_000,
                    bytesPerSecond: 20
                ),
            ]),
            gets: .interruption(.timedOut, old),
            asks: [whole, whole]
        ),
    ]
}
