import Foundation

/// One transfer as it is shown while it is followed.
struct TransferRow: Hashable, Sendable, Identifiable {
    /// What names a transfer, both in a session of this process and in ferryd.
    struct ID: Hashable, Sendable {
        /// The application that created it.
        var application: String
        /// The background session in which it was created.
        var session: String
        /// The task's number within that session.
        var taskIdentifier: Int
    }

    /// Why a transfer does not move.
    struct Hold: Hashable, Sendable {
        /// The reason's name, for programs.
        var reason: String
        /// The reason in a line, such as `retry at 14:03:22: connection refused`.
        var text: String
        /// When it is tried again, if that is known.
        var until: Date?
        /// More about it, for a person.
        var detail: String?
        /// What went wrong last, if anything did.
        var failure: Outcome.Reason?
        /// Whether it only waits for its turn, as all do when there are many.
        var isItsTurn = false
    }

    /// What a transfer is doing.
    enum State: Hashable, Sendable {
        /// Not moving, and why if that is known.
        case waiting(Hold?)
        /// Bytes may arrive.
        case running
        /// Nothing more will happen to it.
        case over(Outcome)
    }

    /// What names it.
    let id: ID
    /// What it is called.
    var name: String
    /// The URL it was created with, fit to be shown.
    var url: String
    /// Its number in ferryd; nil until that is known.
    var number: Int?
    /// What it is doing.
    private(set) var state: State = .waiting(nil)
    /// The body's bytes that are here.
    private(set) var receivedByteCount: Int64 = 0
    /// The body's length, if the server told it.
    private(set) var expectedByteCount: Int64?
    /// How fast it goes.
    private(set) var speed = TransferSpeed()
    /// Whether it has not begun yet, as far as is known.
    private var isToBegin: Bool
    /// When it began and when it was over, where both were seen.
    private var begun: Duration?
    private var ended: Duration?

    /// A transfer of which nothing more is known yet.
    ///
    /// - Parameters:
    ///   - id: What names it.
    ///   - name: What it is called.
    ///   - url: The URL it was created with, fit to be shown.
    ///   - number: Its number in ferryd, if that is known.
    ///   - isToBegin: Whether it was only just made.
    init(id: ID, name: String, url: String, number: Int? = nil, isToBegin: Bool = false) {
        self.id = id
        self.name = name
        self.url = url
        self.number = number
        self.isToBegin = isToBegin
    }

    /// Whether nothing more will happen to it.
    var isOver: Bool { outcome != nil }

    /// How it ended; nil while it has not.
    var outcome: Outcome? {
        if case .over(let outcome) = state { outcome } else { nil }
    }

    /// How long it took; nil where its beginning was not seen.
    var elapsed: Duration? {
        guard let begun, let ended else { return nil }
        return ended - begun
    }

    /// It waits.
    ///
    /// - Parameters:
    ///   - hold: What for, if that is known.
    ///   - hasBegun: Whether it has run before.
    mutating func waits(for hold: Hold?, hasBegun: Bool) {
        state = .waiting(hold)
        if !hasBegun { isToBegin = true }
    }

    /// It runs.
    ///
    /// - Parameter instant: The time since some fixed moment.
    mutating func runs(at instant: Duration) {
        state = .running
        if isToBegin { begun = begun ?? instant }
    }

    /// Nothing more will happen to it.
    ///
    /// - Parameters:
    ///   - outcome: How it ended.
    ///   - instant: The time since some fixed moment.
    mutating func ends(_ outcome: Outcome, at instant: Duration) {
        state = .over(outcome)
        ended = instant
        guard case .saved(_, let byteCount) = outcome else { return }
        // The file is the truth; of a quick one ferryd told nothing before.
        receivedByteCount = byteCount
        expectedByteCount = byteCount
    }

    /// Records bytes that have arrived.
    ///
    /// - Parameters:
    ///   - received: The body's bytes here.
    ///   - expected: The body's length; nil when unknown.
    ///   - instant: The time since some fixed moment.
    mutating func progress(received: Int64, expected: Int64?, at instant: Duration) {
        receivedByteCount = received
        expectedByteCount = expected
        speed.update(byteCount: received, at: instant)
    }
}
