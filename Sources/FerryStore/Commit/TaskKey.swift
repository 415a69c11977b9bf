/// How a task is named.
package enum TaskKey: Hashable, Sendable {
    /// By the daemon's own number.
    case id(Int64)
    /// By its number within its session.
    case identifier(session: Int64, Int)
}
