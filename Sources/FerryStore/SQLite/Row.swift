import CSQLite
import FerrySystem
import FerryWire
import FoundationEssentials

/// A row of a result, read column by column from the left.
///
/// The file may contain any number. Numbers that are used in calculations are limited, so that these cannot
/// end the process.
struct Row {
    private let statement: OpaquePointer
    private var column: Int32 = 0

    /// Starts at the first column of the statement's current row.
    init(_ statement: OpaquePointer) {
        self.statement = statement
    }

    /// The next column, an integer.
    mutating func integer() -> Int64 { sqlite3_column_int64(statement, advance()) }

    /// The next column, the number of a task, a session or an application.
    mutating func id<ID: NumericIdentifier>() -> ID { ID(integer()) }

    /// The next column, a count.
    mutating func count() -> Int { Int(min(max(integer(), 0), Int64(Int32.max))) }

    /// The next column, a number of bytes.
    mutating func byteCount() -> Int64 { Self.byteCount(integer()) }

    /// The next column, a number of bytes or `nil`.
    mutating func optionalByteCount() -> Int64? { optionalInteger().map(Self.byteCount) }

    private static func byteCount(_ number: Int64) -> Int64 { min(max(number, 0), 1 << 53) }

    /// The next column, an integer or `nil`.
    mutating func optionalInteger() -> Int64? {
        let index = advance()
        return isNull(index) ? nil : sqlite3_column_int64(statement, index)
    }

    /// The next column, conditions of the machine.
    mutating func conditions() -> Conditions { Conditions(rawValue: integer()) }

    /// The next column, the conditions that a task avoids; `nil` if a person lets it run under all.
    mutating func avoidedConditions() -> Conditions? {
        let conditions = conditions()
        return conditions == .overridden ? nil : conditions
    }

    /// The next column, a number.
    mutating func double() -> Double { sqlite3_column_double(statement, advance()) }

    /// The next column, a number of seconds: thirty thousand years at most, either way.
    mutating func seconds() -> Double { min(max(double(), -1e12), 1e12) }

    /// The next column, a number of seconds or `nil`.
    mutating func optionalSeconds() -> Double? { isNull(column) ? skip() : seconds() }

    /// The next column, a moment.
    mutating func date() -> Date { Date(timeIntervalSince1970: seconds()) }

    /// The next column, a moment or `nil`.
    mutating func optionalDate() -> Date? { isNull(column) ? skip() : date() }

    /// The next column, a text.
    mutating func text() -> String { optionalText() ?? "" }

    /// The next column, a text or `nil`.
    mutating func optionalText() -> String? {
        let index = advance()
        guard let bytes = sqlite3_column_text(statement, index) else { return nil }
        let count = Int(sqlite3_column_bytes(statement, index))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// The next column, the text of a value.
    mutating func encoded<Value>() -> Encoded<Value> { Encoded(text: optionalBytes() ?? []) }

    /// The next column, the text of a value or `nil`.
    mutating func optionalEncoded<Value>() -> Encoded<Value>? {
        optionalBytes().map { Encoded(text: $0) }
    }

    private mutating func optionalBytes() -> [UInt8]? {
        let index = advance()
        guard !isNull(index) else { return nil }
        // The pointer must be requested before the length, and is null for an empty blob.
        guard let start = sqlite3_column_blob(statement, index) else { return [] }
        let count = Int(sqlite3_column_bytes(statement, index))
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    private mutating func skip<T>() -> T? {
        column += 1
        return nil
    }

    private mutating func advance() -> Int32 {
        defer { column += 1 }
        return column
    }

    private func isNull(_ index: Int32) -> Bool {
        sqlite3_column_type(statement, index) == SQLITE_NULL
    }
}

extension Conditions {
    /// The value in the database for the conditions of a task that a person lets run under all.
    static let overridden = Conditions(rawValue: -1)
}
