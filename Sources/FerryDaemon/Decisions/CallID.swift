/// The number of a client's call, while it waits for its answer.
struct CallID: Hashable, Comparable, Sendable, CustomStringConvertible, ExpressibleByIntegerLiteral
{
    let rawValue: UInt64

    init(_ rawValue: UInt64) { self.rawValue = rawValue }

    init(integerLiteral value: UInt64) { rawValue = value }

    /// The plain number, in digits.
    var description: String { rawValue.description }

    static func < (first: CallID, second: CallID) -> Bool { first.rawValue < second.rawValue }
}

/// The number of a client's connection.
struct ConnectionID: Hashable, Comparable, Sendable, CustomStringConvertible,
    ExpressibleByIntegerLiteral
{
    let rawValue: UInt64

    init(_ rawValue: UInt64) { self.rawValue = rawValue }

    init(integerLiteral value: UInt64) { rawValue = value }

    /// The plain number, in digits.
    var description: String { rawValue.description }

    static func < (first: ConnectionID, second: ConnectionID) -> Bool {
        first.rawValue < second.rawValue
    }
}
