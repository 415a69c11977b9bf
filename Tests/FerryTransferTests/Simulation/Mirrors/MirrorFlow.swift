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
    /// Whether it was led elsewhere if the server said so, as parts are only from mirrors.
    let follows: Bool
    /// `nil` once it has come, or when none comes.
    var head: HTTPResponseHead?
    var answer: SimulatedPlace.Answer
    /// How many bytes are still to be compared, if that is what it is for.
    var uncompared: Int64 = 0
    /// When something has come last.
    var touched: ContinuousClock.Instant

    /// Whether something is to come without delay.
    var isReady: Bool {
        head != nil || !answer.body.isEmpty || answer.surplus > 0 || !answer.stalls
    }

    /// How long it may bring nothing.
    static let idleTimeout: Duration = .seconds(60)
}
