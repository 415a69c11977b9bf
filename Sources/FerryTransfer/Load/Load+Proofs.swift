import FerryHTTP

extension Load.StateMachine {
    /// The credentials that requests are sent with.
    struct Proofs: Hashable {
        /// One credential.
        private struct Proof: Hashable {
            var credential: PasswordCredential
            /// `nil` for basic authentication.
            var digest: DigestAuthentication?
        }

        /// The authentication with the server or with the proxy.
        private struct Side: Hashable {
            var proof: Proof?
            var failureCount = 0
            /// How often the nonce was replaced.
            var renewalCount = 0
        }

        private var server = Side()
        private var proxy = Side()

        /// Whether there is a credential for the server.
        var areForServer: Bool { server.proof != nil }

        /// The credentials for another server: only the proxy stays the same.
        var forOtherOrigin: Proofs {
            var proofs = Proofs()
            proofs.proxy = proxy
            return proofs
        }

        /// Returns how many answers were refused.
        func failureCount(forProxy isProxy: Bool) -> Int {
            isProxy ? proxy.failureCount : server.failureCount
        }

        /// Uses a name and password from now on.
        ///
        /// - Returns: Whether the challenge's scheme allows that.
        mutating func use(_ credential: PasswordCredential, for challenge: LoadChallenge) -> Bool {
            guard case .password(let way, let isProxy) = challenge.kind else { return false }
            let proof: Proof
            if way.scheme == "basic" {
                guard BasicAuthentication.value(for: credential) != nil else { return false }
                proof = Proof(credential: credential)
            } else {
                guard let digest = DigestAuthentication(way) else { return false }
                proof = Proof(credential: credential, digest: digest)
            }
            change(forProxy: isProxy) { side in
                side.proof = proof
                side.renewalCount = 0
            }
            return true
        }

        /// Takes over a new nonce if the previous one was merely too old.
        ///
        /// - Returns: Whether to use the same credential again.
        mutating func renew(
            with offered: [AuthenticationChallenge],
            forProxy isProxy: Bool
        ) -> Bool {
            let side = isProxy ? proxy : server
            // A server whose nonces are always too old would be asked forever.
            guard let proof = side.proof, proof.digest != nil, side.renewalCount < 3,
                let digest = offered.lazy.compactMap({ DigestAuthentication($0) }).first,
                digest.isStale
            else { return false }
            change(forProxy: isProxy) { side in
                side.proof?.digest = digest
                side.renewalCount += 1
            }
            return true
        }

        /// Handles another challenge of the server or proxy.
        mutating func refused(forProxy isProxy: Bool) {
            change(forProxy: isProxy) { side in
                if side.proof != nil { side.failureCount += 1 }
                side.proof = nil
            }
        }

        /// Whether there are no credentials to send.
        var isEmpty: Bool { server.proof == nil && proxy.proof == nil }

        /// Returns the fields to send.
        ///
        /// - Parameters:
        ///   - clientNonce: An unpredictable text.
        ///   - request: The method and the target of the request to the server or to the proxy.
        /// - Returns: The fields for the server and the proxy, as far as there are credentials.
        /// - Throws: ``HTTPError/Code/other`` where the system forbids the hash function.
        mutating func fields(
            clientNonce: String,
            for request: (_ isProxy: Bool) -> (method: String, target: String)
        ) throws(HTTPError) -> [HTTPField] {
            var fields: [HTTPField] = []
            for isProxy in [false, true] {
                guard var proof = isProxy ? proxy.proof : server.proof else { continue }
                let (method, target) = request(isProxy)
                let value: String?
                if proof.digest != nil {
                    value = try proof.digest?.value(
                        for: proof.credential,
                        method: method,
                        target: target,
                        clientNonce: clientNonce
                    )
                } else {
                    value = BasicAuthentication.value(for: proof.credential)
                }
                change(forProxy: isProxy) { $0.proof = proof }
                let name = isProxy ? "Proxy-Authorization" : "Authorization"
                if let value { fields.append(HTTPField(name: name, value: value)) }
            }
            return fields
        }

        private mutating func change(forProxy isProxy: Bool, _ body: (inout Side) -> Void) {
            if isProxy { body(&proxy) } else { body(&server) }
        }
    }
}

extension [AuthenticationChallenge] {
    /// The challenges that can be answered here, the safest first.
    var answerable: [AuthenticationChallenge] {
        let digests = compactMap { challenge in
            DigestAuthentication(challenge).map { (challenge, $0.strength) }
        }
        let ordered = digests.enumerated().sorted { first, second in
            (-first.element.1, first.offset) < (-second.element.1, second.offset)
        }
        return ordered.map(\.element.0) + filter { $0.scheme == "basic" }
    }
}
