import CFerryLinux
import Glibc

/// A detached thread, which is never joined.
enum DetachedThread {
    private final class Start {
        let name: String
        let body: () -> Void

        init(name: String, body: @escaping () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Starts a thread with all signals blocked: they belong to the app's own threads, or to a
    /// signal source.
    ///
    /// - Throws: `pthread_create`.
    static func start(
        name: String,
        _ body: @escaping @Sendable () -> Void
    ) throws(SystemCallError) {
        var identifier = pthread_t()
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var all = sigset_t()
        var previous = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &previous)
        // The new thread takes the reference over.
        let context = Unmanaged.passRetained(Start(name: name, body: body)).toOpaque()
        let code = pthread_create(
            &identifier,
            &attributes,
            { context in
                if let context {
                    let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
                    CFerryLinux_setThreadName(start.name)
                    start.body()
                }
                return nil
            },
            context
        )
        pthread_sigmask(SIG_SETMASK, &previous, nil)
        pthread_attr_destroy(&attributes)
        guard code == 0 else {
            Unmanaged<Start>.fromOpaque(context).release()
            throw SystemCallError(call: "pthread_create", errno: code, subject: name)
        }
    }
}
