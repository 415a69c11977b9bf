import FerrySystem
import FerryWire

/// What keeps every other process from starting or ending a daemon of this user.
final class StartLock: Sendable {
    private let lock: FileLock

    private init(_ locations: SocketLocations) throws(DaemonFailure) {
        do throws(DaemonError) {
            lock = try locations.startLock()
        } catch {
            throw .start(error.description)
        }
    }

    /// Takes the lock, and waits for another holder; not on the loop, which goes on to take signals.
    ///
    /// - Throws: ``DaemonFailure`` when the directory for the socket cannot be used.
    @LoopActor
    static func take(_ locations: SocketLocations) async throws(DaemonFailure) -> StartLock {
        try await BlockingQueue(label: "ferry.lock").run { () throws(DaemonFailure) in
            try StartLock(locations)
        }
    }
}
