import CSQLite
import FerrySystem

/// The open database: one connection, held by one process.
///
/// Not sendable: the store lets one thread at a time use it.
final class Database {
    /// The database's name in its directory.
    static let fileName = "ferry.sqlite"

    /// The connection to SQLite.
    let connection: Connection
    /// A number above that of every task that was ever stored.
    let nextTaskID: Int64
    /// How many transactions were written to disk and waited for.
    private(set) var synchronizedCommitCount = 0

    /// Room for ends.
    var reserve: Reserve

    private var durability = Durability.synchronized
    private let lock: DatabaseLock

    /// Opens the database in a directory, creating or migrating it where needed.
    init(directory: Directory) throws(StoreError) {
        let path = directory.path(of: Self.fileName)
        try Self.requireLibrary(version: sqlite3_libversion_number(), path: path)
        lock = try DatabaseLock(in: directory, for: path)
        try Self.createFile(in: directory)
        connection = try Connection(path: path)
        try Self.configure(connection)
        try Self.check(connection)
        try Self.beginLog(connection)
        try Self.migrate(connection)
        nextTaskID = try Self.nextTaskID(connection)
        reserve = Reserve(in: directory)
    }

    /// Decides what the next transactions outlive.
    func setDurability(_ wanted: Durability) throws(StoreError) {
        guard wanted != durability else { return }
        // Not a prepared statement: SQLite obeys this one while it compiles it.
        switch wanted {
        case .synchronized: try connection.execute("PRAGMA synchronous = FULL")
        case .relaxed: try connection.execute("PRAGMA synchronous = NORMAL")
        }
        durability = wanted
    }

    /// Begins a transaction.
    func begin() throws(StoreError) { try connection.run("BEGIN IMMEDIATE") }

    /// Begins a transaction that changes nothing; it is rolled back.
    func beginReading() throws(StoreError) { try connection.run("BEGIN") }

    /// Ends a transaction for good.
    func commit() throws(StoreError) {
        try connection.run("COMMIT")
        if durability == .synchronized { synchronizedCommitCount += 1 }
    }

    /// Gives room back to the disk when most of the file is unused.
    func shrink() {
        let pages = try? connection.first("PRAGMA page_count") { $0.integer() }
        let unused = try? connection.first("PRAGMA freelist_count") { $0.integer() }
        guard let pages, let unused, unused > 1024, unused > pages / 2 else { return }
        // A file that stays large is no harm.
        try? connection.execute("PRAGMA incremental_vacuum")
    }

    /// Moves all that is in the write-ahead log into the database, so that the log begins anew and needs no more room.
    ///
    /// - Returns: Whether it has been moved.
    func restartLog() -> Bool {
        let isBusy = try? connection.first("PRAGMA wal_checkpoint(RESTART)") { $0.integer() }
        return isBusy == 0
    }

    /// Ends a transaction as if it had never begun.
    func rollBack() {
        guard connection.isInTransaction else { return }
        // It cannot fail in a way that leaves the changes: https://sqlite.org/lang_transaction.html
        _ = try? connection.run("ROLLBACK")
    }
}

// MARK: - Opening

extension Database {
    /// Refuses an SQLite that does not know all that the schema uses: strict tables are the
    /// latest, of version 3.37.
    static func requireLibrary(version: Int32, path: String) throws(StoreError) {
        guard version < 3_037_000 else { return }
        throw StoreError(
            code: .cannotOpen,
            message: StoreError.message(
                for: .cannotOpen,
                path: path,
                reason: "it needs SQLite 3.37, and this is 3.\(version / 1000 % 1000)"
            )
        )
    }

    /// Makes sure that there is a file of the user's alone; SQLite's own files get its mode.
    private static func createFile(in directory: Directory) throws(StoreError) {
        do throws(SystemCallError) {
            guard try directory.status(of: fileName) == nil else {
                // Refuses a symbolic link, which SQLite would follow.
                try directory.open(fileName, .readWrite).close()
                return
            }
            try directory.open(fileName, .createNew).close()
            try directory.synchronize()
        } catch {
            throw StoreError(error, path: directory.path(of: fileName))
        }
    }

