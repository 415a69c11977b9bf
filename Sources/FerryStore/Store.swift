package import FerrySystem
import Synchronization

/// The durable queue of tasks and log of events, in an SQLite database.
///
/// Commits from any number of callers are grouped: those that arrive while one transaction is written to disk
/// share the next one and its one fsync. Each caller's mutations take effect together or not at all,
/// regardless of the others in the group.
///
/// Everything runs on one queue, and a read is preceded by the commits that wait, so it sees those that were
/// submitted before it.
package final class Store: Sendable {
    /// The database's name in its directory.
    package static let fileName = Database.fileName
    /// The name of the log of commits that are not in the database yet.
    package static let logName = Database.fileName + "-wal"

    /// The database's path, for messages.
    package let path: String
    /// A number above that of every task that was ever stored; the next task gets it.
    package let nextTaskID: TaskID

    let queue = BlockingQueue(label: "ferry.store")
    private let commits = Mutex(CommitQueue())
    private let database: Mutex<Database?>

    /// Opens the database in a directory, creating or migrating it where needed.
    ///
    /// This call blocks: it reads the whole database to detect damage.
    ///
    /// - Throws: ``StoreError/Code/inUse`` while another process has it,
    ///   ``StoreError/Code/newerSchema`` and ``StoreError/Code/corrupt`` without changing the
    ///   file, ``StoreError/Code/cannotOpen``, ``StoreError/Code/diskFull`` and
    ///   ``StoreError/Code/inputOutput`` for what the system reports.
    package init(directory: Directory) throws(StoreError) {
        path = directory.path(of: Database.fileName)
        let opened = try Database(directory: directory)
        nextTaskID = opened.nextTaskID
        database = Mutex(opened)
    }

    /// Returns whether a directory has no database, or one without any content.
    package static func isMissing(in directory: Directory) throws(SystemCallError) -> Bool {
        try directory.status(of: fileName)?.size ?? 0 == 0
    }

    /// Returns whether a directory has commits that are not in its database yet; without a database, SQLite
    /// deletes them.
    package static func hasLog(in directory: Directory) throws(SystemCallError) -> Bool {
        try directory.status(of: logName)?.size ?? 0 > 0
    }

    /// Makes changes, all or none of them, and returns when they are durable.
    ///
    /// - Throws: ``StoreError/Code/notFound`` or ``StoreError/Code/conflict`` for a mutation that does not
    ///   fit the store; ``StoreError/Code/diskFull`` and similar errors if the disk failed, so that nothing
    ///   was changed. Later commits are not affected.
    @discardableResult @LoopActor
    package func commit(
        _ mutations: [Mutation],
        durability: Durability = .synchronized
    ) async throws(StoreError) -> Receipt {
        let result = await withCheckedContinuation { continuation in
            submit(mutations, durability: durability) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Makes changes as ``commit(_:durability:)`` does, in the order of the calls and without
    /// waiting; `completion` is called on the loop, in the order of the calls too.
    package func submit(
        _ mutations: [Mutation],
        durability: Durability = .synchronized,
        completion: @escaping @LoopActor @Sendable (Result<Receipt, StoreError>) -> Void
    ) {
        let request = CommitRequest(
            mutations: mutations,
            durability: durability,
            completion: completion
        )
        // What this turn of the loop still requests shares the transaction.
        if commits.withLock({ $0.append(request) }) {
            LoopActor.perform { self.queue.perform { self.commitWaiting() } }
        }
    }

    /// Sets how many ended tasks are remembered, and for how long; the next ones that end make the oldest go.
    package func setHistory(_ history: History) {
        queue.perform { self.database.withLock { $0?.history = history } }
    }

    /// Waits for everything submitted, then closes the database; later calls fail with
    /// ``StoreError/Code/closed``.
    @LoopActor
    package func close() async {
        await queue.run {
            self.commitWaiting()
            self.database.withLock { database in
                database?.shrink()
                database = nil
            }
        }
    }

    /// Runs a query after everything that was submitted before it.
    @LoopActor
    func read<T: Sendable>(
        _ query: @escaping @Sendable (Database) throws(StoreError) -> T
    ) async throws(StoreError) -> T {
        try await queue.run { () throws(StoreError) -> T in
            self.commitWaiting()
            return try self.database.withLock { database throws(StoreError) in
                guard let database else { throw self.closed }
                return try query(database)
            }
        }
    }

    private func commitWaiting() {
        for group in commits.withLock({ $0.takeGroups() }) {
            let results = database.withLock { database in
                database?.commit(group) ?? group.map { _ in .failure(closed) }
            }
            // All complete in one turn, so that their answers are sent together.
            LoopActor.perform {
                for (request, result) in zip(group, results) { request.completion(result) }
            }
        }
    }

    private var closed: StoreError {
        StoreError(
            code: .closed,
            message: StoreError.message(for: .closed, path: path, reason: "the daemon is stopping")
        )
    }
}
