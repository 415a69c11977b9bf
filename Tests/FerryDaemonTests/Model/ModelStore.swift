import FerryStore
import FoundationEssentials

/// What the store is, without a database: a value that takes the same changes and answers the
/// same questions.
///
/// `ModelConformanceTests` holds it against the real one.
struct ModelStore: Sendable {
    /// A task and what only the store knows of it.
    struct Task: Sendable {
        var record: TaskRecord
        var applicationID: Int64
        /// How much of a task's time is left while it does not run.
        var timeLeft: Double?
    }

    /// A session without its counts, which are counted.
    struct Session: Sendable {
        var record: SessionRecord
        /// What its tasks were ever called.
        var usedIdentifiers: Set<Int> = []
    }

    /// Names an event.
    struct EventKey: Hashable, Comparable, Sendable {
        var session: Int64
        var sequence: Int64

        static func < (left: Self, right: Self) -> Bool {
            (left.session, left.sequence) < (right.session, right.sequence)
        }
    }

    /// An event as it lies in the log.
    struct Event: Sendable {
        var task: Int64
        var new: NewEvent
        var createdAt: Date
    }

    var applications: [Int64: ApplicationRecord] = [:]
    var sessions: [Int64: Session] = [:]
    var tasks: [Int64: Task] = [:]
    var events: [EventKey: Event] = [:]
    var settings: [Setting: [UInt8]] = [:]
    var nextApplicationID: Int64 = 1
    var nextSessionID: Int64 = 1
    /// A number above that of every task that was ever stored.
    var nextTaskID: Int64 = 1

    /// Makes changes, all or none of them.
    mutating func commit(_ mutations: [Mutation]) -> Result<Receipt, StoreError> {
        var copy = self
        var receipt = Receipt()
        do throws(StoreError) {
            for mutation in mutations { try copy.perform(mutation, &receipt) }
        } catch {
            return .failure(error)
        }
        self = copy
        return .success(receipt)
    }

    /// Whether nothing is left in it.
    var isEmpty: Bool {
        applications.isEmpty && sessions.isEmpty && tasks.isEmpty && events.isEmpty
    }
}

extension StoreError {
    /// What the model says when a change does not fit.
    static func model(_ code: Code) -> StoreError {
        StoreError(code: code, message: "the model says \(code.rawValue)")
    }
}