    private static func configure(_ connection: Connection) throws(StoreError) {
        // Only while opening can another process, such as sqlite3, be in the way.
        connection.setBusyTimeout(milliseconds: 1000)
        // What turns out not to be ours to change keeps its log as well.
        connection.setKeepsLogOnClose(true)
        // Exclusive before the first access: the index of the log is then kept in memory of our
        // own instead of a shared file (https://sqlite.org/wal.html, 6).
        try connection.execute(
            """
            PRAGMA locking_mode = EXCLUSIVE;
            PRAGMA temp_store = MEMORY;
            PRAGMA trusted_schema = OFF;
            PRAGMA foreign_keys = ON;
            """
        )
    }

    /// Refuses what is not ours to change.
    private static func check(_ connection: Connection) throws(StoreError) {
        let tableCount = try connection.first("SELECT count(*) FROM sqlite_schema") { $0.integer() }
        if tableCount == 0 {
            // Only now: in a database that has it already, this writes to the disk.
            try connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            return
        }
        let application = try connection.first("PRAGMA application_id") { $0.integer() }
        guard application == Schema.applicationID else {
            throw connection.failure(.corrupt, because: "it is a database of another program")
        }
        let version = try version(of: connection)
        guard version <= Schema.version else {
            let reason = "its schema is \(version), this one's \(Schema.version)"
            throw connection.failure(.newerSchema, because: reason)
        }
        guard version > 0 else {
            throw connection.failure(.corrupt, because: "there is no schema \(version)")
        }
        let finding = try connection.first("PRAGMA quick_check(1)") { $0.text() }
        guard finding == "ok" else {
            throw connection.failure(.corrupt, because: finding ?? "it cannot be checked")
        }
    }

    private static func beginLog(_ connection: Connection) throws(StoreError) {
        let mode = try connection.first("PRAGMA journal_mode = WAL") { $0.text() }
        guard mode == "wal" else {
            throw connection.failure(.cannotOpen, because: "it cannot have a write-ahead log")
        }
        try connection.execute(
            """
            PRAGMA synchronous = FULL;
            PRAGMA journal_size_limit = 4194304;
            """
        )
        connection.setKeepsLogOnClose(false)
    }

    private static func migrate(_ connection: Connection) throws(StoreError) {
        let version = try version(of: connection)
        for (index, script) in Schema.migrations.enumerated() where index >= version {
            do throws(StoreError) {
                try connection.execute(
                    """
                    BEGIN IMMEDIATE;
                    \(script)
                    PRAGMA application_id = \(Schema.applicationID);
                    PRAGMA user_version = \(index + 1);
                    COMMIT;
                    """
                )
            } catch {
                if connection.isInTransaction { try? connection.execute("ROLLBACK") }
                guard error.code == .internalFailure else { throw error }
                // The scripts are right for the schemas that they are for.
                let reason = "its schema is not \(version), as it says (\(error.message))"
                throw connection.failure(.corrupt, because: reason)
            }
        }
    }

    private static func version(of connection: Connection) throws(StoreError) -> Int64 {
        try connection.first("PRAGMA user_version") { $0.integer() } ?? 0
    }

    /// The number of the next task.
    ///
    /// - Throws: ``StoreError/Code/corrupt`` where there are no numbers left to be given out. Ferry never
    ///   comes that far, and SQLite would call it a full disk.
    private static func nextTaskID(_ connection: Connection) throws(StoreError) -> Int64 {
        let counters = try connection.rows("SELECT name, seq FROM sqlite_sequence") {
            (table: $0.text(), last: $0.integer())
        }
        for (table, last) in counters where !(0...greatestNumber ~= last) {
            throw connection.failure(
                .corrupt,
                because: "the last of \(table) has the number \(last)"
            )
        }
        // A counter that is too small would give a number out twice.
        let greatest = try connection.first("SELECT max(id) FROM tasks") { $0.integer() } ?? 0
        guard greatest <= greatestNumber else {
            throw connection.failure(.corrupt, because: "a task has the number \(greatest)")
        }
        return max(greatest, counters.first { $0.table == "tasks" }?.last ?? 0) + 1
    }

    /// Above it no number is given out: whatever counts on from there has room enough.
    private static let greatestNumber = Int64.max / 2
}
