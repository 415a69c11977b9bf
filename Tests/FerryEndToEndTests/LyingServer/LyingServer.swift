import FerryTestSupport
import Testing

/// A server that misleads its clients in one way, and what has to come of it.
///
/// The tables are in the extensions: behaviour, answers, outcome, and what is asked for.
struct LyingServer: CustomTestStringConvertible, Sendable {
    /// What has to come of a download.
    enum Outcome: Sendable {
        /// A file, from a response of this status.
        case file(FixtureContent, status: Int = 200)
        /// No file but this error.
        case error(Failure)
        /// This error in an app's own session. ferryd tries again, until the server has run out of
        /// lies, and gets this file.
        case interruption(Failure, FixtureContent, status: Int = 200)
        /// An app's own session takes the body for the file, as there are no bytes yet. ferryd waits for a server that
        /// says that it is unavailable.
        case unavailability(status: Int, body: FixtureContent, FixtureContent)
        /// An app's own session has no resume data. ferryd begins anew and gets this file.
        case fileFromTheStart(FixtureContent)
    }

    /// The errors of an app, by the numbers of `URLError.Code`.
    enum Failure: Int, Sendable {
        case timedOut = -1001
        case unsupportedURL = -1002
        case connectionLost = -1005
        case tooManyRedirects = -1007
        case resourceUnavailable = -1008
        case badServerResponse = -1011
        case cannotDecodeContentData = -1016
        case cancelled = -999
    }

    /// What the server does.
    let behaviour: String
    /// What it serves before the connection is cut; `nil` where the first answer is the lie.
    var beginning: FixtureAnswer?
    /// What proves the version of that, and so has to be in `If-Range`.
    var validator: String?
    /// The answers that follow; the last one repeats.
    let answers: [FixtureAnswer]
    /// The answer to requests for a part of which both ends are known; `nil` for that of the others.
    var forSegments: FixtureAnswer?
    /// What `/elsewhere` serves, for redirects.
    var elsewhere: FixtureAnswer?
    /// What it serves after so many answers.
    var elsewhereLater: (count: Int, answer: FixtureAnswer)?
    /// What a mirror serves, which is at `/mirror`; `nil` where there is none.
    var mirror: (@Sendable (FixtureRequest) -> FixtureAnswer)?
    /// What has to come of it.
    let outcome: Outcome
    /// The `Range` fields of the requests for `answers`, with `nil` for a request for the whole.
    ///
    /// An app's own session, which tries once, makes the first of them if it is interrupted. `nil` where they
    /// depend on when what comes.
    let asks: [String?]?
    /// Whether time has to run out before a good end.
    var wastesTime = false

    var testDescription: String { behaviour }

    /// Whether time has to run out.
    var isSilent: Bool {
        if case .interruption(.timedOut, _, _) = outcome { true } else { wastesTime }
    }

    /// Whether the download fails at the end, as the server never does better.
    private var isInterruption: Bool {
        if case .interruption = outcome { true } else { false }
    }

    /// The time-out of a request, in seconds: long enough for a server that is only slow, on a machine that is busy.
    var timeout: String {
        guard isSilent else { return "600" }
        return Sanitizer.isOn ? "5" : "1"
    }

    /// Serves all of it at a path, with something done to the first answer.
    func serve(
        from server: FixtureServer,
        at path: String,
        changingFirst change: (FixtureAnswer) -> FixtureAnswer
    ) {
        let all = (beginning.map { [$0] } ?? []) + answers
        if let forSegments {
            // The last bytes are kept back until a further connection has asked, however slow the machine is.
            let gate = FixtureGate()
            let first =
                mirror == nil
                ? all[0].stalling(after: Self.wide.byteCount - 100_000, at: gate) : all[0]
            server.on(path) { [weak server, goesOn = isInterruption] request in
                guard Self.isForSegment(request) else { return first }
                gate.open()
                // On a slow machine the first connection may reach a part before its response arrives. The next
                // request for that part is then the only one, and not to a further connection.
                let isFurther = server?.requests(to: path).contains { other in
                    !Self.isForSegment(other) && other.isBeingAnswered
                }
                return goesOn || isFurther == true ? forSegments : all[0]
            }
        } else {
            server.on(path, [change(all[0])] + all.dropFirst())
        }
        if let elsewhere {
            let first = [FixtureAnswer](repeating: elsewhere, count: elsewhereLater?.count ?? 1)
            server.on("/elsewhere", first + (elsewhereLater.map { [$0.answer] } ?? []))
        }
        if let mirror { server.on(Self.mirrorPath, answer: mirror) }
    }

    /// Where a mirror is.
    static let mirrorPath = "/mirror"

    // MARK: What is served

    /// The ranges with which a comparison of the last bytes begins: of those behind the cut, and of 150 000.
    static let comparisons: Set<String?> = [comparison, "bytes=131250-"]
    static let comparison = "bytes=87500-"
    /// Where the first answer is cut.
    static let cutByteCount: Int64 = 100_000
    /// What is there at first.
    static let old = FixtureContent.seeded(1, byteCount: 300_001)
    /// Another version, of the same length.
    static let new = FixtureContent.seeded(2, byteCount: 300_001)
    /// Yet another version.
    static let third = FixtureContent.seeded(3, byteCount: 200_000)

    /// One that is long enough to come past libcurl.
    static let long = FixtureContent.seeded(4, byteCount: 18 << 20)
    /// Another version of that, of the same length.
    static let newLong = FixtureContent.seeded(5, byteCount: 18 << 20)

    static let whole: String? = nil
    static let rest: String? = "bytes=100000-"
}

extension FixtureAnswer {
    /// The first version, served as it should be.
    static let oldFile = FixtureAnswer.file(FixtureFile(LyingServer.old))
    /// The second version, of the same length, served as it should be.
    static let newFile = FixtureAnswer.file(FixtureFile(LyingServer.new, entityTag: "\"v2\""))

    /// 206 with a part from `start`, whatever was asked for, and these fields.
    static func part(
        of content: FixtureContent = LyingServer.old,
        from start: Int64 = LyingServer.cutByteCount,
        to end: Int64? = nil,
        status: Int = 206,
        range: String? = nil,
        _ fields: [(name: String, value: String)] = [("ETag", "\"v1\"")]
    ) -> FixtureAnswer {
        let part = start..<(end ?? content.byteCount)
        let truth = "bytes \(start)-\(part.upperBound - 1)/\(content.byteCount)"
        return FixtureAnswer { _ in
            var response = FixtureResponse(status: status, content: content)
            response.part = part
            response.fields = fields + [("Content-Range", range ?? truth)]
            return response
        }
    }

    /// Exactly this text, and the end of the connection.
    static func raw(_ text: String) -> FixtureAnswer { .script([.text(text), .close]) }
}
