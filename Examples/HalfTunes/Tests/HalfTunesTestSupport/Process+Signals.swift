package import Foundation

extension Process {
    /// Starts it as a person's shell does: with all signals as they are by default.
    ///
    /// The threads that run tests block signals, and programs inherit that. A desktop's programs would not end
    /// when they are asked to.
    package func start() throws {
        var (none, own) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &own)
        defer { pthread_sigmask(SIG_SETMASK, &own, nil) }
        try run()
    }
}
