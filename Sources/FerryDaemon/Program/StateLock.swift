import FerrySystem
import FerryWire
import Glibc

/// What makes a daemon the only one for its queue.
final class StateLock: Sendable {
    private let lock: FileLock

    /// Takes the lock.
    ///
    /// - Parameters:
    ///   - state: The directory of the queue.
    ///   - waiting: Whether to wait for another holder.
    /// - Throws: ``DaemonFailure`` that names the process that holds it.
    init(in state: Directory, waiting: Bool = false) throws(DaemonFailure) {
        do throws(SystemCallError) {
            lock = try FileLock(StateDirectory.lockName, in: state, waiting: waiting)
            try lock.describeHolder("\(getpid())\n")
        } catch {
            guard error.errno == EWOULDBLOCK else {
                throw .start("the queue in \(state.path) cannot be locked: \(error)")
            }
            let holder = StateDirectory.daemon(in: state).map { "\($0)" } ?? "unknown"
            throw .start(
                """
                another ferryd, process \(holder), has the queue in \(state.path). Use it, or end it \
                with "ferry daemon stop", or with "kill \(holder)" if its socket was deleted
                """
            )
        }
    }
}
