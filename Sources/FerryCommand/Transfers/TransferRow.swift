import Foundation

/// A transfer as it is shown while it is followed.
struct TransferRow: Hashable, Sendable, Identifiable {
    /// The identity of a transfer, both in a session of this process and in ferryd.
    struct ID: Hashable, Sendable {
        /// The application that created it.
        var application: String
        /// The background session in which it was created.
        var session: String
        /// The task's number within that session.
        var taskIdentifier: Int
    }

    /// The reason why a transfer does not progress.
    struct Hold: Hashable, Sendable {
        /// The reason's name, for programs.
        var reason: String
        /// The reason in one line, such as `retry at 14:03:22: connection refused`.
        var text: String
        /// The time of the next attempt, if known.
        var until: Date?
        /// Details, for people.
        var detail: String?
        /// The last failure, if any.
        var failure: Outcome.Reason?
        /// Whether it only waits for its turn, as all do when there are many.
        var isItsTurn = false
    }

    /// The state of a transfer.
    enum State: Hashable, Sendable {
        /// It does not progress, for a reason if that is known.
        case waiting(Hold?)
        /// Bytes may arrive.
        case running
        /// Nothing more will happen to it.
        case over(Outcome)
    }

    /// The identity of the transfer.
    let id: ID
    /// The name of the transfer.
    var name: String
    /// Whether any certificate of its server is accepted.
    var isInsecure = false
    /// The URL it was created with, without a password.
    var url: String
    /// Its number in ferryd; nil until that is known.
    var number: Int?
    /// The state of the transfer.
    private(set) var state: State = .waiting(nil)
    /// The number of bytes received, or sent by an upload.
    private(set) var receivedByteCount: Int64 = 0
    /// The body's length, if known.
    private(set) var expectedByteCount: Int64?
    /// The speed.
    private(set) var speed = TransferSpeed()
    /// Whether it has not begun yet, as far as is known.
    private var isToBegin: Bool
    /// The times when it began and ended, if both were observed.
    private var begun: Duration?
    private var ended: Duration?

    /// A transfer of which nothing more is known yet.
    ///
    /// - Parameters:
    ///   - id: The identity of the transfer.
    ///   - name: The name of the transfer.
    ///   - url: The URL it was created with, without a password.
    ///   - number: Its number in ferryd, if that is known.
    ///   - isToBegin: Whether it was just created.
    init(id: ID, name: String, url: String, number: Int? = nil, isToBegin: Bool = false) {
        self.id = id
        self.name = name
        self.url = url
        self.number = number
        self.isToBegin = isToBegin
    }

    /// Its name in a line for people, which says if its server is not verified.
    var title: String { Self.title(name, isInsecure: isInsecure) }

    /// Returns the name of a transfer in a line for people.
    static func title(_ name: String, isInsecure: Bool) -> String {
        isInsecure ? "\(name) (insecure)" : name
    }

    /// Whether it has ended.
    var isOver: Bool { outcome != nil }

    /// The outcome; nil while it has not ended.
    var outcome: Outcome? {
        if case .over(let outcome) = state { outcome } else { nil }
    }

    /// The elapsed time; nil if its beginning was not observed.
    var elapsed: Duration? {
        guard let begun, let ended else { return nil }
        return ended - begun
    }

    /// Records that it waits.
    ///
    /// - Parameters:
    ///   - hold: The reason, if known.
    ///   - hasBegun: Whether it has run before.
    mutating func waits(for hold: Hold?, hasBegun: Bool) {
        state = .waiting(hold)
        if !hasBegun { isToBegin = true }
    }

    /// Records that it runs.
    ///
    /// - Parameter instant: The time since some fixed moment.
    mutating func runs(at instant: Duration) {
        state = .running
        if isToBegin { begun = begun ?? instant }
    }

    /// Records that it has ended.
    ///
    /// - Parameters:
    ///   - outcome: The outcome.
    ///   - instant: The time since some fixed moment.
    mutating func ends(_ outcome: Outcome, at instant: Duration) {
        state = .over(outcome)
        ended = instant
        // Of a quick transfer, ferryd has reported nothing before.
        switch outcome {
        case .saved(_, let byteCount):
            receivedByteCount = byteCount
            expectedByteCount = byteCount
        case .sent: receivedByteCount = expectedByteCount ?? receivedByteCount
        case .unchanged, .completed, .gone, .failed: break
        }
    }

    /// Records bytes that have arrived.
    ///
    /// - Parameters:
    ///   - received: The number of bytes received or sent.
    ///   - expected: The body's length; nil when unknown.
    ///   - instant: The time since some fixed moment.
    mutating func progress(received: Int64, expected: Int64?, at instant: Duration) {
        receivedByteCount = received
        expectedByteCount = expected
        speed.update(byteCount: received, at: instant)
    }
}
