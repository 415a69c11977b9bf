import FerryHTTP
import FerrySystem
import FerryWire
import Foundation
@preconcurrency import Glibc
import Synchronization

/// The background sessions of this process, one per identifier.
final class BackgroundSessions: Sendable {
    /// The sessions of the program itself.
    static let shared: BackgroundSessions = {
        let sessions = BackgroundSessions(
            application: .shared,
            connect: {
                let starter = DaemonStarter()
                return { () throws(DaemonError) in try starter.connect() }
            }()
        )
        // A program may end right after a call, which must be durable by then.
        atexit { BackgroundSessions.shared.waitForAcknowledgements() }
        return sessions
    }()

    /// How long the end of a program waits for the daemon.
    private static let exitTimeout = 5.0

    private let application: Application
    private let connection: ProcessConnection
    private let firstTaskIdentifier: @Sendable () -> Int
    private let cores = Mutex<[String: SessionCore]>([:])

    /// Makes an application's sessions.
    ///
    /// - Parameters:
    ///   - application: The application.
    ///   - firstTaskIdentifier: Returns the number of the first task of a session that is not open yet.
    ///   - connect: Connects to the daemon, starting it if necessary; blocks.
    init(
        application: Application,
        firstTaskIdentifier: @escaping @Sendable () -> Int =
            BackgroundConnection.unusedTaskIdentifier,
        connect: @escaping @Sendable () throws(DaemonError) -> FileDescriptor
    ) {
        self.application = application
        self.firstTaskIdentifier = firstTaskIdentifier
        connection = ProcessConnection(connect: connect)
    }

    /// Returns the core of the session with an identifier; creates it if there is none.
    func core(
        identifier: String,
        configuration: URLSessionConfiguration.Values,
        delegate: (any URLSessionDelegate)?,
        delegateQueue: OperationQueue?
    ) -> SessionCore {
        cores.withLock { cores in
            if let core = cores[identifier] { return core }
            let core = SessionCore(
                configuration: configuration,
                delegate: delegate,
                delegateQueue: delegateQueue,
                carrier: .daemon(
                    BackgroundBackend(
                        environment: environment(
                            identifier: identifier,
                            configuration: configuration,
                            delegate: delegate
                        )
                    )
                ),
                unread: delegate == nil ? unreadEvents(identifier: identifier) : nil,
                onEnd: { [weak self] in
                    self?.cores.withLock { _ = $0.removeValue(forKey: identifier) }
                }
            )
            cores[identifier] = core
            return core
        }
    }

    /// Opens a session, given its first handle.
    func add(_ handle: URLSession, identifier: String) {
        let core = handle.core
        guard core.keep(handle) else {
            return Diagnostics.reportOnce(
                "A background URLSession with identifier \(identifier) already exists!"
            )
        }
        guard case .daemon(let backend) = core.carrier else { return }
        // The daemon still has how it has started this program, and keeps that.
        if core.unread != nil, application.launchReason != .user { application.takesEvents() }
        let reportsEnd = application.wasLaunched(forBackgroundURLSession: identifier)
        backend.start(core, reportsEnd: reportsEnd)
    }

    /// Registers again with the daemon how the program is started.
    func register() {
        for core in cores.withLock({ Array($0.values) }) {
            if case .daemon(let backend) = core.carrier { backend.connection.register() }
        }
    }

    /// Returns when the daemon has acknowledged all calls so far.
    func flush() async {
        for core in cores.withLock({ Array($0.values) }) {
            await withCheckedContinuation { continuation in
                core.backend.flush { continuation.resume() }
            }
        }
    }

    /// Waits for a limited time until the daemon has acknowledged all calls so far.
    private func waitForAcknowledgements() {
        let group = DispatchGroup()
        for core in cores.withLock({ Array($0.values) }) {
            group.enter()
            core.backend.flush { group.leave() }
        }
        _ = group.wait(timeout: .now() + Self.exitTimeout)
    }

