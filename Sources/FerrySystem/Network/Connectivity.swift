/// Whether a route leads from this machine to any other.
package enum Connectivity: Hashable, Sendable {
    /// Nobody has asked yet, or the kernel does not tell: in a sandbox, perhaps.
    case unknown
    /// No route leads further than to the machine itself.
    case disconnected
    /// A route leads off the machine, over an interface that is up and has a carrier.
    case connected

    /// Whether it is worth trying to reach another machine: unless it is known to fail.
    package var allowsAttempts: Bool { self != .disconnected }
}
