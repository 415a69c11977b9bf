/// Something that must hold for every input, and does not hold for this one.
struct Finding: Error, CustomStringConvertible {
    /// What was expected, and what was there in its place.
    let description: String
}

/// Ends a run with a finding unless something holds.
func expect(
    _ holds: Bool,
    _ description: @autoclosure () -> String
) throws(Finding) {
    guard !holds else { return }
    throw Finding(description: description())
}

/// Ends a run with a finding unless two values are the same.
func expectSame<Value: Equatable>(
    _ value: Value,
    _ other: Value,
    _ what: @autoclosure () -> String
) throws(Finding) {
    guard value != other else { return }
    throw Finding(description: "\(what()): \(value) is not \(other)")
}
