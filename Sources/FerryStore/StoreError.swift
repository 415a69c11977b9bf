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
