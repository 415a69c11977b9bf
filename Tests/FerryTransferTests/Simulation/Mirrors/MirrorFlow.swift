import FerryHTTP

@testable import FerryTransfer

/// What comes by one connection.
struct MirrorFlow {
    /// What it is for.
    enum Purpose {
        case lead(condition: String?)
        case part(Resumption)
        case probe
    }

    /// Unlike that of any other.
    let identifier: Int
    let purpose: Purpose
    /// What was asked, wherever that led.
    let request: TransferRequest
    /// `nil` once it has come, or when none comes.
    var head: HTTPResponseHead?
    var answer: SimulatedPlace.Answer
    /// When something has come last.
    var touched: ContinuousClock.Instant

    /// Whether something is to come without delay.
    var isReady: Bool {
        head != nil || !answer.body.isEmpty || answer.surplus > 0 || !answer.stalls
    }

    /// How long it may bring nothing.
    static let idleTimeout: Duration = .seconds(60)
}
