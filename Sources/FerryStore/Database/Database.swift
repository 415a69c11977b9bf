import CSQLite
import FerrySystem
import Glibc

/// The open database: one connection, held by one process.
///
/// Not sendable: the store lets one thread at a time use it.
final class Database {
    /// The database's name in its directory.
    static let fileName = "ferry.sqlite"

    /// The connection to SQLite.
    let connection: Connection
    /// A number above that of every task that was ever stored.
    let nextTaskID: TaskID
    /// The number of transactions that were synchronized with the disk.
    private(set) var synchronizedCommitCount = 0

    /// The disk space that is reserved for ends.
    var reserve: Reserve

    /// How many ended tasks are remembered, and for how long.
    var history = History()

    /// The numbers of sessions and queues, as the open transaction has changed them.
    var counters = Counters()

    private var durability = Durability.synchronized
    private let lock: FileLock

    /// Opens the database in a directory, creating or migrating it where needed.
    init(directory: Directory) throws(StoreError) {
        let path = directory.path(of: Self.fileName)
        try Self.requireLibrary(version: sqlite3_libversion_number(), path: path)
        lock = try Self.lock(directory, for: path)
        try Self.createFile(in: directory)
        connection = try Connection(path: path)
        try Self.configure(connection)
        try Self.check(connection)
        try Self.beginLog(connection)
        try Self.migrate(connection)
        nextTaskID = try Self.nextTaskID(connection)
        reserve = Reserve(in: directory)
    }

    /// Takes the right to use the database of a directory, which one owner has.
    ///
    /// SQLite's own lock is not enough: a process loses it when it closes any other descriptor of the same file
    /// (https://sqlite.org/howtocorrupt.html, 2.2), and it does not name its holder.
    private static func lock(
        _ directory: Directory,
        for path: String
    ) throws(StoreError) -> FileLock {
        do throws(SystemCallError) {
            let lock = try FileLock(lockName, in: directory, waiting: false)
            // For messages only, so a full disk does no harm.
            try? lock.describeHolder("\(getpid())\n")
            return lock
        } catch {
            guard error.errno == EWOULDBLOCK else { throw StoreError(error, path: path) }
            let holder = lockHolder(in: directory).map { "process \($0) has it" }
            let reason = holder ?? "it is locked"
            throw StoreError(
                code: .inUse,
                message: StoreError.message(for: .inUse, path: path, reason: reason)
            )
        }
    }

    private static let lockName = "ferry.sqlite.lock"

    private static func lockHolder(in directory: Directory) -> Int32? {
        guard
            let file = try? directory.open(lockName, .read),
            let content = try? file.readToEnd(limit: 64)
        else { return nil }
        return Int32(String(decoding: content, as: UTF8.self).prefix { $0.isNumber })
    }

    /// Sets the durability of the next transactions.
    func setDurability(_ wanted: Durability) throws(StoreError) {
        guard wanted != durability else { return }
        // This is not a prepared statement: SQLite applies it while compiling it.
        switch wanted {
        case .synchronized: try connection.execute("PRAGMA synchronous = FULL")
        case .relaxed: try connection.execute("PRAGMA synchronous = NORMAL")
        }
        durability = wanted
    }

    private static let begin = Statement("BEGIN IMMEDIATE")
    private static let beginReading = Statement("BEGIN")
    private static let commit = Statement("COMMIT")
    private static let rollBack = Statement("ROLLBACK")

    /// Begins a transaction.
    func begin() throws(StoreError) { try connection.run(Self.begin) }

    /// Begins a transaction that changes nothing.
    func beginReading() throws(StoreError) { try connection.run(Self.beginReading) }

    /// Ends a transaction that changes nothing.
    func endReading() { _ = try? connection.run(Self.rollBack) }

    /// Commits a transaction.
    func commit() throws(StoreError) {
        try writeCounters()
        try connection.run(Self.commit)
        if durability == .synchronized { synchronizedCommitCount += 1 }
    }

    /// Returns space to the disk if most of the file is unused.
    func shrink() {
        let pages = try? connection.first("PRAGMA page_count") { $0.integer() }
        let unused = try? connection.first("PRAGMA freelist_count") { $0.integer() }
        guard let pages, let unused, unused > 1024, unused > pages / 2 else { return }
        // A file that stays large does no harm.
        try? connection.execute("PRAGMA incremental_vacuum")
    }

