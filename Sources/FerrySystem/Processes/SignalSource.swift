import CFerryLinux
import Glibc

/// Signals that are delivered as events of the loop instead of interrupting a thread.
@LoopActor
package final class SignalSource {
    /// A signal that was delivered.
    package struct Signal: Hashable, Sendable {
        /// The signal's number.
        package var number: Int32
        /// The process that has sent it; 0 for one that this process cannot see.
        package var sender: Int32

        /// Whether the system or the parent of this process has sent it, as init and service managers do.
        package var isFromManager: Bool { sender == getppid() || sender <= 1 }
    }

    private let descriptor: FileDescriptor
    private var watch: Watch?

    /// Blocks `signals` in the calling thread, and so in all threads that it starts later.
    ///
    /// Call it first in the main thread, before any other thread exists.
    nonisolated package static func block(_ signals: [Int32]) {
        var set = signalSet(signals)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Calls `handler` on the loop for each of `signals`, which must be blocked.
    ///
    /// - Throws: `signalfd`.
    package init(
        _ signals: [Int32],
        handler: @escaping @LoopActor (Signal) -> Void
    ) throws(SystemCallError) {
        var set = Self.signalSet(signals)
        let opened = FileDescriptor(
            owning: try systemCall("signalfd") {
                signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
            }
        )
        let raw = opened.rawValue
        descriptor = opened
        watch = try EventLoop.shared.watch(raw, for: .readable) { _ in
            var information = signalfd_siginfo()
            let size = MemoryLayout<signalfd_siginfo>.size
            while read(raw, &information, size) == size {
                handler(
                    Signal(
                        number: Int32(information.ssi_signo),
                        sender: Int32(bitPattern: information.ssi_pid)
                    )
                )
            }
        }
    }

    /// Stops listening; the signals stay blocked.
    package func cancel() {
        watch?.cancel()
        watch = nil
    }

    nonisolated private static func signalSet(_ signals: [Int32]) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        return set
    }
}
