import CFerryLinux
import Glibc
import Synchronization

/// SIGTERM and SIGHUP as events of the loop, for as long as the process wants to hear of them first.
///
/// Unlike ``SignalSource`` it blocks nothing: threads that exist already would have to, and programs
/// would inherit it. The handler writes to an eventfd, and does nothing else. There is one such object
/// per process, as there is one handler.
package final class EndRequests: Sendable {
    /// By what a process is asked to end.
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

    /// The process's.
    package static let shared = EndRequests()

    private struct State {
        /// Made at the first use, and open for good.
        var notices: [Signal: Int32] = [:]
        var isTaken = false
        var handler: (@LoopActor @Sendable (Signal) -> Void)?
    }

    private let state = Mutex(State())

    private init() {}

    /// Takes the signals over, except those that are ignored.
    ///
    /// SIGTERM is taken from a program's own handler, too. SIGHUP is not: it may ask a program to read
    /// its settings again.
    ///
    /// - Parameter handler: Called on the loop for each signal that has come since.
    /// - Throws: `eventfd` or `sigaction`; nothing is taken then.
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
    /// One that has come before is still told to the handler.
    package func giveBack() { state.withLock { giveBack(&$0) } }

    /// Asks this process to end, as another one would.
    ///
    /// After ``giveBack()`` it does what the request did that was taken: it ends the process with the
    /// status that its parent expects, or calls the handler that the program has for it.
    package static func send(_ signal: Signal) {
        // A library may have put this one's handler back, as readline does: it would come back for ever.
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
        // sigaction(2) fails only for what is no signal.
        for signal in Signal.allCases { _ = CFerryLinux_giveSignalBack(signal.number) }
    }

    private func makeNotice(of signal: Signal) throws(SystemCallError) -> Int32 {
        let notice = try systemCall("eventfd") { eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)) }
        LoopActor.perform {
            do {
                // Level triggered: what has been written by now is found. The loop keeps the watch.
                _ = try EventLoop.shared.watch(notice, for: .readable) { _ in
                    self.read(notice, of: signal)
                }
            } catch {
                // A process that hears of no request could not be asked to end.
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
