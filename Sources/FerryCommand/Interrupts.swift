@preconcurrency import Dispatch
@preconcurrency import Glibc

/// Ctrl-C as an asynchronous stream.
enum Interrupts {
    /// Returns a stream with an element for each Ctrl-C; without it, Ctrl-C ends the process.
    ///
    /// No Ctrl-C is lost: until this returns, it has its default effect. Dispatch takes over the signal's handling
    /// when it registers the source, so ignoring the signal before that would lose it.
    ///
    /// - Returns: The stream; the signal has its default effect again when it ends.
    static func stream() async -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let source = DispatchSource.makeSignalSource(signal: SIGINT)
        source.setEventHandler { continuation.yield() }
        source.setCancelHandler { signal(SIGINT, SIG_DFL) }
        continuation.onTermination = { _ in source.cancel() }
        await withCheckedContinuation { registration in
            source.setRegistrationHandler { registration.resume() }
            source.activate()
        }
        return stream
    }
}
