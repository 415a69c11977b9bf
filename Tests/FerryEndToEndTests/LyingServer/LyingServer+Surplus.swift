import FerryTestSupport

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
