@preconcurrency import Dispatch
@preconcurrency import Glibc

/// Ctrl-C, as something that can be awaited.
enum Interrupts {
    /// A stream with an element for each Ctrl-C; without it, Ctrl-C ends the process.
    ///
    /// - Returns: The stream; the signal keeps its default effect again when it ends.
    static func stream() -> AsyncStream<Void> {
        AsyncStream { continuation in
            signal(SIGINT, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: SIGINT)
            source.setEventHandler { continuation.yield() }
            source.setCancelHandler { signal(SIGINT, SIG_DFL) }
            continuation.onTermination = { _ in source.cancel() }
            source.activate()
        }
    }
}
