/// Whether a route leads from this machine to any other.
package enum Connectivity: Hashable, Sendable {
    /// The state was not requested yet, or the kernel does not report it, as perhaps in a sandbox.
    case unknown
    /// No route leads further than to the machine itself.
    case disconnected
    /// A route leads off the machine, over an interface that is up and has a carrier.
    case connected

    /// Whether it is worth trying to reach another machine: `false` only if it is known to fail.
    package var allowsAttempts: Bool { self != .disconnected }
}

/// An observer of changes in ``Connectivity``.
///
/// The monitor keeps it until ``cancel()``.
@LoopActor
package final class ConnectivityObservation {
    private let key: UInt64
    private var monitor: ConnectivityMonitor?

    init(key: UInt64, monitor: ConnectivityMonitor) {
        self.key = key
        self.monitor = monitor
    }

    /// Ends the observation: the handler is not called again and is released.
    package func cancel() {
        monitor?.removeObserver(key)
        monitor = nil
    }
}
