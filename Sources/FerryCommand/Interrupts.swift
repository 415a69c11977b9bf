@preconcurrency import Dispatch
@preconcurrency import Glibc

/// Ctrl-C, as something that can be awaited.
enum Interrupts {
    /// A stream with an element for each Ctrl-C; without it, Ctrl-C ends the process.
    ///
    /// None is lost: until this returns, Ctrl-C has its default effect. Dispatch takes the signal's
    /// handling over when it registers the source, so ignoring the signal before would lose it.
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
