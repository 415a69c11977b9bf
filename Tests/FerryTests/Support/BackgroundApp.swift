import FerrySystem
import FerryTestSupport
import FerryWire
import Foundation
import Synchronization

@testable import Ferry

/// An app that uses the scripted daemon; a second one with the same daemon is its next launch.
struct BackgroundApp {
    let application: Application
    let sessions: BackgroundSessions
    let recorder: SessionRecorder
    private let isAlive = IsAlive()

    private final class IsAlive: Sendable {
        let value = Atomic(true)
    }

    init(
        _ daemon: ScriptedDaemon,
        launchReason: Application.LaunchReason = .user,
        recorder: SessionRecorder = SessionRecorder(),
        connect: (@Sendable () throws(DaemonError) -> FileDescriptor)? = nil
    ) {
        application = Application(
            environment: .init(
                launchReason: launchReason,
                executablePath: "/bin/app",
                relaunch: Application.Relaunch(executable: "/bin/app")
            )
        )
        // What an app has chosen is registered also without a delegate of the application's.
        application.relaunch?.arguments = ["-a"]
        let connect = connect ?? daemon.connect
        sessions = BackgroundSessions(application: application) {
            [isAlive] () throws(DaemonError) in
            guard isAlive.value.load(ordering: .relaxed) else { throw .notRunning(sockets: []) }
            return try connect()
        }
        self.recorder = recorder
    }

    /// Has the app lose its connections and get no others, as if its process had died.
    @LoopActor
    func die(with daemon: ScriptedDaemon) throws {
        isAlive.value.store(false, ordering: .relaxed)
        try daemon.die()
        try daemon.start()
    }

    /// A session of the app with a delegate of the test's own, or none.
    func session(delegate: (any URLSessionDelegate)?) -> URLSession {
        let configuration = URLSessionConfiguration.background(withIdentifier: "tracks")
        // What other tests keep in the shared one is nothing to this session.
        let own = URLSessionConfiguration.ephemeral.urlCredentialStorage
        configuration.urlCredentialStorage = own
        return URLSession(
            backgroundIdentifier: "tracks",
            configuration: configuration.snapshot,
            delegate: delegate,
            among: sessions
        )
    }

    /// A session of the app.
    func session(
        _ identifier: String = "tracks",
        hasDelegate: Bool = true,
        _ change: (URLSessionConfiguration) -> Void = { _ in }
    ) -> URLSession {
        let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
        change(configuration)
        return URLSession(
            backgroundIdentifier: identifier,
            configuration: configuration.snapshot,
            delegate: hasDelegate ? recorder : nil,
            among: sessions
        )
    }
}

extension Wire.SessionConfiguration {
    /// A configuration for tests that do not look at it.
    static let any = Wire.SessionConfiguration(
        additionalFields: [],
        resourceTimeout: 0,
        maximumConnectionsPerHost: 6,
        sendsLaunchEvents: true
    )
}

extension LoopActor {
    /// Runs `body` on the loop.
    @LoopActor
    static func run<T: Sendable>(_ body: @LoopActor () throws -> T) async rethrows -> T {
        try body()
    }
}
