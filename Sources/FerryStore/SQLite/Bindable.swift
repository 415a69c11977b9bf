import CSQLite
import FerrySystem
import FerryWire
import FoundationEssentials

/// A value that can take the place of a parameter in a statement.
protocol Bindable {
    /// Binds the value to a parameter, counted from 1, and returns SQLite's result code.
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32
}

extension Int64: Bindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_int64(statement, index, self)
    }
}

extension Bindable where Self: NumericIdentifier {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        rawValue.bind(to: statement, at: index)
    }
}

extension TaskID: Bindable {}

extension SessionID: Bindable {}

extension ApplicationID: Bindable {}

extension Int: Bindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_int64(statement, index, Int64(self))
    }
}

extension Bool: Bindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_int64(statement, index, self ? 1 : 0)
    }
}

extension Conditions: Bindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_int64(statement, index, rawValue)
    }
}

extension Double: Bindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_double(statement, index, self)
    }
}

extension Date: Bindable {
    /// Binds the seconds since 1970, which `datetime(…, 'unixepoch')` understands.
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_double(statement, index, timeIntervalSince1970)
    }
}

extension String: Bindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        var text = self
        return text.withUTF8 { bytes in
            CSQLite_bindText(statement, index, bytes.baseAddress, UInt64(bytes.count))
        }
    }
}

extension Encoded: Bindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        text.withUnsafeBytes { bytes in
            CSQLite_bindBlob(statement, index, bytes.baseAddress, UInt64(bytes.count))
        }
    }
}

extension Optional: Bindable where Wrapped: Bindable {
    /// Binds the value, or leaves the parameter null.
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        self?.bind(to: statement, at: index) ?? SQLITE_OK
    }
}
