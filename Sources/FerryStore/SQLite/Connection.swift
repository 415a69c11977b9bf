import CSQLite

/// A connection to an SQLite database, for one thread at a time.
final class Connection {
    /// The database's path.
    let path: String
    private let handle: OpaquePointer
    private var statements: [StatementText: OpaquePointer] = [:]

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
        for statement in statements.values { sqlite3_finalize(statement) }
        // Closing moves the write-ahead log into the database. If that fails, the log stays, and with it
        // everything that was committed.
        sqlite3_close(handle)
    }

    /// Whether a transaction is open; a failure of the disk may have ended it.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// The number of the row that the latest insertion has made, without those that triggers have made.
    var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// The statements prepared so far.
    var preparedStatements: [String] { statements.keys.map(\.text) }

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

    /// Runs a statement and returns how many rows it changed, without those that triggers and
    /// foreign keys changed.
    @discardableResult
    func run(_ sql: String, _ values: (any Bindable)?...) throws(StoreError) -> Int {
        let statement = try prepare(sql, values)
        defer { finish(statement) }
        while try step(statement) {}
        return Int(sqlite3_changes(handle))
    }

    /// Runs a query and returns its rows.
    func rows<T>(
        _ sql: String,
        _ values: (any Bindable)?...,
        reading read: (inout Row) throws(StoreError) -> T
    ) throws(StoreError) -> [T] {
        try rows(sql, values: values, reading: read)
    }

    /// Runs a query with many parameters and returns its rows.
    func rows<T>(
        _ sql: String,
        values: [(any Bindable)?],
        reading read: (inout Row) throws(StoreError) -> T
    ) throws(StoreError) -> [T] {
        let statement = try prepare(sql, values)
        defer { finish(statement) }
        var results: [T] = []
        while try step(statement) {
            var row = Row(statement)
            results.append(try read(&row))
        }
        return results
    }

    /// Runs a query and returns its first row, or `nil`.
    func first<T>(
        _ sql: String,
        _ values: (any Bindable)?...,
        reading read: (inout Row) throws(StoreError) -> T
    ) throws(StoreError) -> T? {
        let statement = try prepare(sql, values)
        defer { finish(statement) }
        guard try step(statement) else { return nil }
        var row = Row(statement)
        return try read(&row)
    }

    /// Returns the cost of a prepared statement since the last call.
    func takeCost(of sql: String) -> StatementCost {
        guard let statement = statements[StatementText(text: sql)] else { return StatementCost() }
        return StatementCost(
            programSteps: Int(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1)),
            scannedRows: Int(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1)),
            sorts: Int(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_SORT, 1))
        )
    }

    private func prepare(
        _ sql: String,
        _ values: [(any Bindable)?]
    ) throws(StoreError) -> OpaquePointer {
        let statement = try prepared(sql)
        for index in values.indices {
            let code = values[index]?.bind(to: statement, at: Int32(index + 1)) ?? SQLITE_OK
            guard code == SQLITE_OK else {
                finish(statement)
                throw failure(code)
            }
        }
        return statement
    }

    private func prepared(_ sql: String) throws(StoreError) -> OpaquePointer {
        if let statement = statements[StatementText(text: sql)] { return statement }
        var prepared: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let code = sqlite3_prepare_v3(handle, sql, -1, flags, &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw failure(code) }
        statements[StatementText(text: sql)] = prepared
        return prepared
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

/// The text of a statement, which is found by its length: few have the same, and to hash all bytes takes longer than to
/// compare the text with one or two others.
private struct StatementText: Hashable {
    let text: String

    func hash(into hasher: inout Hasher) { hasher.combine(text.utf8.count) }
}

/// The cost of running a statement, in SQLite's own counts.
struct StatementCost: Hashable {
    /// Steps of the statement's program and of the triggers it has set off.
    var programSteps = 0
    /// Rows visited because there was no index to find the right ones.
    var scannedRows = 0
    /// Results that had to be sorted because there was no index to read them in order.
    var sorts = 0
}
