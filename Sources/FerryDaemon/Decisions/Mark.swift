/// Whether something has changed that has to be looked at before the turn ends.
struct Mark: Hashable, Sendable {
    private var isSet = false

    /// Something has changed.
    mutating func set() { isSet = true }

    /// Returns whether something has changed since this was last called.
    mutating func take() -> Bool {
        defer { isSet = false }
        return isSet
    }
}
