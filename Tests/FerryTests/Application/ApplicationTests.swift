import Foundation
import Synchronization
import Testing

@testable import Ferry

@Suite("Application", .timeLimit(.minutes(1)))
struct ApplicationTests {
    @MainActor
    private final class Delegate: ApplicationDelegate {
        private(set) var identifiers: [String] = []
        private var completionHandlers: [() -> Void] = []
        private let handlesAtOnce: Bool

        init(handlesAtOnce: Bool) {
            self.handlesAtOnce = handlesAtOnce
        }

        func application(
            _ application: Application,
            handleEventsForBackgroundURLSession identifier: String,
            completionHandler: @escaping @Sendable () -> Void
        ) {
            identifiers.append(identifier)
            if handlesAtOnce {
                completionHandler()
            } else {
                completionHandlers.append(completionHandler)
            }
        }

        func handle() {
            for handler in completionHandlers { handler() }
            completionHandlers = []
        }
    }

    private func application(_ reason: Application.LaunchReason) -> Application {
        Application(environment: .init(launchReason: reason, executablePath: "/bin/app"))
    }

    @Test(arguments: [nil, ""])
    func `a program is started by its user unless a session is named`(variable: String?) {
        #expect(Application.Environment.launchReason(sessionIdentifier: variable) == .user)
    }

    @Test func `BG-31: the daemon names the session it starts a program for`() {
        let reason = Application.Environment.launchReason(sessionIdentifier: "tracks")
        #expect(reason == .backgroundURLSession(identifier: "tracks"))
    }

    @Test func `a program started by its user has nothing to handle`() async {
        let application = application(.user)
        let delegate = await Delegate(handlesAtOnce: true)
        application.delegate = delegate
        await application.runUntilBackgroundEventsAreHandled()
        #expect(await delegate.identifiers == [])
    }

    @Test func `BG-31: a program started for a session handles its events once`() async {
        let application = application(.backgroundURLSession(identifier: "tracks"))
        let delegate = await Delegate(handlesAtOnce: true)
        application.delegate = delegate
        await application.runUntilBackgroundEventsAreHandled()
        await application.deliverBackgroundEvents()
        await application.runUntilBackgroundEventsAreHandled()
        #expect(await delegate.identifiers == ["tracks"])
    }

    @Test func `BG-34: the run ends when the completion handler is called`() async {
        let application = application(.backgroundURLSession(identifier: "tracks"))
        let delegate = await Delegate(handlesAtOnce: false)
        application.delegate = delegate
        await application.deliverBackgroundEvents()
        #expect(await delegate.identifiers == ["tracks"])
        async let run: Void = application.runUntilBackgroundEventsAreHandled()
        await delegate.handle()
        await run
    }

    @Test func `without a delegate the run ends at once`() async {
        await application(.backgroundURLSession(identifier: "tracks"))
            .runUntilBackgroundEventsAreHandled()
    }

    @Test func `the identifier is the executable's path unless it is set`() {
        let application = application(.user)
        #expect(application.identifier == "/bin/app")
        application.identifier = "org.example.app"
        #expect(application.fixIdentifier() == "org.example.app")
    }

