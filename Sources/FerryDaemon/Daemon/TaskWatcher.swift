import FerryStore
import FerrySystem
import FerryWire

/// Notifies a client of changes to tasks, at most ten times a second.
@LoopActor
final class TaskWatcher {
    private static let interval = Duration.milliseconds(100)
    /// The maximum number of changes that wait for a client that does not read.
    private static let greatestBacklog = 100_000
    private let ids: Set<TaskID>?
    private let reply: Reply<Wire.WatchTasks>
    private weak var daemon: Daemon?
    private var changed: Set<TaskID> = []
    private var removed: Set<TaskID> = []
    /// Whether the reasons may have changed for which tasks wait.
    private var hasStaleWaits = false
    private var timer: LoopTimer?
    private var isReading = true
    /// Called once when the client no longer waits for changes.
    private var onEnd: (@LoopActor () -> Void)?
    /// The continuation that waits for the client to catch up.
    private var catchingUp: CheckedContinuation<Void, Never>?

    init(ids: [TaskID]?, reply: Reply<Wire.WatchTasks>, daemon: Daemon) {
        self.ids = ids.map(Set.init)
        self.reply = reply
        self.daemon = daemon
    }

    /// Sends the states of tasks and then, to a client that wants more, their changes.
    func start(onEnd: @escaping @LoopActor () -> Void) {
        self.onEnd = onEnd
        reply.onWritable = { [weak self] in self?.proceed() }
        LoopActor.task { [self] in
            do throws(TransferInterfaceError) {
                try await sendAll()
            } catch {
                fail(error)
            }
            isReading = false
            if reply.isStream, reply.isOpen { schedule() } else { end() }
        }
    }

    /// A task has changed.
    func changed(_ task: TaskID) {
        guard ids?.contains(task) ?? true else { return }
        changed.insert(task)
        changesDidGrow()
    }

    /// The reasons may have changed for which tasks wait.
    func waitsChanged() {
        hasStaleWaits = true
        schedule()
    }

    /// A task is gone.
    func removed(_ task: TaskID) {
        guard ids?.contains(task) ?? true else { return }
        changed.remove(task)
        removed.insert(task)
        changesDidGrow()
    }

    /// Ends the watcher, as its client no longer waits for changes.
    func end() {
        onEnd?()
        onEnd = nil
        proceed()
    }

    private func fail(_ error: TransferInterfaceError) {
        reply.failure(error)
        end()
    }

    private func changesDidGrow() {
        guard changed.count + removed.count <= Self.greatestBacklog else {
            // The client may start again; the backlog must not grow without limit.
            let limit = Int64(Self.greatestBacklog)
            return fail(.limitExceeded(limit: "unread changes", maximum: limit))
        }
        schedule()
    }

    /// Sends the tasks in some states, or all.
    private func sendAll(
        in states: [Wire.TaskState]? = nil
    ) async throws(TransferInterfaceError) {
        guard let daemon else { return }
        if let ids { return try await send(ids.sorted()) }
        var next: Int64? = 0
        while let after = next, await isReady() {
            let list = Wire.ListTasks(states: states, after: after, limit: Daemon.maximumPageSize)
            let page = try await daemon.readPage(list)
            next = page.next?.rawValue
            if states == nil || !page.tasks.isEmpty {
                let tasks = daemon.presented(page.tasks)
                reply.stream(Wire.WatchTasks.Reply(tasks: tasks, removed: []))
            }
        }
    }

    private func schedule() {
        guard timer == nil, !isReading,
            hasStaleWaits || !(changed.isEmpty && removed.isEmpty)
        else { return }
        // `onWritable` calls this again.
        guard reply.isWritable else { return }
        timer = EventLoop.shared.schedule(after: Self.interval) { [weak self] in
            guard let self else { return }
            timer = nil
            isReading = true
            LoopActor.task {
                await self.sendChanges()
                self.isReading = false
                self.schedule()
            }
        }
    }

    private func sendChanges() async {
        let ids = changed.sorted()
        let gone = removed.sorted()
        let sendsWaits = hasStaleWaits
        changed = []
        removed = []
        hasStaleWaits = false
        do throws(TransferInterfaceError) {
            if !(ids.isEmpty && gone.isEmpty) { try await send(ids, removed: gone) }
            if sendsWaits { try await sendAll(in: [.waiting]) }
        } catch {
            fail(error)
        }
    }

    /// Sends the states of tasks, page by page as the client takes them; at least one page is sent.
    private func send(
        _ ids: [TaskID],
        removed gone: [TaskID] = []
    ) async throws(TransferInterfaceError) {
        var gone = gone
        var left = ids[...]
        repeat {
            guard let daemon, await isReady() else { return }
            var page = try await daemon.takeSnapshot(of: &left)
            page.removed += gone.map(\.rawValue)
            gone = []
            reply.stream(page)
        } while !left.isEmpty
    }

    /// Waits until the client has caught up; returns whether it is still connected.
    private func isReady() async -> Bool {
        while reply.isOpen, !reply.isWritable {
            await withCheckedContinuation { continuation in
                // The loop may have run in between, and the client may have caught up or left.
                if reply.isOpen, !reply.isWritable {
                    catchingUp = continuation
                } else {
                    continuation.resume()
                }
            }
        }
        return reply.isOpen
    }

    /// The client has caught up, or is gone.
    private func proceed() {
        let waiting = catchingUp
        catchingUp = nil
        waiting?.resume()
        schedule()
    }
}
