import CSQLite

/// A connection to an SQLite database, for one thread at a time.
final class Connection {
    /// The database's path.
    let path: String
    private let handle: OpaquePointer
    /// The statements prepared so far, by their numbers.
    private var statements: [PreparedStatement?] = []

    /// The configuration of all connections of the process.
    private static let configuration = CSQLite_keepNoMemoryStatistics()

    /// Opens an existing file.
    init(path: String) throws(StoreError) {
        self.path = path
        _ = Self.configuration
        var opened: OpaquePointer?
        // Only one queue at a time uses the connection, so SQLite needs no mutex of its own.
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard let opened else {
            throw StoreError(sqliteCode: code, detail: "not enough memory", path: path)
        }
        guard code == SQLITE_OK else {
            defer { sqlite3_close(opened) }
            throw StoreError(connection: opened, code: code, path: path)
        }
        handle = opened
    }

    deinit {
        for case let statement? in statements { sqlite3_finalize(statement.handle) }
        // Closing moves the write-ahead log into the database. If that fails, the log stays, and with it
        // everything that was committed.
        sqlite3_close(handle)
    }

    /// Whether a transaction is open; a failure of the disk may have ended it.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// The number of the row that the latest insertion has made.
    var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// The statements prepared so far.
    var preparedStatements: [String] { statements.compactMap { $0?.sql } }

    /// Sets how long to wait for another process that has the database, in milliseconds.
    func setBusyTimeout(milliseconds: Int32) { sqlite3_busy_timeout(handle, milliseconds) }

    /// Sets whether closing leaves the write-ahead log alone instead of moving it into the database.
    func setKeepsLogOnClose(_ keeps: Bool) {
        _ = CSQLite_setSwitch(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keeps ? 1 : 0)
    }