    private func unreadEvents(identifier: String) -> UnreadEvents {
        let isLaunched = application.launchReason != .user
        return UnreadEvents(
            onFollow: { [application] in application.takesEvents() },
            onUnread: {
                // A program that is started for events takes them as soon as it has come to that.
                guard !isLaunched else { return }
                Diagnostics.reportOnce(
                    "The background session \"\(identifier)\" has no delegate, and nothing reads its "
                        + "events yet; they stay with the daemon."
                )
            }
        )
    }

    private func environment(
        identifier: String,
        configuration: URLSessionConfiguration.Values,
        delegate: (any URLSessionDelegate)?
    ) -> BackgroundConnection.Environment {
        let application = application
        // From the first session on, the daemon stores everything under this name.
        let applicationIdentifier = application.fixIdentifier()
        // The session uses the environment as it is when the session is made, even if it changes later.
        let connections = Wire.Connections(
            configuration,
            isForEvents: application.wasLaunched(forBackgroundURLSession: identifier)
        )
        return BackgroundConnection.Environment(
            process: connection,
            opening: { [weak delegate] in
                Wire.OpenSession(
                    application: Wire.Application(
                        identifier: applicationIdentifier,
                        launch: application.registeredRelaunch.map { Wire.Launch($0) }
                    ),
                    identifier: identifier,
                    configuration: Wire.SessionConfiguration(
                        configuration,
                        connections,
                        delegate: delegate
                    )
                )
            },
            firstTaskIdentifier: firstTaskIdentifier
        )
    }
}

extension Wire.Launch {
    /// How the program is started again, with the values its environment has now.
    init(_ relaunch: Application.Relaunch) {
        let variables = ProcessEnvironment.current
        self.init(
            executable: relaunch.executable,
            arguments: relaunch.arguments,
            directory: relaunch.workingDirectory,
            environment: variables.filter { relaunch.environmentNames.contains($0.key) },
            fileModeMask: ProcessAttributes.currentFileModeMask.map { Int($0) },
            omittedVariables: Self.omitted(from: variables, relaunch)
        )
    }

    /// The names that the daemon's log tells, for who misses a variable.
    private static func omitted(
        from variables: [String: String],
        _ relaunch: Application.Relaunch
    ) -> [String] {
        // What a shell sets for each program says nothing about this one.
        let names = Set(variables.keys).subtracting(relaunch.environmentNames)
            .subtracting(["_", "PWD", "OLDPWD", "SHLVL"])
        return Array(names.sorted().prefix(maximumOmittedCount))
    }

    private static let maximumOmittedCount = 100
}

extension Wire.SessionConfiguration {
    fileprivate init(
        _ configuration: URLSessionConfiguration.Values,
        _ connections: Wire.Connections?,
        delegate: (any URLSessionDelegate)?
    ) {
        let hasCredentials = !CredentialStore(configuration: configuration).isEmpty
        let isRead = configuration.deliversChallenges && delegate == nil
        self.init(
            additionalFields: configuration.additionalFields,
            resourceTimeout: max(configuration.timeoutIntervalForResource, 0),
            maximumConnectionsPerHost: max(configuration.httpMaximumConnectionsPerHost, 1),
            maximumTransfers: configuration.maximumTransfers,
            sendsLaunchEvents: configuration.sessionSendsLaunchEvents,
            launchesForEachTask: configuration.sessionSendsLaunchEventsForEachTask ? true : nil,
            answersPasswords: hasCredentials || isRead
                || DelegateForms.mayAnswer(.taskChallenge, delegate),
            answersCertificates: isRead || DelegateForms.mayAnswer(.sessionChallenge, delegate)
                || DelegateForms.mayAnswer(.taskChallenge, delegate),
            collectsMetrics: DelegateForms.mayAnswer(.metrics, delegate),
            replacesLinks: configuration.replacesExpiredLinks ? true : nil,
            receiveRate: configuration.maximumReceiveRate,
            sendRate: configuration.maximumSendRate,
            connections: connections,
            avoids: TransferOptions.Conditions(avoidedBy: configuration).wire
        )
    }
}
