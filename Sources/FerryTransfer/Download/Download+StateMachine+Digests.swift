import FerryHTTP

extension Download.StateMachine {
    /// Notes what a server says of the bytes that it is about to send.
    ///
    /// Digests are of what a representation is made of, coded or not (RFC 9530 §2): where the body is decoded on
    /// its way, nothing can be compared.
    ///
    /// - Parameters:
    ///   - head: The head of its answer.
    ///   - range: The bytes that the body is; `nil` for all of them.
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

    /// All bytes are where they are to stay; whether they are the right ones is to be seen.
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
    /// - Parameter mismatch: What is wrong with them; `nil` for nothing.
    /// - Returns: What to do.
    mutating func verified(_ mismatch: String?) -> [Effect] {
        guard state == .verifying else { return [] }
        guard let mismatch else { return finish() }
        // What was put together of several answers may be right when it comes in one.
        let status = response.map { " (status \($0.status))" } ?? ""
        guard partCount > Self.firstConnection, !hasGivenUpSegments else {
            return refused(mismatch + status, as: .digestMismatch)
        }
        hasGivenUpSegments = true
        return beginAnew(because: mismatch + status)
    }
}
