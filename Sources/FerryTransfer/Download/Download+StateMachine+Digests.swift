import FerryHTTP

extension Download.StateMachine {
    /// Records the digests of the bytes that a server is about to send.
    ///
    /// Digests cover a representation with its content coding, if any (RFC 9530 §2): if the body is decoded on
    /// receipt, nothing can be compared.
    ///
    /// - Parameters:
    ///   - head: The response head.
    ///   - range: The bytes in the body; `nil` for all of them.
    mutating func noteDigests(_ head: HTTPResponseHead, of range: Range<Int64>? = nil) {
        if range == nil { announcedChecks = [] }
        guard !head.hasContentCoding, current.transfer.method != "HEAD" else { return }
        if let digest = head.representationDigest, head.status == 200 || head.status == 206 {
            announcedChecks.removeAll { $0.range == nil }
            announcedChecks.append(DigestCheck(digest, isExpected: false))
        }
        if let digest = head.contentDigest {
            announcedChecks.append(DigestCheck(digest, range: range, isExpected: false))
        }
    }

    /// Verifies the bytes, which are in place now, if there are digests.
    mutating func synchronized() -> [Effect] {
        guard state == .synchronizing else { return [] }
        let checks =
            configuration.digests.map { DigestCheck($0, isExpected: true) } + announcedChecks
        guard !checks.isEmpty else { return finish() }
        state = .verifying
        return [.verify(checks)]
    }

    /// The bytes have been compared with their digests.
    ///
    /// - Parameter mismatch: A description of the mismatch; `nil` for none.
    /// - Returns: What to do.
    mutating func verified(_ mismatch: String?) -> [Effect] {
        guard state == .verifying else { return [] }
        guard let mismatch else { return finish() }
        // A body that was assembled from several responses may be right in one response.
        let status = response.map { " (status \($0.status))" } ?? ""
        guard partCount > Self.firstConnection, !hasGivenUpSegments else {
            return refused(mismatch + status, as: .digestMismatch)
        }
        hasGivenUpSegments = true
        return beginAnew(because: mismatch + status)
    }
}