    /// Runs statements without parameters and without keeping them.
    func execute(_ script: String) throws(StoreError) {
        let code = sqlite3_exec(handle, script, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Runs a statement and returns how many rows it changed.
    @discardableResult
    func run<each Value: Bindable>(
        _ statement: Statement,
        _ values: repeat each Value
    ) throws(StoreError) -> Int {
        let prepared = try prepared(statement)
        defer { finish(prepared) }
        try bind(repeat each values, to: prepared)
        while try step(prepared) {}
        return Int(sqlite3_changes(handle))
    }

    /// Runs a query and returns its rows.
    func rows<T, each Value: Bindable>(
        _ statement: Statement,
        _ values: repeat each Value,
        reading read: (inout Row) throws(StoreError) -> T
    ) throws(StoreError) -> [T] {
        let prepared = try prepared(statement)
        defer { finish(prepared) }
        try bind(repeat each values, to: prepared)
        return try rows(of: prepared, reading: read)
    }

    /// Runs a query and passes its rows to `take` until that wants no more.
    func forEachRow<each Value: Bindable>(
        _ statement: Statement,
        _ values: repeat each Value,
        taking take: (inout Row) throws(StoreError) -> Bool
    ) throws(StoreError) {
        let prepared = try prepared(statement)
        defer { finish(prepared) }
        try bind(repeat each values, to: prepared)
        while try step(prepared) {
            var row = Row(prepared)
            guard try take(&row) else { return }
        }
    }

    /// Runs a query with many parameters and returns its rows.
    func rows<T>(
        _ statement: Statement,
        numbers: [some Bindable],
        reading read: (inout Row) throws(StoreError) -> T
    ) throws(StoreError) -> [T] {
        let prepared = try prepared(statement)
        defer { finish(prepared) }
        for (index, number) in zip(Int32(1)..., numbers) {
            try check(number.bind(to: prepared, at: index))
        }
        return try rows(of: prepared, reading: read)
    }

    /// Runs a query and returns its first row, or `nil`.
    func first<T, each Value: Bindable>(
        _ statement: Statement,
        _ values: repeat each Value,
        reading read: (inout Row) throws(StoreError) -> T
    ) throws(StoreError) -> T? {
        let prepared = try prepared(statement)
        defer { finish(prepared) }
        try bind(repeat each values, to: prepared)
        return try first(of: prepared, reading: read)
    }

    /// Runs a query that is needed once, and returns its rows.
    func rows<T>(
        _ sql: String,
        reading read: (inout Row) throws(StoreError) -> T
    ) throws(StoreError) -> [T] {
        let prepared = try prepare(sql)
        defer { sqlite3_finalize(prepared) }
        return try rows(of: prepared, reading: read)
    }

    /// Runs a query that is needed once, and returns its first row, or `nil`.
    func first<T>(
        _ sql: String,
        reading read: (inout Row) throws(StoreError) -> T
    ) throws(StoreError) -> T? {
        let prepared = try prepare(sql)
        defer { sqlite3_finalize(prepared) }
        return try first(of: prepared, reading: read)
    }

    /// Returns the cost of a prepared statement since the last call.
    func takeCost(of sql: String) -> StatementCost {
        guard let statement = statements.first(where: { $0?.sql == sql })??.handle else {
            return StatementCost()
        }
        return StatementCost(
            programSteps: Int(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1)),
            scannedRows: Int(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1)),
            sorts: Int(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_SORT, 1))
        )
    }

    private func prepared(_ statement: Statement) throws(StoreError) -> OpaquePointer {
        let number = statement.number
        if number < statements.count, let prepared = statements[number] { return prepared.handle }
        let handle = try prepare(statement.sql, flags: UInt32(SQLITE_PREPARE_PERSISTENT))
        while statements.count <= number { statements.append(nil) }
        statements[number] = PreparedStatement(sql: statement.sql, handle: handle)
        return handle
    }

    private func prepare(_ sql: String, flags: UInt32 = 0) throws(StoreError) -> OpaquePointer {
        var prepared: OpaquePointer?
        try check(sqlite3_prepare_v3(handle, sql, -1, flags, &prepared, nil))
        guard let prepared else { throw failure(SQLITE_MISUSE) }
        return prepared
    }

    private func bind<each Value: Bindable>(
        _ values: repeat each Value,
        to statement: OpaquePointer
    ) throws(StoreError) {
        var index: Int32 = 0
        for value in repeat each values {
            index += 1
            try check(value.bind(to: statement, at: index))
        }
    }

    private func rows<T>(
        of statement: OpaquePointer,
        reading read: (inout Row) throws(StoreError) -> T
    ) throws(StoreError) -> [T] {
        var results: [T] = []
        while try step(statement) {
            var row = Row(statement)
            results.append(try read(&row))
        }
        return results
    }

    private func first<T>(
        of statement: OpaquePointer,
        reading read: (inout Row) throws(StoreError) -> T
    ) throws(StoreError) -> T? {
        guard try step(statement) else { return nil }
        var row = Row(statement)
        return try read(&row)
    }

    private func check(_ code: Int32) throws(StoreError) {
        guard code == SQLITE_OK else { throw failure(code) }
    }

    private func step(_ statement: OpaquePointer) throws(StoreError) -> Bool {
        switch sqlite3_step(statement) {
        case SQLITE_ROW: true
        case SQLITE_DONE: false
        case let code: throw failure(code)
        }
    }

    /// Makes a statement ready for its next use, and releases the values bound to it.
    private func finish(_ statement: OpaquePointer) {
        sqlite3_reset(statement)
        sqlite3_clear_bindings(statement)
    }

    private func failure(_ code: Int32) -> StoreError {
        StoreError(connection: handle, code: code, path: path)
    }
}

extension Connection {
    /// Makes a failure that is not SQLite's, with a message about this database.
    func failure(_ code: StoreError.Code, because reason: String) -> StoreError {
        StoreError(
            code: code,
            message: StoreError.message(for: code, path: path, reason: reason)
        )
    }
}

/// A statement with its text, which tests need.
private struct PreparedStatement {
    let sql: String
    let handle: OpaquePointer
}

/// The cost of running a statement, in SQLite's own counts.
struct StatementCost: Hashable {
    /// Steps of the statement's program.
    var programSteps = 0
    /// Rows visited because there was no index to find the right ones.
    var scannedRows = 0
    /// Results that had to be sorted because there was no index to read them in order.
    var sorts = 0
}
