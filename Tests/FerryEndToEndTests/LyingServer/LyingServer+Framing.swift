import FerryTestSupport

extension LyingServer {
    /// What can be wrong with how a message is put together (RFC 9112).
    static let framing =
        refusedMessages + acceptedMessages + statusLines + lengthsInDoubt + chunksInDoubt
        + connections

    private static let hello = FixtureContent.text("hello")
    private static let ok = "HTTP/1.1 200 OK\r\n"
    private static let five = "Content-Length: 5\r\n"
    private static let chunks = ok + "Transfer-Encoding: chunked\r\n\r\n"

    // MARK: - Heads

    private static let refusedMessages: [LyingServer] = [
        ("an HTTP/2 that nobody agreed on", "HTTP/2.0 200 OK\r\n" + five + "\r\nhello"),
        ("HTTP in small letters", "http/1.1 200 OK\r\n" + five + "\r\nhello"),
        ("another protocol that looks like HTTP", "ICY 200 OK\r\n" + five + "\r\nhello"),
        ("a status of four digits", "HTTP/1.1 1000 High\r\n" + five + "\r\nhello"),
        ("a negative status", "HTTP/1.1 -200 Low\r\n" + five + "\r\nhello"),
        ("a status in hexadecimal digits", "HTTP/1.1 0xC OK\r\n" + five + "\r\nhello"),
        ("a status line without a status", "HTTP/1.1\r\n" + five + "\r\nhello"),
        (
            "a field of a mebibyte",
            ok + "X-Long: " + String(repeating: "x", count: 1 << 20) + "\r\n" + five + "\r\nhello"
        ),
        (
            "20 000 fields",
            ok + String(repeating: "X-More: and more\r\n", count: 20_000) + five + "\r\nhello"
        ),
        ("a zero byte in a name", ok + "X-\0: x\r\n" + five + "\r\nhello"),
    ].map { behaviour, text in
        .lie(behaviour, .raw(text), gets: .error(.badServerResponse))
    }

    private static let acceptedMessages: [LyingServer] = [
        ("1000 fields", ok + String(repeating: "X-More: x\r\n", count: 1000) + five),
        ("a folded field", ok + "X-Folded: a\r\n b\r\n\tc\r\n" + five),
        ("a carriage return in a value", ok + "X-Return: a\rb\r\n" + five),
        ("a value in no encoding", ok + "X-Bytes: \u{80}\u{FF}\r\n" + five),
        ("an empty value", ok + "X-Empty:\r\n" + five),
        ("a field without a name", ok + ": nameless\r\n" + five),
        ("a name in no characters of names", ok + "X(@)[]: x\r\n" + five),
        ("line feeds only", "HTTP/1.1 200 OK\nContent-Length: 5\n"),
        ("a Content-Length in capitals", ok + "CONTENT-LENGTH:5\r\n"),
        (
            "a Set-Cookie of 8 KiB",
            ok + "Set-Cookie: a=" + String(repeating: "x", count: 8192) + "\r\n" + five
        ),
        ("a Content-Type that is none", ok + "Content-Type: ;;;charset=\r\n" + five),
        ("a name of a file that leads out", ok + disposition("../../../../etc/passwd") + five),
        ("a name of a file with a zero byte", ok + disposition("a%00b/../c") + five),
        (
            "a name of a file of 10 000 characters",
            ok + disposition(String(repeating: "n", count: 10_000)) + five
        ),
        ("an absolute name of a file", ok + disposition("/dev/null") + five),
        ("an order to load the page again", ok + "Refresh: 0; url=file:///etc/passwd\r\n" + five),
        ("an offer of another server", ok + "Alt-Svc: h3=\"127.0.0.1:1\"\r\n" + five),
        ("an Upgrade in 200", ok + "Connection: upgrade\r\nUpgrade: h2c\r\n" + five),
        ("a warning of old", ok + "Warning: 299 - \"x\"\r\n" + five),
        ("a length in Keep-Alive", ok + "Keep-Alive: timeout=-1, max=-1\r\n" + five),
    ].map { behaviour, head in
        .lie(
            behaviour,
            .raw(head + (head.hasSuffix("\r\n") ? "\r\n" : "\n") + "hello"),
            gets: .file(hello)
        )
    }

