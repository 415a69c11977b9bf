import CFerryLinux
import Glibc

/// Signals that are delivered as events of the loop instead of interrupting a thread.
@LoopActor
package final class SignalSource {
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
        handler: @escaping @LoopActor (Int32) -> Void
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
                handler(Int32(information.ssi_signo))
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
