import FerryHTTP
import FerryStore
import FerrySystem
import FerryWire
import FoundationEssentials
import Glibc

/// The daemon with everything around it: its directories, its sockets, its log, its signals.
@LoopActor
final class DaemonService {
    /// The service of the process; nothing else retains it.
    static var current: DaemonService?

    private let log: Log
    private let store: Store
    private let locations: SocketLocations
    /// The sockets that are listened on; the server has the descriptors of the process's own ones.
    private var sockets: ListeningSockets
    private let program = OwnProgram()
    private let applicationAttributes: ProcessAttributes?
    private var daemon: Daemon?
    private var server: VarlinkServer?
    private var signals: SignalSource?
    /// Keeps every other daemon of this user away from the queue.
    private let lock: StateLock
    private var endLock: FileLock?
    private var isEnding = false
    private var isAskedToEnd = false
    /// What follows in place of the end.
    private var succession: Succession?

    /// Sets up everything that is needed and serves, or throws the reason why it cannot.
    init(_ options: DaemonOptions, isForeground: Bool) async throws(DaemonFailure) {
        if let problem = options.shares.problem { throw .start(problem) }
        applicationAttributes = options.applicationAttributes
        sockets = ListeningSockets.takeInherited()
        Succession.takeChildren()
        let base = BaseDirectories(environment: ProcessEnvironment.current)
        locations = SocketLocations(base)
        let state = try Self.openState(base.stateHome + "/ferry")
        // No client starts another daemon until this one listens. A client that started this one has made all sockets,
        // and holds the lock meanwhile; so has the program whose place this one has taken, and its clients wait there.
        let startLock = sockets.own.isEmpty ? try await StartLock.take(locations) : nil
        lock = try await Self.lock(state, locations, besides: sockets.held)
        log = try Self.openLog(in: state, options, isForeground: isForeground)
        try Self.saveLostQueue(in: state, log)
        do {
            store = try Store(directory: state)
        } catch {
            log.write(.error, error.message)
            await log.flush()
            throw .start(error.message)
        }
        let parts = try Self.makeParts(in: state, options)
        if sockets.own.isEmpty { sockets.own = try claim() }
        let daemon = Daemon(
            store: store,
            files: parts.files,
            client: parts.client,
            log: log,
            options: options,
            socketPaths: (sockets.held + sockets.own).map(\.path),
            onExit: { [weak self] in self?.end() }
        )
        if let notice = options.shares.notice { log.write(.notice, notice) }
        try await serve(daemon, options.shares.applied(to: VarlinkServer.Limits()))
        withExtendedLifetime(startLock) {}
    }

    private func serve(
        _ daemon: Daemon,
        _ limits: VarlinkServer.Limits
    ) async throws(DaemonFailure) {
        self.daemon = daemon
        do throws(StoreError) {
            try await daemon.start()
        } catch {
            throw .start(error.message)
        }
        let server = VarlinkServer(
            information: ServiceInformation(
                vendor: "Ferry",
                product: "ferryd",
                version: FerryVersion.current,
                url: "https://ferry.example"
            ),
            handler: daemon,
            limits: limits
        )
        self.server = server
        do throws(SystemCallError) {
            try listen()
            DaemonProgram.startSignals?.cancel()
            signals = try SignalSource([SIGTERM, SIGINT, SIGHUP]) { [weak self] signal in
                self?.take(signal)
            }
        } catch {
            throw .start("cannot listen: \(error)")
        }
        let places = daemon.socketPaths.joined(separator: " and ")
        log.write(.info, "ferryd \(FerryVersion.current) serves on \(places)")
        ServiceNotification.ready()
    }

    private func take(_ signal: SignalSource.Signal) {
        guard signal.number != SIGHUP else {
            let daemon = daemon
            LoopActor.task { await daemon?.reload() }
            return
        }
        // Who asks once more wants the end.
        succession =
            isAskedToEnd ? nil : Succession(after: signal, from: program, applicationAttributes)
        isAskedToEnd = true
        let next = succession == nil ? "stopping" : "another ferryd is installed, and continues"
        log.write(.info, "signal \(signal.number): \(next)")
        daemon?.stop()
    }

