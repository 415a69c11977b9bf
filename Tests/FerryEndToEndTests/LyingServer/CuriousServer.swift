import FerryTestSupport
import Testing

/// A server that knows a download's secrets, and leads it to another one that is not to be shown them.
struct CuriousServer: Sendable {
    /// How the download comes to the other one.
    enum Way: Hashable, Sendable {
        /// By a redirect of this status.
        case redirect(Int)
        /// As the other one is its mirror, and the file is gone.
        case mirror
    }

    /// Where the other one is.
    enum Target: String, CaseIterable, Sendable {
        case sameOrigin = "the same origin"
        case otherHost = "another host"
        case otherPort = "another port"
        case plain = "http, from https"
        case secure = "https, from http"
    }

    /// What the first one is shown.
    enum Secret: String, CaseIterable, CustomTestStringConvertible, Sendable {
        case fields = "fields of the app's"
        case basic = "a password, by Basic"
        case digest = "a password, by Digest"

        var testDescription: String { rawValue }

        /// What the first one answers to who does not prove who he is.
        fileprivate var challenge: String? {
            switch self {
            case .fields: nil
            case .basic: "Basic realm=\"harbour\""
            case .digest: "Digest realm=\"harbour\", nonce=\"n\", qop=\"auth\""
            }
        }

        /// The fields of the app's requests.
        var fields: [String] {
            ["Cookie: id=secret", "X-Key: secret"]
                + (self == .fields ? ["Authorization: Bearer secret"] : [])
        }
    }

    let way: Way
    let target: Target
    let secret: Secret

    /// The fields that tell a secret.
    static let telling = ["Authorization", "Cookie", "X-Key"]

    static let all = Secret.allCases.flatMap { secret in
        Target.allCases.flatMap { target in
            ways(to: target).map { CuriousServer(way: $0, target: target, secret: secret) }
        }
    }

    /// At the same origin the redirects show that there are secrets.
    private static func ways(to target: Target) -> [Way] {
        [301, 302, 303, 307, 308].map { .redirect($0) }
            + (target == .sameOrigin ? [] : [.mirror])
    }

    /// What the server does.
    var behaviour: String {
        switch way {
        case .redirect(let status):
            "a redirect (\(status)) with \(secret.rawValue) to \(target.rawValue)"
        case .mirror: "a mirror beside \(secret.rawValue), by \(target.rawValue)"
        }
    }

    /// What the first one answers.
    ///
    /// - Parameter url: Where the other one is.
    /// - Returns: The answer to a request.
    func answer(leadingTo url: String) -> @Sendable (FixtureRequest) -> FixtureAnswer {
        { request in
            if let challenge = secret.challenge, request["Authorization"] == nil {
                return .status(401, fields: [("WWW-Authenticate", challenge)])
            }
            return switch way {
            case .redirect(let status): .redirect(to: url, status: status)
            case .mirror: .status(404, body: "gone")
            }
        }
    }
}
