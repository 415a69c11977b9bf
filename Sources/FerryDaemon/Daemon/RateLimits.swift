import FerryStore
import FerrySystem
import FerryTransfer

/// The rate limits that transfers share: one for all, and one for each session.
@LoopActor
final class RateLimits {
    /// A limit for each direction.
    @LoopActor
    private final class Pair {
        let receiving = RateLimit()
        let sending = RateLimit()

        func set(_ rates: SharedRates) {
            receiving.bytesPerSecond = rates.receive
            sending.bytesPerSecond = rates.send
        }
    }

    private let all = Pair()
    private var sessions: [SessionID: Pair] = [:]

    /// Changes the limits for all of a session's transfers together, or for all transfers.
    func set(_ rates: SharedRates, forSession session: SessionID?) {
        (session.map { pair(of: $0) } ?? all).set(rates)
    }

    /// Forgets a session that is gone.
    func forget(session: SessionID) { sessions[session] = nil }

    /// The rates of a new transfer.
    func makeRates(forSession session: SessionID) -> TransferRates {
        let own = pair(of: session)
        return TransferRates(
            receiving: [own.receiving, all.receiving],
            sending: [own.sending, all.sending]
        )
    }

    private func pair(of session: SessionID) -> Pair {
        if let pair = sessions[session] { return pair }
        let pair = Pair()
        sessions[session] = pair
        return pair
    }
}