    private static func disposition(_ name: String) -> String {
        "Content-Disposition: attachment; filename=\"\(name)\"\r\n"
    }

    // MARK: - Statuses

    private static let statusLines: [LyingServer] =
        [
            ("a status without a reason", "200", 200),
            ("a reason that says something else", "200 Not Found", 200),
            ("a reason of 8 KiB", "200 " + String(repeating: "x", count: 8192), 200),
            ("a status of a class that does not exist", "600 Odd", 600),
            ("the highest status", "999 Highest", 999),
            ("a success that does not exist", "299 Odd", 299),
            ("a choice", "300 Choose", 300),
            ("a status that is reserved", "402 Pay", 402),
        ].map { behaviour, line, status in
            .lie(
                behaviour,
                .raw("HTTP/1.1 \(line)\r\n" + five + "\r\nhello"),
                gets: .file(hello, status: status)
            )
        } + [
            .lie(
                "HTTP/1.0 without a length",
                .raw("HTTP/1.0 200 OK\r\n\r\nhello"),
                gets: .file(hello)
            ),
            .lie(
                "304 with the length of something",
                .raw("HTTP/1.1 304 Same\r\nContent-Length: 300001\r\n\r\n"),
                gets: .file(.empty, status: 304)
            ),
            .lie(
                "205 with nothing",
                .raw("HTTP/1.1 205 Reset\r\nContent-Length: 0\r\n\r\n"),
                gets: .file(.empty, status: 205)
            ),
            .lie(
                "an interim response with a length",
                .oldFile.after(interim: 102, fields: [("Content-Length", "5")]),
                gets: .file(old)
            ),
            .lie(
                "an interim response with a redirect",
                .oldFile.after(interim: 103, fields: [("Location", "/nowhere")]),
                gets: .file(old)
            ),
            .lie(
                "100 though nothing was to be sent",
                .oldFile.after(interim: 100).after(interim: 100),
                gets: .file(old)
            ),
            .lie(
                "an interim response that does not exist",
                .oldFile.after(interim: 199),
                gets: .file(old)
            ),
            .lie(
                "100 interim responses",
                (0..<100).reduce(FixtureAnswer.oldFile) { answer, _ in answer.after(interim: 103) },
                gets: .file(old)
            ),
            .lie(
                "an interim response and no other",
                .raw("HTTP/1.1 103 Early Hints\r\n\r\n"),
                gets: .interruption(.connectionLost, old),
                asks: [whole, whole]
            ),
        ]

    // MARK: - Lengths

    private static let lengthsInDoubt: [LyingServer] =
        [
            ("a Content-Length with a sign", "+5"),
            ("a Content-Length with a fraction", "5.0"),
            ("a Content-Length in hexadecimal digits", "0x5"),
            ("a Content-Length with a unit", "5 bytes"),
            ("a Content-Length with rubbish behind it", "5abc"),
            ("a Content-Length that exceeds every number", String(repeating: "9", count: 30)),
            ("an empty Content-Length", ""),
            ("a Content-Length in two words", "5 5"),
            ("a list of Content-Lengths with an empty one", "5, , 5, x"),
        ].map { behaviour, value in
            .lie(
                behaviour,
                .raw(ok + "Content-Length: \(value)\r\n\r\nhello"),
                gets: .error(.badServerResponse)
            )
        }
        + [
            ("two Content-Lengths that agree", five + five),
            ("two Content-Lengths in one field that agree", "Content-Length: 5, 5\r\n"),
            ("a Content-Length with zeros", "Content-Length: 0000000000000000000005\r\n"),
            ("a Content-Length in white space", "Content-Length:\t 5 \t\r\n"),
        ].map { behaviour, fields in
            .lie(behaviour, .raw(ok + fields + "\r\nhello"), gets: .file(hello))
        } + [
            .lie(
                "a body though its length is 0",
                .raw(ok + "Content-Length: 0\r\n\r\nhello"),
                gets: .file(.empty)
            ),
            .lie("a body up to the end of the connection", .oldFile.untilClose(), gets: .file(old)),
        ]

