import FerryTestSupport

extension LyingServer {
    /// Those whose first answer is the lie.
    static let beginnings =
        answers + redirects + surplus + digests + retries + framing + links + packedBodies

    /// Those whose lie is the answer to a request for the rest.
    static let continuations = resumptions + digestsOfParts + retriesOfParts + parts

    /// All of them.
    static let all =
        beginnings + continuations + relinks + segments + mirrors + endless + [endlessCompression]
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
