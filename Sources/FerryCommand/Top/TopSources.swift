import Foundation
@preconcurrency import Glibc
import Synchronization

/// What happens at the terminal of `ferry top`: keys, another size, the end.
final class TopSources: Sendable {
    // Dispatch's sources may be used from any thread.
    private nonisolated(unsafe) let keys: any DispatchSourceRead
    private nonisolated(unsafe) let signals: [any DispatchSourceSignal]
    /// Whether keys are waited for.
    private let isWaiting = Mutex(true)

    /// Begins to wait.
    ///
    /// - Parameters:
    ///   - whenPressed: Called when there is input; not again before ``resumeKeys()``.
    ///   - resized: Called when the terminal has another size.
    ///   - ended: Called when the process is to end: by Ctrl-C, a closed terminal, or otherwise.
    init(
        keys whenPressed: @escaping @Sendable () -> Void,
        resized: @escaping @Sendable () -> Void,
        ended: @escaping @Sendable () -> Void
    ) {
        let queue = DispatchQueue(label: "ferry.top")
        keys = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: queue)
        signals = [SIGWINCH, SIGINT, SIGTERM, SIGHUP].map { number in
            // Dispatch sees the signal beside its default effect, which would end the process.
            if number != SIGWINCH { signal(number, SIG_IGN) }
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { number == SIGWINCH ? resized() : ended() }
            return source
        }
        keys.setEventHandler { [self] in
            isWaiting.withLock { isWaiting in
                isWaiting = false
                keys.suspend()
            }
            whenPressed()
        }
        keys.activate()
        for source in signals { source.activate() }
    }

    /// Waits for further keys.
    func resumeKeys() {
        isWaiting.withLock { isWaiting in
            guard !isWaiting else { return }
            isWaiting = true
            keys.resume()
        }
    }

    /// Stops waiting.
    func cancel() {
        // One that is suspended must not be released.
        resumeKeys()
        keys.cancel()
        for source in signals { source.cancel() }
    }
}
