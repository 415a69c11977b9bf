@testable import FerryHTTP
@testable import FerryTransfer

extension FuzzTarget {
    /// What a proof says is what was asked, whatever stands in the challenge.
    static let authentication = FuzzTarget("authentication") { input throws(Finding) in
        let value = input.text
        let head = HTTPResponseHead(
            status: 401,
            fields: [HTTPField(name: "WWW-Authenticate", value: value)],
            url: "https://example.com/"
        )
        let challenges = AuthenticationChallenge.all(in: head)
        try expect(challenges.count <= value.utf8.count, "\(challenges.count) challenges")
        for challenge in challenges {
            try expect(!challenge.scheme.isEmpty, "a scheme without a name")
            try check(challenge)
        }
        try expect(challenges.answerable.count <= challenges.count, "more than there were")
    }

    private static func check(_ challenge: AuthenticationChallenge) throws(Finding) {
        guard var digest = DigestAuthentication(challenge) else { return }
        let user = PasswordCredential(user: "user", password: "password")
        let value = try? digest.value(
            for: user,
            method: "GET",
            target: "/",
            clientNonce: "nonce"
        )
        guard let value else { throw Finding(description: "no proof for \(challenge)") }
        // Read as a server reads it: each parameter must come back as it was sent.
        var parser = AuthenticationChallengeParser(value)
        let read = parser.challenges()
        try expectSame(read.map(\.scheme), ["digest"], "the scheme of \(value)")
        for name in ["realm", "nonce", "opaque"] {
            guard let sent = challenge.parameters[name] else { continue }
            let returned = read.first?.parameters[name]
            try expect(returned.map { Array($0.utf8) } == Array(sent.utf8), "\(name) in \(value)")
        }
        let expected = challenge.parameters["userhash"]?.lowercased() == "true" ? nil : "user"
        if let expected {
            try expectSame(read.first?.parameters["username"], expected, "the name in \(value)")
        }
        try expectSame(read.first?.parameters["uri"], "/", "the address in \(value)")
    }
}
