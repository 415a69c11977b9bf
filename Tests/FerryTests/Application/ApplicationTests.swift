import Foundation
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
}
