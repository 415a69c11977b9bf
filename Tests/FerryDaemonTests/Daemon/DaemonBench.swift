import FerryHTTP
import FerryStore
import FerrySystem
import FerryTestSupport
import FerryTransfer
import FerryWire
import FoundationEssentials

@testable import FerryDaemon

/// A real daemon without its sockets, over a real queue and real files, which are set up before as
/// a kill at some moment would have left them.
@LoopActor
final class DaemonBench {
    let temporary: TemporaryDirectory
    let state: Directory
    private(set) var files: TransferFiles
    let store: Store
    private var daemon: Daemon?

    init() async throws {
        temporary = try TemporaryDirectory()
        state = temporary.directory
        files = try TransferFiles(in: state)
        store = try Store(directory: state)
        try await store.commit([.sampleSession()])
    }

    // MARK: What was left

    /// The directories that the daemon keeps files in.
    var downloads: Directory { get throws { try state.openSubdirectory("downloads") } }
    var resumable: Directory { get throws { try state.openSubdirectory("resumable") } }

    /// Leaves the first bytes of a resource.
    @discardableResult
    func leave(
        _ bytes: [UInt8],
        of url: String,
        as name: String,
        in directory: Directory
    ) throws -> PartialFile {
        let file = PartialFile(directory: directory, name: name)
        let version = ResourceVersion(
            validator: .strongETag("\"v1\""),
            totalByteCount: 100,
            url: url
        )
        try file.begin(version)
        try bytes.withUnsafeBytes { raw in try file.write(raw) }
        return file
    }

    /// Puts a task into the queue.
    func storeTask(
        _ url: String,
        id: TaskID = 1,
        state: TaskRecord.State = .waiting,
        _ bytes: ByteState? = nil
    ) async throws {
        let task = TaskRecord(
            id: id,
            sessionID: 1,
            identifier: Int(id.rawValue),
            state: state,
            host: Origin(url: url)?.authority ?? "",
            request: Encoded(Wire.Request.sample(url)),
            checkpoint: bytes.map { Encoded($0) },
            createdAt: Date()
        )
        try await store.commit([.insertTask(task)])
    }

    // MARK: The daemon

    /// Starts a daemon over what was left.
    @discardableResult
    func start(_ options: DaemonOptions = DaemonOptions()) async throws -> Daemon {
        let daemon = Daemon(
            store: store,
            files: files,
            client: try HTTPClient(),
            log: Log(destination: StandardErrorLog(), threshold: .error),
            options: options,
            timetableFile: TimetableFile(path: temporary.path + "/timetable"),
            settingsFiles: SettingsFiles(paths: [temporary.path + "/ferry.conf"]),
            socketPaths: [],
            onExit: {}
        )
        self.daemon = daemon
        try await daemon.start()
        return daemon
    }

    /// Starts the daemon that comes after one that has died.
    func restart() async throws {
        release()
        files = try TransferFiles(in: state)
        try await start()
    }

    /// Lets the daemon work until something has come about.
    func work(until condition: () async throws -> Bool) async throws {
        while try await !condition() {
            await files.queue.run {}
            _ = try await store.totals()
        }
    }

    /// Ends everything.
    func end() async {
        release()
        await store.close()
    }

    private func release() {
        guard let daemon else { return }
        for transfer in daemon.driver.transfers.running { transfer.cancel() }
        daemon.cancelAlarms()
        self.daemon = nil
    }

    // MARK: What comes of it

    /// What the store knows about a task's bytes.
    func bytes(of task: TaskID = 1) async throws -> ByteState? {
        try await store.task(id: task)?.checkpoint?.value
    }

    /// The events of the session.
    func events() async throws -> [Wire.Event] {
        try await store.events(session: 1, limit: 99).compactMap(\.sent)
    }
}
