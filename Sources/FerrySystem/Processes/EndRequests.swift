import CFerryLinux
import Glibc
import Synchronization

/// SIGTERM and SIGHUP as events of the loop, for as long as the process wants to handle them first.
///
/// Unlike ``SignalSource``, it blocks no signals: existing threads would have to block them, too, and
/// programs would inherit that. The handler only writes to an eventfd. There is one such object per process,
/// as there is one handler.
package final class EndRequests: Sendable {
    /// A signal that asks a process to end.
    package enum Signal: Hashable, Sendable, CaseIterable {
        /// SIGTERM: the usual way.
        case terminate
        /// SIGHUP: the terminal is gone. systemd sends it right after SIGTERM when a login session
        /// ends (`SendSIGHUP=` in systemd.kill(5)), and it would end the process then.
        case hangUp

        /// The signal's number.
        package var number: Int32 {
            switch self {
            case .terminate: SIGTERM
            case .hangUp: SIGHUP
            }
        }
    }

    /// The process's only instance.
    package static let shared = EndRequests()

    private struct State {
        /// Made at the first use, and never closed.
        var notices: [Signal: Int32] = [:]
        var isTaken = false
        var handler: (@LoopActor @Sendable (Signal) -> Void)?
    }

    private let state = Mutex(State())

    private init() {}

    /// Takes over the signals, except those that are ignored.
    ///
    /// SIGTERM is taken over even if the program has its own handler. SIGHUP is not: it may ask a program to
    /// read its settings again.
    ///
    /// - Parameter handler: Called on the loop for each signal received since.
    /// - Throws: `eventfd` or `sigaction`; then no signal is taken over.
    package func take(
        handler: @escaping @LoopActor @Sendable (Signal) -> Void
    ) throws(SystemCallError) {
        try state.withLock { state throws(SystemCallError) in
            state.handler = handler
            guard !state.isTaken else { return }
            state.isTaken = true
            do throws(SystemCallError) {
                for signal in Signal.allCases { try take(signal, &state) }
            } catch {
                giveBack(&state)
                throw error
            }
        }
    }

    /// Restores the former handlers of the signals.
    ///
    /// A signal that was received before is still reported to the handler.
    package func giveBack() { state.withLock { giveBack(&$0) } }

    /// Asks this process to end, as another process would.
    ///
    /// After ``giveBack()``, it has the effect of the original request: it ends the process with the status
    /// that its parent expects, or calls the program's own handler.
    package static func send(_ signal: Signal) {
        // A library may have restored this object's handler, as readline does: the signal would come back
        // forever.
        _ = CFerryLinux_giveSignalBack(signal.number)
        kill(getpid(), signal.number)
    }

    private func take(_ signal: Signal, _ state: inout State) throws(SystemCallError) {
        let notice: Int32
        if let made = state.notices[signal] {
            notice = made
        } else {
            notice = try makeNotice(of: signal)
            state.notices[signal] = notice
        }
        try systemCall("sigaction") {
            CFerryLinux_takeSignal(signal.number, notice, signal == .hangUp ? 1 : 0)
        }
    }

    private func giveBack(_ state: inout State) {
        guard state.isTaken else { return }
        state.isTaken = false
        // sigaction(2) fails only for an invalid signal.
        for signal in Signal.allCases { _ = CFerryLinux_giveSignalBack(signal.number) }
    }

    private func makeNotice(of signal: Signal) throws(SystemCallError) -> Int32 {
        let notice = try systemCall("eventfd") { eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)) }
        LoopActor.perform {
            do {
                // Level triggered: bytes that have already been written are found. The loop keeps the watch.
                _ = try EventLoop.shared.watch(notice, for: .readable) { _ in
                    self.read(notice, of: signal)
                }
            } catch {
                // A process that receives no requests could not be asked to end.
                self.giveBack()
                self.read(notice, of: signal)
            }
        }
        return notice
    }

    @LoopActor
    private func read(_ notice: Int32, of signal: Signal) {
        var count: eventfd_t = 0
        guard eventfd_read(notice, &count) == 0 else { return }
        let handler = state.withLock { $0.handler }
        for _ in 0..<count { handler?(signal) }
    }
}