    /// Moves the content of the write-ahead log into the database, so that the log starts over and needs no
    /// more room.
    ///
    /// - Returns: Whether it has been moved.
    func restartLog() -> Bool {
        let isBusy = try? connection.first("PRAGMA wal_checkpoint(RESTART)") { $0.integer() }
        return isBusy == 0
    }

    /// Rolls a transaction back.
    func rollBack() {
        counters = Counters()
        guard connection.isInTransaction else { return }
        // It cannot fail in a way that leaves the changes: https://sqlite.org/lang_transaction.html
        _ = try? connection.run(Self.rollBack)
    }
}

// MARK: - Opening

extension Database {
    /// Rejects an SQLite that lacks a feature of the schema: the newest is strict tables, of version 3.37.
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

    /// Creates the file, private to the user, if it is missing; SQLite's own files get its mode.
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
        // Another process, such as sqlite3, can interfere only while the database is being opened.
        connection.setBusyTimeout(milliseconds: 1000)
        // A database that must not be changed keeps its log as well.
        connection.setKeepsLogOnClose(true)
        // The mode is exclusive before the first access: the index of the log is then kept in this process's
        // memory instead of a shared file (https://sqlite.org/wal.html, 6).
        try connection.execute(
            """
            PRAGMA locking_mode = EXCLUSIVE;
            PRAGMA temp_store = MEMORY;
            PRAGMA trusted_schema = OFF;
            PRAGMA foreign_keys = OFF;
            """
        )
    }

    /// Rejects a database that must not be changed.
    private static func check(_ connection: Connection) throws(StoreError) {
        let tableCount = try connection.first("SELECT count(*) FROM sqlite_schema") { $0.integer() }
        if tableCount == 0 {
            // Set only now: in a database that has it already, this writes to the disk.
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
        guard version >= Schema.firstVersion else {
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
        if version == 0 {
            try run(Schema.creation, leadingTo: Schema.firstVersion, connection)
        }
        for (next, script) in zip((Schema.firstVersion + 1)..., Schema.migrations)
        where next > version {
            try run(script, leadingTo: next, connection)
        }
    }

    private static func run(
        _ script: String,
        leadingTo version: Int64,
        _ connection: Connection
    ) throws(StoreError) {
        do throws(StoreError) {
            try connection.execute(
                """
                BEGIN IMMEDIATE;
                \(script)
                PRAGMA application_id = \(Schema.applicationID);
                PRAGMA user_version = \(version);
                COMMIT;
                """
            )
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            guard error.code == .internalFailure else { throw error }
            // The scripts are correct for their schemas, so this is another schema.
            let reason = "its schema leads to no schema \(version) (\(error.message))"
            throw connection.failure(.corrupt, because: reason)
        }
    }

    private static func version(of connection: Connection) throws(StoreError) -> Int64 {
        try connection.first("PRAGMA user_version") { $0.integer() } ?? 0
    }

    /// Returns the number of the next task.
    ///
    /// - Throws: ``StoreError/Code/corrupt`` if no numbers are left. Ferry never uses that many, and SQLite
    ///   would report a full disk.
    private static func nextTaskID(_ connection: Connection) throws(StoreError) -> TaskID {
        let counters = try connection.rows(
            "SELECT name, seq FROM sqlite_sequence UNION ALL SELECT 'tasks', id FROM last_task"
        ) {
            (table: $0.text(), last: $0.integer())
        }
        for (table, last) in counters where !(0...greatestNumber ~= last) {
            throw connection.failure(
                .corrupt,
                because: "the last of \(table) has the number \(last)"
            )
        }
        // A counter that is too small would assign a number twice.
        let greatest = try connection.first("SELECT max(id) FROM tasks") { $0.integer() } ?? 0
        guard greatest <= greatestNumber else {
            throw connection.failure(.corrupt, because: "a task has the number \(greatest)")
        }
        return TaskID(max(greatest, counters.first { $0.table == "tasks" }?.last ?? 0) + 1)
    }

    /// The greatest number that is assigned, with room enough to count on from there.
    private static let greatestNumber = Int64.max / 2
}
