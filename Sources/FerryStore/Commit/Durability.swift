/// What an acknowledged commit outlives.
package enum Durability: Hashable, Sendable {
    /// It outlives a kill of the process, but perhaps not a loss of power.
    case relaxed
    /// It outlives a loss of power.
    case synchronized
}
