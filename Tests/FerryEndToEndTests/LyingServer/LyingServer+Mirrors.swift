import FerryTestSupport

extension LyingServer {
    /// Mirrors that lie, beside a server that is honest or in place of one that fails.
    ///
    /// They are made anew for each run, with gates of its own.
    static var mirrors: [LyingServer] { mirrorsBeside + mirrorsBehind + mirrorsInPlace }

    // MARK: - While the server sends the body

    private static var mirrorsBeside: [LyingServer] {
        [
            beside("honest", copy),
            beside("the end of the connection", .script([.close])),
            beside("a reset", .script([.reset])),
            beside("404", .status(404, body: "nothing here")),
            beside("503", .retryLater(after: "86400")),
            beside("416", .status(416, fields: [("Content-Range", "bytes */7")])),
            beside("the whole", .file(FixtureFile(wide, entityTag: "\"m\"", ranges: .ignored))),
            beside("another version", .file(FixtureFile(otherWide, entityTag: "\"m\""))),
            beside("another version of the same tag", .file(FixtureFile(otherWide))),
            beside("parts that nothing proves", part { (wide, $0, $0, nil) }),
            beside(
                "a part of another whole",
                part(total: wide.byteCount + 1) { (wide, $0, $0, "\"m\"") }
            ),
            beside(
                "another part that says so",
                part { (wide, before($0), before($0), "\"m\"") }
            ),
            beside(
                "half a part that says that it is all",
                part { (wide, half(of: $0), $0, "\"m\"") }
            ),
            beside(
                "more than its part",
                part { range in
                    let more = range.lowerBound..<min(range.upperBound + 1000, wide.byteCount)
                    return (wide, more, range, "\"m\"")
                }
            ),
            beside("a redirect to the same", .redirect(to: "/elsewhere"), elsewhere: copy),
            beside("a redirect to itself, for ever", .redirect(to: mirrorPath)),
            beside(
                "a question for a password",
                .status(401, fields: [("WWW-Authenticate", "Basic realm=\"x\"")])
            ),
            beside("another protocol", .raw("SSH-2.0-OpenSSH_9.2\r\n\r\n")),
            beside("a header without end", .endlessHeader),
        ]
    }

    // MARK: - Behind a good proof

    private static var mirrorsBehind: [LyingServer] {
        [
            behind("a reset", .script([.reset])),
            behind("503", .retryLater()),
            behind("another version", .file(FixtureFile(otherWide, entityTag: "\"n\""))),
            behind("the whole", .file(FixtureFile(wide, entityTag: "\"m\"", ranges: .ignored))),
            behind("a part cut after 100 000 bytes", copy.dropping(after: 100_000)),
            behind("a part of no version", part { (otherWide, $0, $0, nil) }),
        ]
    }

    // MARK: - In place of the server

    private static let mirrorsInPlace: [LyingServer] = [
        inPlace("of 404, honest", .status(404, body: "gone"), smallCopy, gets: .file(old)),
        inPlace("of 503, honest", .retryLater(), smallCopy, gets: .file(old)),
        inPlace("of a reset, honest", .script([.reset]), smallCopy, gets: .file(old)),
        inPlace(
            "of 404: 410",
            .status(404, body: "gone"),
            .status(410, body: "not here either"),
            gets: .file(.text("gone"), status: 404)
        ),
        inPlace(
            "of 404: a reset",
            .status(404, body: "gone"),
            .script([.reset]),
            gets: .file(.text("gone"), status: 404)
        ),
        inPlace(
            "of a cut: the rest",
            .oldFile.dropping(after: cutByteCount),
            smallCopy,
            gets: .file(old)
        ),
        inPlace(
            "of a cut: the rest of another version",
            .oldFile.dropping(after: cutByteCount),
            .file(FixtureFile(new, entityTag: "\"m\"")),
            then: .oldFile,
            gets: .interruption(.connectionLost, old)
        ),
        inPlace(
            "of a cut: 404",
            .oldFile.dropping(after: cutByteCount),
            .status(404),
            then: .oldFile,
            gets: .interruption(.connectionLost, old)
        ),
    ]

    // MARK: - Making

    /// The server is honest, not too fast, and keeps its last bytes back until the mirror was asked.
    private static func beside(
        _ behaviour: String,
        _ lie: FixtureAnswer,
        elsewhere: FixtureAnswer? = nil
    ) -> LyingServer {
        let gate = FixtureGate()
        return LyingServer(
            behaviour: "a mirror: " + behaviour,
            validator: "\"v1\"",
            answers: [slowWideFile.stalling(after: wide.byteCount - 100_000, at: gate)],
            forSegments: wideFile,
            elsewhere: elsewhere,
            mirror: { _ in
                gate.open()
                return lie
            },
            outcome: .file(wide),
            asks: nil
        )
    }

    /// A mirror that has the same bytes, until it has proved it.
    private static func behind(_ behaviour: String, _ lie: FixtureAnswer) -> LyingServer {
        var server = beside("behind its proof: " + behaviour, copy)
        let opened = server.mirror
        server.mirror = { request in
            let copy = opened?(request) ?? copy
            return request["If-Range"] == nil ? copy : lie
        }
        return server
    }

    private static func inPlace(
        _ behaviour: String,
        _ failure: FixtureAnswer,
        _ lie: FixtureAnswer,
        then next: FixtureAnswer? = nil,
        gets outcome: Outcome
    ) -> LyingServer {
        LyingServer(
            behaviour: "a mirror in place " + behaviour,
            validator: "\"v1\"",
            answers: [failure] + (next.map { [$0] } ?? []),
            mirror: { _ in lie },
            outcome: outcome,
            asks: nil
        )
    }

    private static let copy = FixtureAnswer.file(FixtureFile(wide, entityTag: "\"m\""))
    private static let smallCopy = FixtureAnswer.file(FixtureFile(old, entityTag: "\"m\""))
}
