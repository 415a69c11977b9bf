import FerryHTTP

extension Load.StateMachine {
    /// What a request tells about who asks.
    struct Proofs: Hashable {
        /// One proof.
        private struct Proof: Hashable {
            var credential: PasswordCredential
            /// `nil` for a basic one.
            var digest: DigestAuthentication?
        }

        /// What is known about one of the two who may ask.
        private struct Side: Hashable {
            var proof: Proof?
            var failureCount = 0
            /// How often the nonce of the proof was replaced.
            var renewalCount = 0
        }

        private var server = Side()
        private var proxy = Side()

        /// What may go to another server: only the proxy stays the same.
        var forOtherOrigin: Proofs {
            var proofs = Proofs()
            proofs.proxy = proxy
            return proofs
        }

        /// How many answers were refused.
        func failureCount(forProxy isProxy: Bool) -> Int {
            isProxy ? proxy.failureCount : server.failureCount
        }

        /// Uses a name and password from now on.
        ///
        /// - Returns: Whether that can be done in the way that was asked for.
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

        /// Takes over a new nonce where the one before was merely too old.
        ///
        /// - Returns: Whether the same credential is to be used once more.
        mutating func renew(
            with offered: [AuthenticationChallenge],
            forProxy isProxy: Bool
        ) -> Bool {
            let side = isProxy ? proxy : server
            // A server whose nonces are always too old would be asked for ever.
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

        /// The other side asks again.
        mutating func refused(forProxy isProxy: Bool) {
            change(forProxy: isProxy) { side in
                if side.proof != nil { side.failureCount += 1 }
                side.proof = nil
            }
        }

        /// Whether nothing is known that could be told.
        var isEmpty: Bool { server.proof == nil && proxy.proof == nil }

        /// The fields to send.
        ///
        /// - Parameters:
        ///   - clientNonce: A text that nobody can foresee.
        ///   - request: The method and the target of what the server, or the proxy, is asked.
        /// - Returns: Those for the server and the proxy, as far as there are proofs.
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
    /// Those that can be answered here, the safest first.
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