    // MARK: - Transfer codings

    private static let chunksInDoubt: [LyingServer] =
        [
            ("a chunk with an extension", "5;name=\"value\"\r\nhello\r\n0\r\n\r\n"),
            (
                "an extension of 8 KiB",
                "5;x=" + String(repeating: "x", count: 8192) + "\r\nhello\r\n0\r\n\r\n"
            ),
            ("a chunk with zeros before its size", "0000005\r\nhello\r\n0\r\n\r\n"),
            ("a last chunk of many zeros", "5\r\nhello\r\n00000\r\n\r\n"),
            (
                "a chunk for each byte",
                "1\r\nh\r\n1\r\ne\r\n1\r\nl\r\n1\r\nl\r\n1\r\no\r\n0\r\n\r\n"
            ),
            ("a trailer with another length", "5\r\nhello\r\n0\r\nContent-Length: 1\r\n\r\n"),
            ("a trailer with a redirect", "5\r\nhello\r\n0\r\nLocation: /nowhere\r\n\r\n"),
            ("a trailer with a coding", "5\r\nhello\r\n0\r\nContent-Encoding: gzip\r\n\r\n"),
            (
                "another response behind the last chunk",
                "5\r\nhello\r\n0\r\n\r\n" + ok + five + "\r\nwrong"
            ),
        ].map { behaviour, body in
            .lie(behaviour, .raw(chunks + body), gets: .file(hello))
        }
        + [
            ("a chunk of negative size", "-5\r\nhello\r\n0\r\n\r\n"),
            ("a chunk without a size", "\r\nhello\r\n0\r\n\r\n"),
            ("a chunk without its line break", "5\r\nhello0\r\n\r\n"),
            ("a chunk whose size is behind a space", " 5\r\nhello\r\n0\r\n\r\n"),
            ("a last chunk without its line break", "5\r\nhello\r\n0"),
            ("a body that is not in chunks", "hello"),
            ("a trailer that breaks off", "5\r\nhello\r\n0\r\nX-Tra"),
        ].map { behaviour, body in
            .lie(
                behaviour,
                .raw(chunks + body),
                gets: .interruption(.connectionLost, old),
                asks: [whole, whole]
            )
        } + [
            .lie(
                "chunks in HTTP/1.0",
                .raw(
                    "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
                ),
                gets: .file(hello)
            ),
            .lie(
                "a transfer coding that does not exist",
                .raw(ok + "Transfer-Encoding: x-secret\r\n\r\nhello"),
                gets: .error(.cannotDecodeContentData)
            ),
            .lie(
                "a transfer coding that does not exist, beside a length",
                .raw(ok + five + "Transfer-Encoding: x-secret\r\n\r\nhello"),
                gets: .error(.cannotDecodeContentData)
            ),
            .lie(
                "chunks in capitals, beside a wrong length",
                .raw(
                    ok
                        + "Content-Length: 1\r\nTransfer-Encoding: CHUNKED\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
                ),
                gets: .file(hello)
            ),
        ]

    // MARK: - Connections

    private static let connections: [LyingServer] = [
        .lie(
            "another response behind the body",
            .raw(ok + five + "\r\nhello" + ok + five + "\r\nwrong"),
            gets: .file(hello)
        ),
        .lie(
            "the end of the connection behind the head",
            .oldFile.dropping(after: 0),
            gets: .interruption(.connectionLost, old),
            asks: [whole, whole]
        ),
        .lie(
            "the end of the connection before the last byte",
            .oldFile.dropping(after: 300_000),
            gets: .interruption(.connectionLost, old),
            asks: [whole, "bytes=300000-"]
        ),
        .lie(
            "a response that nobody asked for on a connection that is used again",
            .script([
                .text("HTTP/1.1 302 Moved\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n"),
                .text(ok + five + "\r\nwrong"),
            ]),
            elsewhere: .oldFile,
            gets: .file(old)
        ),
    ]
}
