extension URLSessionTask {
    /// Decides what resuming, suspending and cancelling a task mean.
    ///
    /// Calls nest: a task runs when it was resumed as often as it was suspended; a new task counts as suspended once.
    /// The visible state follows the last call, as on Apple's systems: a task that was suspended twice and resumed once
    /// is shown as running, and does not run.
    struct Lifecycle: Equatable {
        /// What the task's backend has to do.
        enum Command: Equatable {
            case resume
            case suspend
            case cancel
            case cancelProducingResumeData
        }

        /// The state that the app sees.
        private(set) var state = URLSessionTask.State.suspended
        /// Whether the task has run before: only such tasks are listed by their session.
        private(set) var wasResumed = false
        private var suspendCount = 1
        /// Whether the task has ended in an earlier launch, and the app was not notified.
        private var endsUnheard = false

        /// Whether a session lists the task: also one that has ended in an earlier launch, until the app is notified.
        var isOutstanding: Bool {
            switch state {
            case .running, .suspended: wasResumed
            case .completed: endsUnheard
            case .canceling: false
            }
        }

        /// Whether the task has ended in this launch.
        var hasEnded: Bool { state == .completed && !endsUnheard }

        /// Creates the lifecycle of a new task.
        init() {}

        /// Creates the lifecycle of a task that another process has created, as the daemon knows it.
        init(isSuspended: Bool) {
            wasResumed = true
            suspendCount = isSuspended ? 1 : 0
            state = isSuspended ? .suspended : .running
        }

        mutating func resume() -> Command? {
            switch state {
            case .running, .suspended:
                state = .running
                guard suspendCount > 0 else { return nil }
                suspendCount -= 1
                guard suspendCount == 0 else { return nil }
                wasResumed = true
                return .resume
            case .canceling, .completed:
                return nil
            }
        }

        mutating func suspend() -> Command? {
            switch state {
            case .running, .suspended:
                state = .suspended
                suspendCount += 1
                return suspendCount == 1 ? .suspend : nil
            case .canceling, .completed:
                return nil
            }
        }

        mutating func cancel(producingResumeData: Bool = false) -> Command? {
            switch state {
            case .running, .suspended:
                state = .canceling
                return producingResumeData ? .cancelProducingResumeData : .cancel
            case .canceling, .completed:
                return nil
            }
        }

        /// The task has ended, and the app is notified.
        mutating func complete() {
            state = .completed
            endsUnheard = false
        }

        /// The task has ended in an earlier launch, and the app will be notified.
        mutating func completeUnheard() {
            state = .completed
            endsUnheard = true
        }
    }
}
