import FerryStore

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
        case .nothing, .adopted, .backedOff, .launching, .networkIsBack: true
        case .ended(_, let ending, _): ending.caller == .nobody
        case .call, .relinked, .opened, .created, .secured, .acknowledged, .quit, .hookRemoved,
            .ratesSet,
            .closed, .forgotten:
            false
        }
    }
}
