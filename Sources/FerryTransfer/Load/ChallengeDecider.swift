package import FerryHTTP
package import FerrySystem

/// Who decides about challenges to a transfer whose app is somewhere else.
@LoopActor package protocol ChallengeDecider: AnyObject {
    /// Says whether certificates were approved before that a connection's server shows.
    func hasApproved(_ trust: HTTPServerTrust) -> Bool

    /// The identity that was used before where a request goes; `nil` for none.
    func identity(for request: TransferRequest) -> HTTPIdentity?

    /// Decides about a challenge.
    ///
    /// - Parameters:
    ///   - challenge: What is asked.
    ///   - answer: Called once, from inside of the call or later.
    func decide(
        on challenge: LoadChallenge,
        then answer: @escaping @LoopActor (LoadChallengeAnswer) -> Void
    )
}
