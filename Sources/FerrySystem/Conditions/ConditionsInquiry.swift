/// Decides when one service is asked, and what its answers and its silence mean.
struct ConditionsInquiry {
    /// For how long a service is waited for.
    static let timeout = Duration.seconds(1)
    /// For how long a network that is gone keeps its conditions.
    ///
    /// Most come back, and the kernel has their routes before NetworkManager tells of them.
    static let memory = Duration.seconds(30)
    /// How many questions a service may leave without an answer that reports changes all the time.
    private static let openQuestionLimit = 8

    /// Whether the service answers.
    private(set) var state = ConditionsService.State.waiting
    /// What is known; nil until the first answer, or its absence.
    private(set) var conditions: Conditions?
    /// The number of the latest question, while it has no answer.
    private var question: UInt64?
    private var openQuestions = 0
    /// Whether something has changed since the question was asked.
    private var isStale = false
    /// When the service counts as silent, or as absent if it has not been asked.
    private var answerDeadline: ContinuousClock.Instant?
    private var memoryDeadline: ContinuousClock.Instant?

    /// Begins to wait for the service.
    init(at now: ContinuousClock.Instant) { answerDeadline = now + Self.timeout }

    /// When ``woke(at:)`` is due.
    var deadline: ContinuousClock.Instant? {
        [answerDeadline, memoryDeadline].compactMap(\.self).min()
    }

    /// Records that the service was asked.
    mutating func asked(_ number: UInt64, at now: ContinuousClock.Instant) {
        question = number
        openQuestions += 1
        isStale = false
        // One that is known not to be there has no time limit.
        if state == .waiting || state == .answers {
            answerDeadline = answerDeadline ?? now + Self.timeout
        }
    }

    /// Handles a signal that something has changed, and returns whether to ask.
    mutating func changed() -> Bool {
        guard question != nil, state != .silent else {
            return openQuestions < Self.openQuestionLimit
        }
        isStale = true
        return false
    }

    /// Handles an answer, and returns whether to ask again.
    mutating func answered(
        _ number: UInt64,
        _ report: ConditionsSource.Report,
        at now: ContinuousClock.Instant
    ) -> Bool {
        // It may be that of a service that has been replaced.
        guard number == question else { return false }
        question = nil
        openQuestions = 0
        state = .answers
        answerDeadline = nil
        switch report {
        case .conditions(let conditions):
            self.conditions = conditions
            memoryDeadline = nil
        case .disconnected:
            conditions = conditions ?? []
            if conditions != [], memoryDeadline == nil { memoryDeadline = now + Self.memory }
        }
        return isStale
    }

    /// Handles that there is no service to answer.
    mutating func refused(_ number: UInt64, at now: ContinuousClock.Instant) {
        guard number == question else { return }
        left(at: now)
    }

    /// Handles that a service has the name that had none, or another one.
    mutating func appeared(at now: ContinuousClock.Instant) {
        question = nil
        openQuestions = 0
        state = .waiting
        answerDeadline = now + Self.timeout
    }

    /// Handles that the service, or its bus, is gone.
    ///
    /// One that has answered may only be restarting.
    mutating func left(at now: ContinuousClock.Instant) {
        question = nil
        openQuestions = 0
        switch state {
        case .answers:
            state = .waiting
            answerDeadline = now + Self.timeout
        case .waiting where conditions != nil: break
        case .waiting, .absent, .silent: conclude(.absent)
        }
    }

    /// Handles that the bus is not there.
    mutating func hasNoBus() {
        question = nil
        openQuestions = 0
        conclude(.absent)
    }

    mutating func woke(at now: ContinuousClock.Instant) {
        if let answerDeadline, answerDeadline <= now {
            conclude(question == nil ? .absent : .silent)
        }
        if let memoryDeadline, memoryDeadline <= now {
            self.memoryDeadline = nil
            conditions = []
        }
    }

    private mutating func conclude(_ state: ConditionsService.State) {
        self.state = state
        conditions = []
        answerDeadline = nil
        memoryDeadline = nil
    }
}
