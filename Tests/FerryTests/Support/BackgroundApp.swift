import FerryHTTP
import FerrySystem
import FerryTestSupport
import FerryWire
import Foundation
import Glibc
import Synchronization
import Testing

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
        connect: (@Sendable () throws(DaemonError) -> FileDescriptor)? = nil,
        firstTaskIdentifier: @escaping @Sendable () -> Int = { 1 }
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
        sessions = BackgroundSessions(
            application: application,
            firstTaskIdentifier: firstTaskIdentifier
        ) {
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

    /// A session without a delegate that has failed, as another process has it; its next attempt is refused, too.
    func refusedSession(of daemon: ScriptedDaemon) async -> URLSession {
        let refusal = TransferInterfaceError.sessionInUse(identifier: "tracks", pid: getppid())
        await LoopActor.run { daemon.refusesOpening = [refusal] }
        let session = session(hasDelegate: false)
        _ = await session.allTasks
        await LoopActor.run { daemon.refusesOpening = [refusal] }
        return session
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

/// A home of the test process's own, so that tests touch nothing of the user's.
enum Home {
    /// Set before the first session looks: environment variables belong to the whole process.
    static let path: String = {
        let parent = ProcessEnvironment[parentVariable]
        let path =
            parent.map { "\($0)/child-\(getpid())" }
            ?? FileManager.default.temporaryDirectory
            .appendingPathComponent("ferry-tests-\(getpid())").path
        ProcessEnvironment.set("XDG_CACHE_HOME", path + "/cache")
        ProcessEnvironment.set("XDG_STATE_HOME", path + "/state")
        ProcessEnvironment.remove("XDG_RUNTIME_DIR")
        // These tests have daemons of their own; none is to be started.
        ProcessEnvironment.set("FERRY_DAEMON", path + "/no-daemon")
        // The processes of exit tests may end in any way, and leave what they have to this one.
        if parent == nil {
            ProcessEnvironment.set(parentVariable, path)
            atexit { try? FileManager.default.removeItem(atPath: Home.path) }
        }
        return path
    }()

    private static let parentVariable = "FERRY_TESTS_HOME"

    /// The files that downloads have left, by their endings.
    static var leftovers: [String] {
        let directory = path + "/cache/ferry/downloads"
        return (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    }
}
