import Synchronization

/// The text of a statement that runs many times: each connection prepares it once.
///
/// A constant, so that the text is made once, and found by a number.
struct Statement: Sendable {
    private static let count = Atomic(0)

    /// The text.
    let sql: String
    /// A number that no other statement has.
    let number: Int

    init(_ sql: String) {
        self.sql = sql
        number = Self.count.add(1, ordering: .relaxed).oldValue
    }
}
