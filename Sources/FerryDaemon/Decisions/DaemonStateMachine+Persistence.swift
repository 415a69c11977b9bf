import FerryStore
import FoundationEssentials

extension StoreError {
    /// Whether the same change may succeed later.
    var isTransient: Bool {
        switch code {
        case .diskFull, .inputOutput, .outOfMemory: true
        case .cannotOpen, .inUse, .newerSchema, .corrupt, .notFound, .conflict, .closed,
            .internalFailure:
            false
        }
    }
}

extension DaemonStateMachine.Continuation {
    /// Whether the commit is made again, later and perhaps behind others, when the disk did not
    /// take it: what has happened must get into the store.
    ///
    /// Where a client waits, it is to be told at once. What is to be deleted may come to be used
    /// meanwhile.
    var isRetried: Bool {
        switch self {
        case .nothing, .adopted, .moved, .backedOff, .launching, .awaitingNetwork, .networkIsBack,
            .retimed:
            true
        case .ended(_, let ending, _): ending.caller == .nobody
        case .call, .taskSet, .relinked, .opened, .created, .secured, .acknowledged, .quit,
            .hookRemoved, .ratesSet, .closed, .forgotten, .applicationForgotten,
            .clockTakenUp:
            false
        }
    }
}

extension DaemonStateMachine {
    /// Commits a change of a task without which that must not start.
    mutating func store(
        _ mutations: [Mutation],
        _ durability: Durability,
        of task: Int64,
        then continuation: Continuation
    ) -> Effect {
        readings.store(task)
        return commit(mutations, durability, then: continuation)
    }

    /// The store has such a change, or never will.
    mutating func stored(_ task: Int64, at now: Date) -> [Effect] {
        readings.stored(task)
        return running[task] == nil ? searchForTasks(at: now) : []
    }
}
