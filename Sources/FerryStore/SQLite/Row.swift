import CSQLite
import FoundationEssentials

/// A row of a result, read column by column from the left.
struct Row {
    private let statement: OpaquePointer
    private var column: Int32 = 0

    /// Starts at the first column of the row that the statement stands on.
    init(_ statement: OpaquePointer) {
        self.statement = statement
    }

    /// The next column, an integer.
    mutating func integer() -> Int64 { sqlite3_column_int64(statement, advance()) }

    /// The next column, a number of times: what stands in a file may be any number.
    mutating func count() -> Int { Int(clamping: min(max(integer(), 0), Int64(Int32.max))) }

    /// The next column, an integer or `nil`.
    mutating func optionalInteger() -> Int64? {
        let index = advance()
        return isNull(index) ? nil : sqlite3_column_int64(statement, index)
    }

    /// The next column, a number.
    mutating func double() -> Double { sqlite3_column_double(statement, advance()) }

    /// The next column, a number or `nil`.
    mutating func optionalDouble() -> Double? {
        let index = advance()
        return isNull(index) ? nil : sqlite3_column_double(statement, index)
    }

    /// The next column, a moment.
    mutating func date() -> Date { Date(timeIntervalSince1970: double()) }

    /// The next column, a moment or `nil`.
    mutating func optionalDate() -> Date? {
        let index = advance()
        guard !isNull(index) else { return nil }
        return Date(timeIntervalSince1970: sqlite3_column_double(statement, index))
    }

    /// The next column, a text.
    mutating func text() -> String { optionalText() ?? "" }

    /// The next column, a text or `nil`.
    mutating func optionalText() -> String? {
        let index = advance()
        guard let bytes = sqlite3_column_text(statement, index) else { return nil }
        let count = Int(sqlite3_column_bytes(statement, index))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// The next column, bytes.
    mutating func bytes() -> [UInt8] { optionalBytes() ?? [] }

    /// The next column, bytes or `nil`.
    mutating func optionalBytes() -> [UInt8]? {
        let index = advance()
        guard !isNull(index) else { return nil }
        // The pointer must be asked for before the length, and is null for an empty blob.
        guard let start = sqlite3_column_blob(statement, index) else { return [] }
        let count = Int(sqlite3_column_bytes(statement, index))
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    private mutating func advance() -> Int32 {
        defer { column += 1 }
        return column
    }

    private func isNull(_ index: Int32) -> Bool {
        sqlite3_column_type(statement, index) == SQLITE_NULL
    }
}
