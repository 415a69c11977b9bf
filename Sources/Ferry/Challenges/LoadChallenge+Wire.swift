import FerryHTTP
import FerryTransfer
import FerryWire
import Foundation

extension LoadChallenge {
    /// Reads a challenge of a server or a proxy from the daemon; `nil` if it cannot be read.
    init?(_ challenge: Wire.Challenge) {
        guard let origin = Origin(url: challenge.origin), let kind = Kind(challenge) else {
            return nil
        }
        self.init(
            kind: kind,
            origin: origin,
            previousFailureCount: challenge.previousFailureCount,
            response: challenge.response
        )
    }
}

extension LoadChallenge.Kind {
    fileprivate init?(_ challenge: Wire.Challenge) {
        if let password = challenge.password {
            let way = AuthenticationChallenge(
                scheme: password.scheme,
                parameters: password.parameters
            )
            self = .password(way, isProxy: password.isProxy)
        } else if let trust = challenge.trust {
            self = .serverTrust(
                HTTPServerTrust(
                    host: trust.host,
                    certificates: trust.certificates.map { Array($0) },
                    verdict: HTTPServerTrust.Verdict(trust)
                )
            )
        } else if let certificateRequest = challenge.certificate {
            self = .clientCertificate(
                CertificateRequest(
                    host: certificateRequest.host,
                    issuers: certificateRequest.issuers.map { Array($0) }
                )
            )
        } else {
            return nil
        }
    }
}

extension HTTPServerTrust.Verdict {
    fileprivate init(_ trust: Wire.ServerTrust) {
        let reason = trust.reason ?? "The server's certificate is not trusted"
        switch trust.verdict {
        case .trusted: self = .trusted
        case .badDate: self = .badDate(reason)
        case .untrusted: self = .untrusted(reason)
        case .forAnotherHost: self = .forAnotherHost
        }
    }
}

extension Wire.AnswerChallenge {
    /// The app's decision, for a session whose number is set when it is sent.
    init(_ decision: AppChallenges.Decision, to question: Int, ofTask identifier: Int) {
        self.init(
            session: 0,
            identifier: identifier,
            question: question,
            disposition: .use,
            isKept: decision.isKept
        )
        switch decision.answer {
        case .use(let credential):
            user = credential.user
            password = credential.password
        case .trust: break
        case .identify(let identity): self.identity = Wire.Identity(identity)
        case .performDefaultHandling: disposition = .goOn
        case .reject: disposition = .reject
        case .cancel: disposition = .cancel
        }
    }
}

extension Wire.Identity {
    fileprivate init(_ identity: HTTPIdentity) {
        let format: Wire.IdentityFormat =
            switch identity.format {
            case .pem: .pem
            case .pkcs12: .pkcs12
            }
        self.init(
            format: format,
            content: Data(identity.bytes),
            passphrase: identity.passphrase
        )
    }
}
