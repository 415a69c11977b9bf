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
