import FerryTestSupport

extension LyingServer {
    /// Servers that are honest to the first connection, and lie to those that fetch further parts of the body.
    static let segments: [LyingServer] = [
        segment("honest", wideFile),
        segment("the end of the connection", .script([.close])),
        segment("a reset", .script([.reset])),
        segment("503", .retryLater()),
        segment("503, to come back tomorrow", .retryLater(after: "86400")),
        segment("429", .status(429, body: "too many")),
        segment("403", .status(403, body: "one is enough")),
        segment("416", .status(416, fields: [("Content-Range", "bytes */7")])),
        segment("the whole", .file(FixtureFile(wide, ranges: .ignored))),
        segment("another version", .file(FixtureFile(otherWide, entityTag: "\"v2\""))),
        segment("a part of another version", part { (otherWide, $0, $0, "\"v2\"") }),
        segment("a part of no version", part { (otherWide, $0, $0, nil) }),
        segment(
            "another part that says so",
            part { (wide, before($0), before($0), "\"v1\"") }
        ),
        segment(
            "a part of another whole",
            part(total: wide.byteCount + 1) { (wide, $0, $0, "\"v1\"") }
        ),
        segment(
            "half a part that says so",
            part { (wide, half(of: $0), half(of: $0), "\"v1\"") }
        ),
        segment(
            "half a part that says that it is all",
            part { (wide, half(of: $0), $0, "\"v1\"") }
        ),
        segment(
            "more than its part",
            part { range in
                (wide, range, range.lowerBound..<range.upperBound + 1000, "\"v1\"")
            }
        ),
        segment(
            "a part without a place",
            .file(FixtureFile(wide, ranges: .misreported(contentRange: nil)))
        ),
        segment("a part in gzip", wideFile.with(fields: [("Content-Encoding", "gzip")])),
        segment(
            "a part cut after each 100 000 bytes",
            wideFile.dropping(after: 100_000),
            gets: .interruption(.connectionLost, wide)
        ),
        segment("a redirect", .redirect(to: "/elsewhere")),
        segment(
            "a question for a password",
            .status(401, fields: [("WWW-Authenticate", "Basic realm=\"x\"")])
        ),
        segment("another protocol", .raw("SSH-2.0-OpenSSH_9.2\r\n\r\n")),
        segment("a header without end", .endlessHeader),
        segment("nothing, for ever", .script([.wait(FixtureGate())])).wastingTime(),
    ]

    /// Whether a request is for a part of which both ends are known.
    static func isForSegment(_ request: FixtureRequest) -> Bool { bounds(of: request) != nil }

    /// All that is asked for without an end is served as it should be, not too fast.
    private static func segment(
        _ behaviour: String,
        _ lie: FixtureAnswer,
        gets outcome: Outcome = .file(wide)
    ) -> LyingServer {
        LyingServer(
            behaviour: "to a further connection: " + behaviour,
            validator: "\"v1\"",
            answers: [slowWideFile],
            forSegments: lie,
            outcome: outcome,
            asks: nil
        )
    }

    /// A part by what was asked for: of what it is, which bytes come, which ones it says, and its tag.
    static func part(
        total: Int64 = wide.byteCount,
        _ lie:
            @escaping @Sendable (Range<Int64>) -> (
                content: FixtureContent, bytes: Range<Int64>, claim: Range<Int64>,
                entityTag: String?
            )
    ) -> FixtureAnswer {
        FixtureAnswer { request in
            let lie = lie(bounds(of: request) ?? 0..<wide.byteCount)
            var response = FixtureResponse(status: 206, content: lie.content)
            response.part = lie.bytes
            let claim = "bytes \(lie.claim.lowerBound)-\(lie.claim.upperBound - 1)/\(total)"
            response.fields = [("Content-Range", claim)]
            if let tag = lie.entityTag { response.fields.append(("ETag", tag)) }
            return response
        }
    }

    /// Another range, a little further towards the beginning.
    static func before(_ range: Range<Int64>) -> Range<Int64> {
        max(0, range.lowerBound - 1000)..<max(1, range.upperBound - 1000)
    }

    /// The first half of a range; a single byte has none.
    static func half(of range: Range<Int64>) -> Range<Int64> {
        range.lowerBound..<range.lowerBound + Int64((range.count + 1) / 2)
    }

    private static func bounds(of request: FixtureRequest) -> Range<Int64>? {
        guard let parts = request.range?.dropFirst(6).split(separator: "-"), parts.count == 2,
            let first = Int64(parts[0]), let last = Int64(parts[1])
        else { return nil }
        return first..<last + 1
    }

    /// Long enough for several connections.
    static let wide = FixtureContent.seeded(6, byteCount: 14 << 20)
    static let otherWide = FixtureContent.seeded(7, byteCount: 14 << 20)
    static let wideFile = FixtureAnswer.file(FixtureFile(wide))
    /// So slow that further connections are worth it for seconds, however late a busy machine measures the rate,
    /// and that one connection does not have it all before the others have been cut often enough.
    static let slowWideFile = wideFile.paced(bytesPerSecond: 1 << 20)
}
