/// Decides when to connect to a bus again.
///
/// A missing socket is waited for, which takes nothing. A bus that accepts connections and ends them is tried
/// less and less often, and a few times only: otherwise it would wake an idle machine for ever.
struct BusAttempts {
    enum State: Hashable {
        case opening
        case open
        case resting(until: ContinuousClock.Instant)
        case givenUp
    }

    /// The pauses before the attempts after the first one.
    ///
    /// The first attempt does not wait for a socket, so as to learn whether there is a bus at all.
    static let rests: [Duration] = [
        .zero, .seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(16), .seconds(32),
    ]

    private(set) var state = State.opening
    private var failureCount = 0

    var isOpen: Bool { state == .open }

    /// When ``woke(at:)`` is due.
    var deadline: ContinuousClock.Instant? {
        if case .resting(let end) = state { end } else { nil }
    }

    mutating func opened() { state = .open }

    /// Handles that a service has answered over the connection.
    mutating func worked() { failureCount = 0 }

    /// Handles that the connection was not made, or has ended.
    mutating func failed(at now: ContinuousClock.Instant) -> State {
        guard failureCount < Self.rests.count else {
            state = .givenUp
            return state
        }
        let rest = Self.rests[failureCount]
        failureCount += 1
        state = rest == .zero ? .opening : .resting(until: now + rest)
        return state
    }

    /// Returns whether to connect now.
    mutating func woke(at now: ContinuousClock.Instant) -> Bool {
        guard let deadline, deadline <= now else { return false }
        state = .opening
        return true
    }

    /// Handles that no connection can ever be made.
    mutating func giveUp() { state = .givenUp }
}