    @Test func `the identifier cannot change after the first background session`() async {
        await #expect(processExitsWith: .failure) {
            let application = Application(
                environment: .init(launchReason: .user, executablePath: "/bin/app")
            )
            _ = application.fixIdentifier()
            application.identifier = "other"
        }
    }

    @Test func `an empty identifier is a mistake`() async {
        await #expect(processExitsWith: .failure) { Application.shared.identifier = "" }
    }

    @Test func `a program is started again as it was started`() throws {
        let relaunch = try #require(Application.Environment.live.relaunch)
        #expect(relaunch.executable.hasPrefix("/"))
        #expect(relaunch.arguments == Array(CommandLine.arguments.dropFirst()))
        #expect(relaunch.workingDirectory == FileManager.default.currentDirectoryPath)
        #expect(!relaunch.environmentNames.contains(Application.backgroundSessionVariable))
    }

    @Test func `a relative path to start is a mistake`() async {
        await #expect(processExitsWith: .failure) {
            _ = Application.Relaunch(executable: "app")
        }
        await #expect(processExitsWith: .failure) {
            _ = Application.Relaunch(executable: "/app", workingDirectory: "here")
        }
    }

    @Test func `the reason is removed from the environment of children`() async {
        await #expect(processExitsWith: .success) {
            setenv("FERRY_BACKGROUND_SESSION", "tracks", 1)
            let reason = Application.shared.launchReason
            #expect(reason == .backgroundURLSession(identifier: "tracks"))
            #expect(getenv("FERRY_BACKGROUND_SESSION") == nil)
        }
    }

    // MARK: Background tasks

    @Test func `limits of background tasks are seconds from 0 to a year`() {
        let application = application(.user)
        #expect(application.terminationGracePeriod == 5)
        #expect(application.expirationTimeLimit == 3)
        let year = 365.0 * 24 * 3600
        for (given, kept) in [(0.5, 0.5), (0, 0), (-1, 0), (.nan, 0), (.infinity, year)] {
            application.terminationGracePeriod = given
            application.expirationTimeLimit = given
            #expect(application.terminationGracePeriod == kept)
            #expect(application.expirationTimeLimit == kept)
        }
    }

    @Test func `signals are taken over while a background task is open, and given back`() async {
        await #expect(processExitsWith: .success) {
            signal(SIGTERM) { _ in _exit(7) }
            let before = [SIGTERM, SIGHUP].map(Self.handler(of:))
            let application = Application.shared
            let first = application.beginBackgroundTask(withName: "one")
            let second = application.beginBackgroundTask { preconditionFailure("not asked to end") }
            #expect(first != second)
            #expect(![first, second].contains(.invalid))
            #expect(application.backgroundTimeRemaining == .greatestFiniteMagnitude)
            for task in [first, .invalid, first] { application.endBackgroundTask(task) }
            #expect(Self.handler(of: SIGTERM) != before[0])
            #expect(Self.handler(of: SIGHUP) != before[1])
            application.endBackgroundTask(second)
            #expect([SIGTERM, SIGHUP].map(Self.handler(of:)) == before)
        }
    }

    @Test func `a signal that is ignored, or that another handler has taken since, is left alone`()
        async
    {
        await #expect(processExitsWith: .success) {
            signal(SIGTERM, SIG_IGN)
            let ignored = Self.handler(of: SIGTERM)
            let task = Application.shared.beginBackgroundTask()
            #expect(Self.handler(of: SIGTERM) == ignored)
            signal(SIGTERM) { _ in _exit(7) }
            let own = Self.handler(of: SIGTERM)
            Application.shared.endBackgroundTask(task)
            #expect(Self.handler(of: SIGTERM) == own)
        }
    }

    @Test func `a program's own use of SIGHUP is left alone`() async {
        await #expect(processExitsWith: .success) {
            signal(SIGHUP) { _ in _exit(7) }
            let own = Self.handler(of: SIGHUP)
            let task = Application.shared.beginBackgroundTask()
            #expect(Self.handler(of: SIGHUP) == own)
            Application.shared.endBackgroundTask(task)
            #expect(Self.handler(of: SIGHUP) == own)
        }
    }

    @Test func `a handler that ends another task spares it its own`() async {
        await #expect(processExitsWith: .signal(SIGTERM)) {
            // The tests' own process may have it blocked, which is inherited.
            var none = sigset_t()
            sigemptyset(&none)
            pthread_sigmask(SIG_SETMASK, &none, nil)
            let application = Application.shared
            application.terminationGracePeriod = 0
            let tasks = Mutex<[Application.BackgroundTaskIdentifier]>([])
            let first = application.beginBackgroundTask {
                for task in tasks.withLock({ $0 }) { application.endBackgroundTask(task) }
            }
            let second = application.beginBackgroundTask { _exit(9) }
            tasks.withLock { $0 = [first, second] }
            kill(getpid(), SIGTERM)
            await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        }
    }

    /// Where the process's handler of a signal is.
    private static func handler(of signal: Int32) -> Int {
        var action = sigaction()
        sigaction(signal, nil, &action)
        return unsafeBitCast(action.__sigaction_handler, to: Int.self)
    }

    // MARK: Being started again

    private func startable(register: @escaping @Sendable () -> Void = {}) -> Application {
        Application(
            environment: .init(
                launchReason: .user,
                executablePath: "/bin/app",
                relaunch: Application.Relaunch(executable: "/bin/app"),
                register: register
            )
        )
    }

    @Test func `USE-1: a program without a delegate is not started for its sessions' events`() async
    {
        let application = startable()
        #expect(application.registeredRelaunch == nil)
        #expect(application.relaunch != nil)
        application.delegate = await Delegate(handlesAtOnce: true)
        #expect(application.registeredRelaunch?.executable == "/bin/app")
    }

    @Test func `USE-1: a program that says who is started has that started`() {
        let application = startable()
        application.relaunch?.arguments = ["events"]
        #expect(application.registeredRelaunch?.arguments == ["events"])
        application.relaunch = nil
        #expect(application.registeredRelaunch == nil)
    }

    @Test func `USE-1: a delegate that comes after the first session is told to the daemon`() async
    {
        let count = Mutex(0)
        let application = startable { count.withLock { $0 += 1 } }
        let delegate = await Delegate(handlesAtOnce: true)
        application.delegate = delegate
        #expect(count.withLock { $0 } == 0)
        application.delegate = nil
        _ = application.fixIdentifier()
        application.delegate = delegate
        application.delegate = delegate
        #expect(count.withLock { $0 } == 1)
    }
}
