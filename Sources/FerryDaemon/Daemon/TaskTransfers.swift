import FerryStore
import FerrySystem
import FerryTransfer

/// The transfers of tasks, from the first reading of their files to their end.
///
/// The files that a transfer needs are read off the loop, and its place is found there. Meanwhile its task may end, and
/// may even start again: the result of an earlier preparation is ignored. What is set for a task meanwhile is kept for
/// its transfer.
struct TaskTransfers<Transfer> {
    /// What was set for a transfer while it was being prepared.
    struct Settings {
        var rates: SharedRates?
        var priority: Double?
    }

    private enum Standing {
        case preparing(TransferPreparation, Settings)
        case running(Transfer)
    }

    private var standings: [TaskID: Standing] = [:]
    private var lastNumber: UInt64 = 0

    /// The tasks whose transfers run or are being prepared.
    var tasks: [TaskID] { Array(standings.keys) }

    /// The transfers that run.
    var running: [Transfer] {
        standings.values.compactMap {
            if case .running(let transfer) = $0 { transfer } else { nil }
        }
    }

    /// The transfer of a task; `nil` if there is none, or if it is still being prepared.
    subscript(task: TaskID) -> Transfer? {
        if case .running(let transfer)? = standings[task] { transfer } else { nil }
    }

    /// Begins to prepare the transfer of a task.
    mutating func prepare(_ task: TaskID) -> TransferPreparation {
        lastNumber += 1
        let preparation = TransferPreparation(number: lastNumber)
        standings[task] = .preparing(preparation, Settings())
        return preparation
    }

    /// Returns whether a transfer is to be made of a preparation.
    func isWanted(_ preparation: TransferPreparation, of task: TaskID) -> Bool {
        if case .preparing(preparation, _)? = standings[task] { true } else { false }
    }

    /// Changes what is set for a transfer that is being prepared.
    mutating func change(_ task: TaskID, _ body: (inout Settings) -> Void) {
        guard case .preparing(let preparation, var settings)? = standings[task] else { return }
        body(&settings)
        standings[task] = .preparing(preparation, settings)
    }

    /// Ends the preparation of a task's transfer.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - transfer: The transfer that was made; `nil` if that failed.
    /// - Returns: What was set meanwhile.
    mutating func endPreparation(of task: TaskID, with transfer: Transfer?) -> Settings {
        defer { standings[task] = transfer.map { .running($0) } }
        guard case .preparing(_, let settings)? = standings[task] else { return Settings() }
        return settings
    }

    /// Removes the transfer of a task.
    ///
    /// - Returns: The transfer, if it ran.
    mutating func remove(_ task: TaskID) -> Transfer? {
        defer { standings[task] = nil }
        return self[task]
    }
}

/// Distinguishes the preparation of a task's transfer from earlier ones.
struct TransferPreparation: Hashable, Sendable {
    fileprivate let number: UInt64
}

/// A transfer that is under way, in either direction.
@LoopActor
protocol RunningTransfer: AnyObject {
    /// The rates at which it may receive and send.
    var rates: TransferRates? { get }
    /// Starts it; its events come later.
    func start()
    /// Ends it at once and without an event.
    func cancel()
    /// Ends it at once and without an event, forces what it has received onto the disk, and passes what is known about
    /// that on the loop, always later; `nil` for nothing new.
    func flush(_ completion: @escaping @LoopActor @Sendable (Checkpoint?) -> Void)
}

extension Download: RunningTransfer {}

extension Upload: RunningTransfer {
    /// Ends it; the response to an upload is received anew each time.
    func flush(_ completion: @escaping @LoopActor @Sendable (Checkpoint?) -> Void) {
        cancel()
        LoopActor.perform { completion(nil) }
    }
}
