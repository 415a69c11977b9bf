import FerrySystem
import FerryWire
import Glibc

/// The lock that makes a daemon the only one for its queue.
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

/// The lock that keeps every other process from starting or ending a daemon of this user.
final class StartLock: Sendable {
    private let lock: FileLock

    private init(_ locations: SocketLocations) throws(DaemonFailure) {
        do throws(DaemonError) {
            lock = try locations.startLock()
        } catch {
            throw .start(error.description)
        }
    }

    /// Takes the lock, waiting for another holder off the loop, which keeps taking signals.
    ///
    /// - Throws: ``DaemonFailure`` when the directory for the socket cannot be used.
    @LoopActor
    static func take(_ locations: SocketLocations) async throws(DaemonFailure) -> StartLock {
        try await BlockingQueue(label: "ferry.lock").run { () throws(DaemonFailure) in
            try StartLock(locations)
        }
    }
}
