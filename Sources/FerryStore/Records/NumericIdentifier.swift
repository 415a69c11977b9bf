/// A number that identifies one thing of its kind, and no other one afterwards: as long as the store exists, or for a
/// client's calls and connections, as long as ferryd runs.
package protocol NumericIdentifier: Hashable, Comparable, Sendable, CustomStringConvertible,
    ExpressibleByIntegerLiteral
{
    /// The plain number.
    var rawValue: Int64 { get }

    /// Creates it from the plain number.
    init(_ rawValue: Int64)
}

extension NumericIdentifier {
    /// Creates it from a number in a program's text.
    package init(integerLiteral value: Int64) { self.init(value) }

    /// Whether a number is less than another.
    @inlinable package static func < (first: Self, second: Self) -> Bool {
        first.rawValue < second.rawValue
    }

    /// Whether two numbers are the same.
    @inlinable package static func == (first: Self, second: Self) -> Bool {
        first.rawValue == second.rawValue
    }

    /// Hashes the plain number.
    @inlinable package func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

    // swift-format-ignore: NoLeadingUnderscores
    /// Returns the hash that a dictionary asks for, as that of the plain number: the default, by a `Hasher`, takes twice
    /// as long.
    @inlinable package func _rawHashValue(seed: Int) -> Int {
        rawValue._rawHashValue(seed: seed)
    }

    /// The number after this one.
    package var next: Self { Self(rawValue + 1) }

    /// The plain number, in digits.
    package var description: String { rawValue.description }
}

/// ferryd's number for a task, unlike the one that the task's session has given it.
package struct TaskID: NumericIdentifier {
    package let rawValue: Int64

    @inlinable package init(_ rawValue: Int64) { self.rawValue = rawValue }
}

/// The number of a session.
package struct SessionID: NumericIdentifier {
    package let rawValue: Int64

    @inlinable package init(_ rawValue: Int64) { self.rawValue = rawValue }
}

/// The number of an application.
package struct ApplicationID: NumericIdentifier {
    package let rawValue: Int64

    @inlinable package init(_ rawValue: Int64) { self.rawValue = rawValue }
}
