import CSQLite
import FerrySystem
import Glibc

/// A failure of the store.
package struct StoreError: Error, Hashable, Sendable {
    /// The class of a failure, for ferryd to act on.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// The database could not be opened or created.
        case cannotOpen
        /// Another process has the database.
        case inUse
        /// The database was made by a newer ferryd.
        case newerSchema
        /// The file is damaged, or is not a database of Ferry.
        case corrupt
        /// The disk, or the user's quota, is full.
        case diskFull
        /// The disk failed to read or write, or forbids writing.
        case inputOutput
        /// There was not enough memory.
        case outOfMemory
        /// The object to change is missing.
        case notFound
        /// The change contradicts what is in the store.
        case conflict
        /// The store is closed.
        case closed
        /// A mistake in Ferry.
        case internalFailure
    }

    /// The failure's class.
    package var code: Code
    /// A human-readable description of what happened, why, and what to do about it.
    package var message: String
    /// SQLite's extended result code, 0 if the failure did not come from SQLite.
    package var sqliteCode: Int32

    /// Creates a failure.
    package init(code: Code, message: String, sqliteCode: Int32 = 0) {
        self.code = code
        self.message = message
        self.sqliteCode = sqliteCode
    }
}

extension StoreError: CustomStringConvertible {
    /// The message.
    package var description: String { message }
}

extension StoreError {
    /// Translates the failure of a call to SQLite.
    init(connection: OpaquePointer, code: Int32, path: String) {
        let detail = sqlite3_errmsg(connection).map { String(cString: $0) } ?? ""
        let systemErrno = sqlite3_system_errno(connection)
        self.init(sqliteCode: code, detail: detail, path: path, systemErrno: systemErrno)
    }

    /// Translates one of SQLite's extended result codes.
    ///
    /// - Parameters:
    ///   - sqliteCode: The extended code.
    ///   - detail: SQLite's message.
    ///   - path: The database.
    ///   - systemErrno: The value of `errno` behind it; if this failure has none, that of an older one, so it
    ///     only decides within the codes that always have one.
    init(sqliteCode: Int32, detail: String, path: String, systemErrno: Int32 = 0) {
        let code = Code(sqliteCode: sqliteCode, systemErrno: systemErrno)
        self.init(
            code: code,
            message: Self.message(for: code, path: path, reason: detail),
            sqliteCode: sqliteCode
        )
    }

    /// Translates the failure of a system call on the database's files.
    init(_ error: SystemCallError, path: String) {
        let code: Code =
            switch error.errno {
            case ENOSPC, EDQUOT: .diskFull
            case EIO: .inputOutput
            default: .cannotOpen
            }
        self.init(
            code: code,
            message: Self.message(for: code, path: path, reason: error.description)
        )
    }

    /// Returns the failure for a missing row.
    static func missing(_ what: String) -> StoreError {
        StoreError(code: .notFound, message: "The queue has no \(what).")
    }

    /// Returns the human-readable message for a failure of the whole database.
    static func message(for code: Code, path: String, reason: String) -> String {
        switch code {
        case .cannotOpen:
            "Ferry cannot open its queue \(path): \(reason). Make the file and its directory "
                + "readable and writable for you."
        case .inUse:
            "Ferry's queue \(path) is in use by another process: \(reason). Stop that process "
                + "first, for example with “ferry daemon stop”."
        case .newerSchema:
            "Ferry's queue \(path) was made by a newer version: \(reason). Run that version, or "
                + "move the file away to begin with an empty queue."
        case .corrupt:
            "Ferry's queue \(path) is damaged: \(reason). It was left as it is. Restore it from "
                + "a backup, try “sqlite3 \(path) .recover”, or move it away together with its "
                + "-wal file to begin with an empty queue."
        case .diskFull:
            "Ferry cannot write its queue \(path): the disk is full (\(reason)). Make room on "
                + "it; everything acknowledged so far is kept."
        case .inputOutput:
            "Ferry cannot read or write its queue \(path): \(reason). Check the disk and "
                + "whether it is writable; everything acknowledged so far is kept."
        case .outOfMemory:
            "There is not enough memory, or no descriptor left, to use Ferry's queue \(path): \(reason)."
        case .notFound, .conflict:
            "The change does not fit Ferry's queue: \(reason)."
        case .closed:
            "Ferry's queue \(path) is closed: \(reason)."
        case .internalFailure:
            "Ferry made a mistake with its queue \(path): \(reason). Please report it."
        }
    }
}

extension StoreError.Code {
    /// The class of an extended result code.
    init(sqliteCode: Int32, systemErrno: Int32) {
        // The low byte is the primary code: https://sqlite.org/rescode.html
        switch sqliteCode & 0xff {
        case SQLITE_FULL: self = .diskFull
        // SQLite reports FULL only for ENOSPC; an exhausted quota counts as a full disk.
        case SQLITE_IOERR where systemErrno == EDQUOT: self = .diskFull
        case SQLITE_IOERR where sqliteCode == CSQLite_IOERR_NOMEM: self = .outOfMemory
        case SQLITE_IOERR, SQLITE_READONLY: self = .inputOutput
        case SQLITE_CORRUPT, SQLITE_NOTADB: self = .corrupt
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: self = .inUse
        // SQLite opens some files only when it needs them.
        case SQLITE_CANTOPEN where SystemCallError(call: "open", errno: systemErrno).isShortage:
            self = .outOfMemory
        case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH: self = .cannotOpen
        case SQLITE_NOMEM: self = .outOfMemory
        case SQLITE_CONSTRAINT: self = .conflict
        default: self = .internalFailure
        }
    }
}
