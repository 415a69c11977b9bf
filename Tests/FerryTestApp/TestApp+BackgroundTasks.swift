import Ferry
import Foundation

/// Background tasks, and what the app does when it is asked to end meanwhile.
extension TestApp {
    /// Sets what is asked for before any task begins, and begins tasks.
    func useBackgroundTasks(_ session: URLSession) {
        let application = Application.shared
        if let grace = options.grace { application.terminationGracePeriod = grace }
        if let limit = options.expirationLimit { application.expirationTimeLimit = limit }
        if options.hasOwnHandler { OwnHandler.install(writingTo: options.events) }
        if options.hasBriefTask {
            application.endBackgroundTask(application.beginBackgroundTask())
            application.endBackgroundTask(.invalid)
        }
        if let expiration = options.guarded { guardTransfer(expiration, session) }
        if options.tellsRemaining { notifyRemainingOnSignal() }
    }

    private func guardTransfer(_ expiration: GuardedTransfer.Expiration, _ session: URLSession) {
        let file = options.uploads.first?.path
        guard
            var request = request(options.uploads.first?.url ?? options.urls.first?.url ?? "", nil)
        else { return }
        if file != nil { request.httpMethod = "PUT" }
        let transfer = GuardedTransfer(
            request,
            file: file.map { URL(fileURLWithPath: $0) },
            expiration: expiration,
            background: session,
            events: events
        )
        transfer.start()
    }

    /// Tells at SIGUSR1 whether somebody has asked the tasks to end.
    private func notifyRemainingOnSignal() {
        signal(SIGUSR1, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGUSR1)
        source.setEventHandler { [events] in
            let remaining = Application.shared.backgroundTimeRemaining
            events.write("remaining \(remaining == .greatestFiniteMagnitude ? "all" : "limited")")
        }
        source.activate()
        // It is there as long as the process.
        _ = Unmanaged.passRetained(source as AnyObject)
    }

    @MainActor
    func applicationWillTerminate(_ application: Application) {
        events.write("will-terminate")
    }
}