    /// Listens on the sockets of this process, and on those that it shares with systemd.
    private func listen() throws(SystemCallError) {
        for socket in sockets.own {
            try server?.listen(on: FileDescriptor(owning: socket.descriptor))
        }
        for socket in sockets.held {
            // The server closes the sockets that it listens on, and may have to listen again.
            let copy = try copy(of: socket)
            try server?.listen(on: FileDescriptor(owning: copy.descriptor), isShared: true)
        }
    }

    private func copy(of socket: BoundSocket) throws(SystemCallError) -> BoundSocket {
        let copy = try systemCall("fcntl") { fcntl(socket.descriptor, F_DUPFD_CLOEXEC, 0) }
        return BoundSocket(path: socket.path, descriptor: copy)
    }

    /// Makes the sockets that systemd does not hold.
    private func claim() throws(DaemonFailure) -> [BoundSocket] {
        do throws(DaemonError) {
            return try locations.claim(besides: sockets.held.map(\.path))
        } catch {
            throw .start(error.description)
        }
    }

    // MARK: The end

    /// Ends the process, unless a client has connected while it was idle.
    ///
    /// The lock keeps clients from starting another daemon before this one has released the queue. No connected client
    /// is turned away.
    private func end() {
        guard !isEnding else { return }
        isEnding = true
        // Its sockets stay open: no client starts another.
        guard succession == nil else { return finish() }
        do throws(DaemonError) {
            // Never waits on the loop: the process that holds the lock may be stopped.
            endLock = try locations.startLock(waiting: false)
        } catch {
            // A program is about to connect: an idle daemon stays. One that must end does so, and a client may have to
            // try twice.
            if error.isLockHeld, daemon?.mayGoOn == true {
                log.write(.debug, "stays, since a program is about to start a daemon")
                isEnding = false
                daemon?.proceed()
                return
            }
            log.write(.warning, "ends without its lock: \(error)")
        }
        server?.stopListeningAndDrain()
        if daemon?.mayGoOn == true, server?.connectionCount ?? 0 > 0, proceed() { return }
        finish()
    }

    /// Listens again for a client that connected at the last moment.
    private func proceed() -> Bool {
        do {
            sockets.own = try locations.claim(besides: sockets.held.map(\.path))
            try listen()
        } catch {
            log.write(.error, "cannot listen again: \(error)")
            return false
        }
        endLock = nil
        isEnding = false
        daemon?.proceed()
        return true
    }

    private func finish() {
        signals?.cancel()
        // Before the server closes them.
        var passedOn = sockets
        if succession != nil { passedOn.own = sockets.own.compactMap { try? copy(of: $0) } }
        LoopActor.task { [self] in
            server?.close()
            await store.close()
            log.write(.info, succession == nil ? "ended" : "becomes \(program.path)")
            await log.flush()
            let children = daemon?.children.values.map(\.identifier) ?? []
            succession?.begin(passedOn, children: children)
            exit(0)
        }
    }

    // MARK: Parts

    /// Makes this the only daemon of the queue.
    ///
    /// No other daemon serves the clients that wait at systemd's socket. One that a program started earlier, while that
    /// socket was missing, therefore ends, and loses nothing.
    private static func lock(
        _ state: Directory,
        _ locations: SocketLocations,
        besides held: [BoundSocket]
    ) async throws(DaemonFailure) -> StateLock {
        do throws(DaemonFailure) {
            return try StateLock(in: state)
        } catch {
            guard !held.isEmpty,
                let socket = try? locations.connect(besides: held.map(\.path)),
                (try? await VarlinkClient(socket).call(Wire.Stop())) != nil
            else { throw error }
        }
        return try await BlockingQueue(label: "ferry.lock").run { () throws(DaemonFailure) in
            try StateLock(in: state, waiting: true)
        }
    }

    private static func openState(_ path: String) throws(DaemonFailure) -> Directory {
        do throws(DaemonError) {
            return try StateDirectory.open(path)
        } catch {
            throw .start(
                """
                the directory for the queue cannot be used: \(error). XDG_STATE_HOME says where it lies
                """
            )
        }
    }

