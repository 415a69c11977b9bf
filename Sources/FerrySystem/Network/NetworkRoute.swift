/// A route that leads to other machines.
struct NetworkRoute: Hashable, Sendable {
    /// The interfaces that it leads over; empty when the kernel names none, as for a next hop that is an
    /// object of its own.
    var links: Set<Int32>
}
