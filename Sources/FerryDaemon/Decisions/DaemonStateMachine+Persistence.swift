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
    /// Whether a commit that the disk did not take is retried, perhaps after others: what has happened must get into
    /// the store.
    ///
    /// A waiting client must be notified at once. An item to be deleted may be used again meanwhile.
    var isRetried: Bool {
        switch self {
        case .nothing, .adopted, .moved, .backedOff, .launching, .awaitingNetwork,
            .networkWaitEnded,
            .retimed:
            true
        case .ended(_, let ending, _, _): ending.caller == .nobody
        case .call, .taskSet, .overridden, .relinked, .opened, .created, .secured, .acknowledged,
            .quit, .hookRemoved, .ratesSet, .closed, .forgotten, .applicationForgotten,
            .clockTakenUp,
            .readyForSleep:
            false
        }
    }
}

extension DaemonStateMachine {
    /// Commits a change that a task must not start without.
    mutating func store(
        _ mutations: [Mutation],
        _ durability: Durability,
        of task: TaskID,
        then continuation: Continuation
    ) {
        readings.store(task)
        commit(mutations, durability, then: continuation)
    }

    /// The store has such a change, or never will.
    mutating func stored(_ task: TaskID) {
        readings.stored(task)
        if running[task] == nil { turn.searchForTasks() }
    }

    /// Examines the tasks that a commit has changed.
    mutating func changed(_ changes: [TaskChange]) {
        for change in changes {
            readings.record(change.id)
            turn.add(.changed(task: change.id))
            record(deadline: change.deadline)
            if running[change.id]?.phase == .asking {
                // Its application is asked again, or the task begins, when it is found again.
                stop(task: change.id)
            } else if change.to != .waiting, running[change.id]?.phase == .following {
                stop(task: change.id)
            } else if change.to != .waiting, running[change.id]?.phase == .loading {
                let progress = storeResponse(of: change.id) + storeProgress(of: change.id)
                stop(task: change.id)
                commit(progress, .relaxed)
            }
            turn.recount(change.sessionID)
        }
        turn.searchForTasks()
    }
}
