package import Ferry
import FerrySystem
package import Foundation
@preconcurrency import Glibc

/// The world outside a command.
package struct Context: Sendable {
    /// The console that it writes to.
    package var console: Console
    /// The transfer daemon.
    package var daemon: TransferDaemon
    /// The time.
    package var now: @Sendable () -> Date
    /// The time since some fixed moment.
    package var instant: @Sendable () -> Duration
    /// Returns a stream with an element for each Ctrl-C after this has returned.
    package var interrupts: @Sendable () async -> AsyncStream<Void>
    /// The environment variables.
    package var environment: [String: String]
    /// Reads standard input to its end; the argument is the maximum number of bytes.
    var readInput: @Sendable (Int) throws(SystemCallError) -> [UInt8] = Context.readInput
    /// The transfer daemon, which is not started if it does not run.
    var runningDaemon = TransferDaemon(startsIfNeeded: false)
    /// Opens background sessions.
    var openSession: OpenSession.Opener = OpenSession.live

    /// Creates a context from closures, for tests.
    package init(
        console: Console,
        daemon: TransferDaemon,
        now: @escaping @Sendable () -> Date,
        instant: @escaping @Sendable () -> Duration,
        interrupts: @escaping @Sendable () async -> AsyncStream<Void>,
        environment: [String: String]
    ) {
        self.console = console
        self.daemon = daemon
        self.now = now
        self.instant = instant
        self.interrupts = interrupts
        self.environment = environment
    }

    /// The context of this process.
    package static var live: Context {
        let start = ContinuousClock.now
        let console = Console.live
        return Context(
            console: console,
            daemon: TransferDaemon { console.errorLine("ferry: \($0)") },
            now: { Date() },
            instant: { ContinuousClock.now - start },
            interrupts: { await Interrupts.stream() },
            environment: ProcessInfo.processInfo.environment
        )
    }

    private static func readInput(limit: Int) throws(SystemCallError) -> [UInt8] {
        let input = FileDescriptor(owning: STDIN_FILENO)
        let content = Result { () throws(SystemCallError) in try input.readToEnd(limit: limit) }
        // The process still owns it.
        _ = input.release()
        return try content.get()
    }
}
