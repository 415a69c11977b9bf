import FerryHTTP
import FerryTransfer
import FerryWire
import FoundationEssentials

extension Wire.Challenge {
    /// Creates the message for a client about a challenge of a server or proxy.
    init(_ challenge: LoadChallenge) {
        self.init(
            origin: challenge.origin.description,
            previousFailureCount: challenge.previousFailureCount,
            response: challenge.response
        )
        switch challenge.kind {
        case .password(let way, let isProxy):
            password = Wire.PasswordChallenge(
                scheme: way.scheme,
                parameters: way.parameters,
                isProxy: isProxy
            )
        case .serverTrust(let trust):
            self.trust = Wire.ServerTrust(trust)
        case .clientCertificate(let certificateRequest):
            certificate = Wire.CertificateRequest(
                host: certificateRequest.host,
                issuers: certificateRequest.issuers.map { Data($0) }
            )
        }
    }
}

extension Wire.ServerTrust {
    fileprivate init(_ trust: HTTPServerTrust) {
        let (verdict, reason): (Wire.CertificateVerdict, String?) =
            switch trust.verdict {
            case .trusted: (.trusted, nil)
            case .badDate(let reason): (.badDate, reason)
            case .untrusted(let reason): (.untrusted, reason)
            case .forAnotherHost: (.forAnotherHost, nil)
            }
        self.init(
            host: trust.host,
            certificates: trust.certificates.map { Data($0) },
            verdict: verdict,
            reason: reason
        )
    }
}

extension LoadChallengeAnswer {
    /// Creates the answer from a client's decision; one that does not fit the challenge means default handling.
    init(_ given: Wire.AnswerChallenge, to challenge: LoadChallenge) {
        switch (given.disposition, challenge.kind) {
        case (.cancel, _): self = .cancel
        case (.reject, _): self = .reject
        case (.goOn, _): self = .performDefaultHandling
        case (.use, .serverTrust): self = .trust
        case (.use, .clientCertificate):
            self = given.identity.map { .identify(HTTPIdentity($0)) } ?? .performDefaultHandling
        case (.use, .password):
            guard let user = given.user, let password = given.password else {
                self = .performDefaultHandling
                return
            }
            self = .use(PasswordCredential(user: user, password: password))
        }
    }
}

extension HTTPIdentity {
    fileprivate init(_ identity: Wire.Identity) {
        let format: Format =
            switch identity.format {
            case .pem: .pem
            case .pkcs12: .pkcs12
            }
        self.init(Array(identity.content), format: format, passphrase: identity.passphrase)
    }
}
