import FerryTestSupport

extension LyingServer {
    /// The lie is the first answer; what follows is honest, for those who ask again.
    static func lie(
        _ behaviour: String,
        _ answers: FixtureAnswer...,
        elsewhere: FixtureAnswer? = nil,
        gets outcome: Outcome,
        asks: [String?] = [whole]
    ) -> LyingServer {
        LyingServer(
            behaviour: behaviour,
            validator: "\"v1\"",
            answers: answers + [.oldFile],
            elsewhere: elsewhere,
            outcome: outcome,
            asks: asks
        )
    }

    /// A first answer, honest but cut; then the lie, which a request for the rest meets; then all is honest.
    static func continuation(
        _ behaviour: String,
        after beginning: FixtureFile = FixtureFile(old),
        _ answers: FixtureAnswer...,
        gets outcome: Outcome,
        asks: [String?]
    ) -> LyingServer {
        LyingServer(
            behaviour: behaviour,
            beginning: .file(beginning),
            validator: beginning.entityTag ?? beginning.lastModified,
            answers: answers + [.file(beginning)],
            outcome: outcome,
            asks: asks
        )
    }

    /// With a time-out that has to run out before a good end.
    func wastingTime() -> LyingServer {
        var lie = self
        lie.wastesTime = true
        return lie
    }
}

extension LyingServer {
    /// Those whose first answer is the lie.
    static let beginnings =
        answers + redirects + surplus + digests + retries + framing + links + packedBodies

    /// Those whose lie is the answer to a request for the rest.
    static let continuations = resumptions + digestsOfParts + retriesOfParts + parts

    /// All of them.
    static let all =
        beginnings + continuations + relinks + segments + mirrors + packedAsAsked + endless
        + [endlessCompression]
}

extension LyingServer.Outcome: CustomStringConvertible {
    var description: String {
        switch self {
        case .file(let content, let status):
            "\(status), \(content.byteCount) bytes"
        case .error(let failure):
            "\(failure)"
        case .interruption(let failure, let content, let status):
            "\(failure); in the background tried again: \(status), \(content.byteCount) bytes"
        case .unavailability(let status, let body, let content):
            "\(status), \(body.byteCount) bytes; "
                + "in the background tried again: \(content.byteCount) bytes"
        case .fileFromTheStart(let content):
            "no resume data; in the background from the start: \(content.byteCount) bytes"
        }
    }
}
