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
        /// The reason in a few words, such as `waiting: enough from its host`.
        var text: String
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
    var state: State = .waiting(nil)
    /// The body's bytes that are here.
    private(set) var receivedByteCount: Int64 = 0
    /// The body's length, if the server told it.
    private(set) var expectedByteCount: Int64?
    /// How fast it goes.
    private(set) var speed = TransferSpeed()
    /// When bytes were first seen, and how many there were.
    private var firstSeen: Duration?
    private var lastSeen: Duration?

    /// A transfer of which nothing more is known yet.
    init(id: ID, name: String, url: String, number: Int? = nil) {
        self.id = id
        self.name = name
        self.url = url
        self.number = number
    }

    /// Whether nothing more will happen to it.
    var isOver: Bool { outcome != nil }

    /// How it ended; nil while it has not.
    var outcome: Outcome? {
        if case .over(let outcome) = state { outcome } else { nil }
    }

    /// How long bytes have been arriving.
    var elapsed: Duration? {
        guard let firstSeen, let lastSeen, lastSeen > firstSeen else { return nil }
        return lastSeen - firstSeen
    }

    /// Takes note of bytes that arrived.
    ///
    /// - Parameters:
    ///   - received: The body's bytes here.
    ///   - expected: The body's length; nil when unknown.
    ///   - instant: The time since some fixed moment.
    mutating func progress(received: Int64, expected: Int64?, at instant: Duration) {
        receivedByteCount = received
        expectedByteCount = expected
        speed.update(byteCount: received, at: instant)
        firstSeen = firstSeen ?? instant
        lastSeen = instant
    }
}