    private static func openLog(
        in state: Directory,
        _ options: DaemonOptions,
        isForeground: Bool
    ) throws(DaemonFailure) -> Log {
        if isForeground {
            return Log(destination: StandardErrorLog(), threshold: options.logLevel)
        }
        if let journal = JournalLog() {
            return Log(destination: journal, threshold: options.logLevel)
        }
        do throws(SystemCallError) {
            let directory = try state.openSubdirectory("log")
            return Log(
                destination: FileLog(directory: directory),
                threshold: options.logLevel
            )
        } catch {
            throw .start("the log cannot be written: \(error)")
        }
    }

    /// Preserves the files of a lost queue, and logs the loss.
    private static func saveLostQueue(in state: Directory, _ log: Log) throws(DaemonFailure) {
        do throws(SystemCallError) {
            guard let lost = try LostQueue(in: state, at: Date()) else { return }
            log.write(.error, lost.message)
        } catch {
            throw .start(
                "the queue has vanished, and what it has loaded cannot be put aside: \(error)"
            )
        }
    }

    private static func makeParts(
        in state: Directory,
        _ options: DaemonOptions
    ) throws(DaemonFailure) -> (files: TransferFiles, client: HTTPClient) {
        // Proxies and trusted authorities come from the session, not from the process that started this one.
        var configuration = HTTPClient.Configuration(environment: [:])
        // The scheduler decides what may run, not the connection pool.
        configuration.maximumConnectionsPerHost = 0
        // Kept connections count as well, and are closed in favour of new ones.
        if options.shares.notice != nil {
            configuration.maximumConnections = options.shares.transfers
        }
        if let bytes = options.minimumSplicedBytes {
            configuration.minimumSplicedBytes = Int64(bytes)
        }
        do {
            let files = try TransferFiles(in: state)
            files.uploads.keep(atMost: options.shares.keptFiles)
            return (files, try HTTPClient(configuration: configuration))
        } catch let error as SystemCallError {
            throw .start("the directory for downloads cannot be used: \(error)")
        } catch {
            throw .start("\(error)")
        }
    }
}

/// The lock that makes a daemon the only one for its queue.
final class StateLock: Sendable {
    private let lock: FileLock

    /// Takes the lock.
    ///
    /// - Parameters:
    ///   - state: The directory of the queue.
    ///   - waiting: Whether to wait for another holder.
    /// - Throws: ``DaemonFailure`` that names the process that holds it.
    init(in state: Directory, waiting: Bool = false) throws(DaemonFailure) {
        do throws(SystemCallError) {
            lock = try FileLock(StateDirectory.lockName, in: state, waiting: waiting)
            try lock.describeHolder("\(getpid())\n")
        } catch {
            guard error.errno == EWOULDBLOCK else {
                throw .start("the queue in \(state.path) cannot be locked: \(error)")
            }
            let holder = StateDirectory.daemon(in: state).map { "\($0)" } ?? "unknown"
            throw .start(
                """
                another ferryd, process \(holder), has the queue in \(state.path). Use it, or end it \
                with "ferry daemon stop", or with "kill \(holder)" if its socket was deleted
                """
            )
        }
    }
}

/// The lock that keeps every other process from starting or ending a daemon of this user.
final class StartLock: Sendable {
    private let lock: FileLock

    private init(_ locations: SocketLocations) throws(DaemonFailure) {
        do throws(DaemonError) {
            lock = try locations.startLock()
        } catch {
            throw .start(error.description)
        }
    }

    /// Takes the lock, waiting for another holder off the loop, which keeps taking signals.
    ///
    /// - Throws: ``DaemonFailure`` when the directory for the socket cannot be used.
    @LoopActor
    static func take(_ locations: SocketLocations) async throws(DaemonFailure) -> StartLock {
        try await BlockingQueue(label: "ferry.lock").run { () throws(DaemonFailure) in
            try StartLock(locations)
        }
    }
}
