import FerrySystem
import Glibc

/// What makes a daemon the only one for its queue.
final class StateLock: Sendable {
    private static let name = "ferryd.lock"
    private let lock: FileLock

    /// Takes the lock.
    ///
    /// - Parameters:
    ///   - state: The directory of the queue.
    ///   - waiting: Whether to wait for another holder.
    /// - Throws: ``DaemonFailure`` that names the process that holds it.
    init(in state: Directory, waiting: Bool = false) throws(DaemonFailure) {
        do throws(SystemCallError) {
            lock = try FileLock(Self.name, in: state, waiting: waiting)
            try lock.describeHolder("\(getpid())\n")
        } catch {
            guard error.errno == EWOULDBLOCK else {
                throw .start("the queue in \(state.path) cannot be locked: \(error)")
            }
            let holder = Self.holder(in: state)
            throw .start(
                """
                another ferryd, process \(holder), has the queue in \(state.path). Use it, or end it \
                with "ferry daemon stop", or with "kill \(holder)" if its socket was deleted
                """
            )
        }
    }

    private static func holder(in state: Directory) -> String {
        guard let file = try? state.open(name, .read),
            let bytes = try? file.readToEnd(limit: 64)
        else { return "unknown" }
        return String(decoding: bytes, as: UTF8.self).filter(\.isNumber)
    }
}
