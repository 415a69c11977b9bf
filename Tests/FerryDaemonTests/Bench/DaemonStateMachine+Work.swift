@testable import FerryDaemon

extension DaemonStateMachine {
    /// How much is under way that changes what the daemon knows of tasks: in the store, and to make resume data.
    var operationCount: Int { work.count(in: .store) + work.count(in: .partialFile) }

    /// How many applications' files something is done with.
    var fileOperationCount: Int { work.count(in: .applicationFile) }
}
