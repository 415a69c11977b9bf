import FerrySystem
import FerryWire
import Synchronization

/// Loads the tasks that a session has from earlier launches, page by page.
///
/// Once is enough: while this process has the session open, no other process makes tasks in it.
@LoopActor
final class BackgroundTaskLoader {
    /// The number of tasks per page.
    private static let pageLimit = 1000

    private let connection: BackgroundConnection
    private let application: String
    private let session: String
    private let core: SessionCore
    private var isLoading = false
    private var waiting: [@Sendable () -> Void] = []
    private let done = Atomic(false)

    /// Whether all tasks are known.
    nonisolated var isDone: Bool {
        get { done.load(ordering: .acquiring) }
        set { done.store(newValue, ordering: .releasing) }
    }

    nonisolated init(
        connection: BackgroundConnection,
        application: String,
        session: String,
        core: SessionCore
    ) {
        self.connection = connection
        self.application = application
        self.session = session
        self.core = core
    }

    /// Calls `continuation` when all tasks are known, or cannot be.
    func load(then continuation: @escaping @Sendable () -> Void) {
        guard !isDone, !connection.hasFailed else { return continuation() }
        waiting.append(continuation)
        connection.wake()
        start()
    }

    /// The session is open, perhaps again.
    func connectionDidOpen() {
        if !waiting.isEmpty {
            start()
        } else if !isDone {
            lookForEarlierTasks()
        }
    }

    /// The session is unavailable.
    func connectionDidFail() {
        isLoading = false
        finish()
    }

    /// Checks at low cost whether there are tasks of an earlier launch: the oldest task would be one of them.
    private func lookForEarlierTasks() {
        let method = Wire.ListTasks(application: application, session: session, limit: 1)
        connection.query(method) { result in
            guard case .success(let page) = result else { return }
            let oldest = page.tasks.value?.first
            if oldest.map({ self.core.task($0.identifier) != nil }) ?? true { self.isDone = true }
        }
    }

    private func start() {
        guard !isLoading else { return }
        isLoading = true
        core.beginAdopting()
        loadPage(after: nil)
    }

    private func loadPage(after last: Int64?) {
        let method = Wire.ListTasks(
            application: application,
            session: session,
            after: last,
            limit: Self.pageLimit
        )
        connection.query(method) { result in
            switch result {
            case .success(let page):
                self.take(page)
            case .failure(.connectionClosed):
                self.startAnew()
            case .failure(let error):
                self.fail(error)
            }
        }
    }

    private func take(_ page: Wire.ListTasks.Reply) {
        let tasks: [Wire.Task]
        do throws(MessageError) {
            tasks = try page.tasks.decoded()
        } catch {
            return fail(.invalidReply(error))
        }
        // The daemon prepares the next page while the tasks of this one are made.
        if let next = page.next { loadPage(after: next) }
        for task in tasks { adopt(task) }
        guard page.next == nil else { return }
        let left = core.tasks.compactMap(\.fileTransfer)
        if left.isEmpty { complete() } else { loadEnded(besides: left) }
    }

    /// Loads what the daemon remembers of tasks that have ended, for the calls that wait for their files.
    private func loadEnded(besides left: [FileTransferDescription]) {
        let method = Wire.ListEndedTasks(application: application, session: session)
        connection.query(method) { result in
            if case .failure(.connectionClosed) = result { return self.startAnew() }
            self.core.unread?.begin(left: left, ended: (try? result.get().tasks) ?? [])
            self.complete()
        }
    }

    private func complete() {
        isDone = true
        finish()
    }

    /// Begins again when there is a connection, which may be now.
    private func startAnew() {
        isLoading = false
        if connection.isOpen { start() }
    }

    private func fail(_ error: CallError) {
        Diagnostics.report("The tasks of \"\(session)\" cannot be listed: \(error)")
        isLoading = false
        finish()
    }

    private func adopt(_ task: Wire.Task) {
        core.adoptTask(task.identifier) { handle in
            if let upload = task.upload {
                return URLSessionUploadTask(task, sending: upload, of: core, session: handle)
            }
            return URLSessionDownloadTask(task, of: core, session: handle)
        }
    }

    private func finish() {
        core.endAdopting()
        let continuations = waiting
        waiting = []
        for continuation in continuations { continuation() }
    }
}
