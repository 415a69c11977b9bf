import FerryTestSupport

extension LyingServer {
    /// What can be wrong with "not now".
    static let retries = returnTimes + refusalsForNow + endlessRefusals

    // MARK: - When to come back

    private static let returnTimes: [LyingServer] =
        [
            ("at once", "0"),
            ("yesterday", "Thu, 19 Nov 2026 08:00:00 GMT"),
            ("before there were computers", "Thu, 01 Jan 1801 00:00:00 GMT"),
            ("in a date of two digits", "Thursday, 19-Nov-26 08:00:00 GMT"),
            ("in a date of C", "Thu Nov 19 08:00:00 2026"),
        ].map { behaviour, time in
            .lie(
                "503, to come back " + behaviour,
                .retryLater(after: time).with(fields: [("Date", "Fri, 20 Nov 2026 08:00:00 GMT")]),
                gets: .unavailability(status: 503, body: notNow, old),
                asks: [whole, whole]
            )
        }
        + [
            ("in the past by a number", "-1"), ("in a fraction of a second", "0.5"),
            ("soon", "soon"), ("at an empty time", ""), ("in more seconds than are", many),
            ("on a day that does not exist", "Mon, 32 Foo 2026 25:61:00 GMT"),
            ("at two times", "0, 5"), ("with a sign", "+0"),
        ].map { behaviour, time in
            // What cannot be read is no promise, and the answer is the answer.
            .lie(
                "503, to come back " + behaviour,
                .retryLater(after: time),
                gets: .file(notNow, status: 503)
            )
        }

    private static let many = String(repeating: "9", count: 40)
    private static let notNow = FixtureContent.text("Not now.")

    // MARK: - What says so

    private static let refusalsForNow: [LyingServer] =
        [408, 429, 500, 502, 504, 507, 599].map { status in
            .lie(
                "\(status), to come back at once",
                .retryLater(status: status, after: "0"),
                gets: .unavailability(status: status, body: notNow, old),
                asks: [whole, whole]
            )
        }
        + [400, 404, 410, 425, 451].map { status in
            .lie(
                "\(status), to come back at once",
                .retryLater(status: status, after: "0"),
                gets: .file(notNow, status: status)
            )
        } + [
            .lie(
                "503 without a time",
                .retryLater(),
                gets: .file(notNow, status: 503)
            ),
            .lie(
                "200, to come back tomorrow",
                .oldFile.with(fields: [("Retry-After", "86400")]),
                gets: .file(old)
            ),
            .lie(
                "a redirect, to come back tomorrow",
                .redirect(to: "/elsewhere").with(fields: [("Retry-After", "86400")]),
                elsewhere: .oldFile,
                gets: .file(old)
            ),
            .lie(
                "503 with two times, the first one now",
                .retryLater(after: "0").with(fields: [("Retry-After", "86400")]),
                gets: .unavailability(status: 503, body: notNow, old),
                asks: [whole, whole]
            ),
        ]

    private static let endlessRefusals: [LyingServer] = [
        LyingServer(
            behaviour: "503 at all times, to come back at once",
            answers: [.retryLater(after: "0")],
            outcome: .unavailability(status: 503, body: notNow, notNow),
            asks: [String?](repeating: whole, count: 11)
        ),
        .lie(
            "503, 429, 500 and a cut, one after the other",
            .retryLater(status: 503, after: "0"),
            .retryLater(status: 429, after: "0"),
            .retryLater(status: 500, after: "0"),
            .script([.close]),
            gets: .unavailability(status: 503, body: notNow, old),
            asks: [String?](repeating: whole, count: 5)
        ),
    ]

    /// What can be wrong with "not now" for the rest.
    static let retriesOfParts: [LyingServer] =
        [408, 429, 500, 502, 599].map { status in
            .continuation(
                "\(status) for the rest",
                .retryLater(status: status),
                gets: .interruption(.badServerResponse, old),
                asks: [rest, rest]
            )
        }
        + [("yesterday", "Thu, 19 Nov 2026 08:00:00 GMT"), ("soon", "soon"), ("never", many)]
        .map { behaviour, time in
            .continuation(
                "503 for the rest, to come back " + behaviour,
                .retryLater(after: time)
                    .with(fields: [("Date", "Fri, 20 Nov 2026 08:00:00 GMT")]),
                gets: .interruption(.badServerResponse, old),
                asks: [rest, rest]
            )
        }
        + [400, 403, 410, 425].map { status in
            .continuation(
                "\(status) for the rest",
                .retryLater(status: status, after: "0"),
                gets: .error(.badServerResponse),
                asks: [rest]
            )
        }
}
