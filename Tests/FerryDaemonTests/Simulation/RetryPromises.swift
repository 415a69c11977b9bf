import FerryStore
import FerryTransfer
import FerryWire

@testable import FerryDaemon

/// What was promised of attempts that fail, and what became of it.
///
/// It is looked at where nothing goes wrong but the answers: who pauses a task or kills ferryd may shorten a wait.
struct RetryPromises {
    /// What has become of a task's attempts.
    private struct Row {
        /// How many of them may fail in a row.
        var limit: Int?
        /// How many have failed since there were last more bytes than ever.
        var count = 0
        /// How many have failed.
        var totalCount = 0
        /// How many bytes there were at most.
        var mostByteCount: Int64 = 0
        /// When the last one has failed.
        var failedAt: Double?
    }

    private var rows: [TaskID: Row] = [:]

    /// A task's transfer starts: not at once after the last one (REL-6), and not after too many that won nothing (REL-7).
    mutating func started(_ task: TaskRecord, in world: Simulation) {
        guard world.isCutShort else { return }
        var row = rows[task.id] ?? Row()
        row.limit = task.validOptions?.retry?.maximumAttempts
        // Resume data has brought them along.
        row.mostByteCount = max(row.mostByteCount, task.receivedByteCount)
        rows[task.id] = row
        // A half of a delay is left to chance.
        let pause = RetryPolicy.leastDelay.inSeconds / 2 - 0.001
        if let failedAt = row.failedAt, world.now < failedAt + pause {
            world.fail("task \(task.id) is tried again \(world.now - failedAt) s after a failure")
        }
        if task.attempts != row.count {
            world.fail("task \(task.id) has failed \(row.count) times, not \(task.attempts)")
        }
        if let limit = row.limit, row.count >= limit {
            world.fail("task \(task.id) is tried again after \(row.count) attempts for nothing")
        }
    }

    /// A task has so many bytes.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - byteCount: How many it has.
    ///   - followers: The tasks that are to get its bytes: an attempt of its is one of theirs.
    mutating func won(_ task: TaskID, byteCount: Int64, for followers: [TaskID]) {
        guard let row = rows[task], byteCount > row.mostByteCount else { return }
        rows[task]?.mostByteCount = byteCount
        for winner in [task] + followers { rows[winner]?.count = 0 }
    }

    /// Tasks have failed together.
    mutating func failed(_ tasks: [TaskID], in world: Simulation) {
        for task in tasks where world.isCutShort {
            rows[task, default: Row()].count += 1
            rows[task]?.totalCount += 1
            rows[task]?.failedAt = world.now
        }
    }

    /// A task has ended: not for its attempts while they won something (REL-7).
    mutating func ended(_ record: TaskRecord, failure code: String?, in world: Simulation) {
        // One that has only followed another has a limit, too.
        guard let row = rows.removeValue(forKey: record.id),
            let limit = row.limit ?? record.validOptions?.retry?.maximumAttempts
        else { return }
        let task = record.id
        switch code {
        case nil:
            if row.totalCount >= limit { world.count(.wonByManyAttempts) }
        case TransferError.Code.connectionLost.rawValue:
            world.count(.givenUp)
            guard row.count < limit else { return }
            world.fail(
                "task \(task) is given up after \(row.count) of \(limit) attempts for nothing"
            )
        default:
            break
        }
    }
}
