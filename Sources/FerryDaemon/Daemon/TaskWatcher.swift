import FerryStore
import FerrySystem
import FerryWire

/// Tells a client how tasks change, at most ten times a second.
@LoopActor
final class TaskWatcher {
    private static let interval = Duration.milliseconds(100)
    private let ids: Set<Int64>?
    private let reply: Reply<Wire.WatchTasks>
    private weak var daemon: Daemon?
    private var changed: Set<Int64> = []
    private var removed: Set<Int64> = []
    private var timer: LoopTimer?
    private var isReading = true

    init(ids: [Int64]?, reply: Reply<Wire.WatchTasks>, daemon: Daemon) {
        self.ids = ids.map(Set.init)
        self.reply = reply
        self.daemon = daemon
    }

    /// Tells how tasks stand, then, to a client that wants more, how they change.
    func start(onEnd: @escaping @LoopActor () -> Void) {
        reply.onWritable = { [weak self] in self?.schedule() }
        LoopActor.task { [self] in
            do throws(TransferInterfaceError) {
                try await sendAll()
            } catch {
                reply.failure(error)
            }
            isReading = false
            if reply.isStream, reply.isOpen { schedule() } else { onEnd() }
        }
    }

    /// A task has changed.
    func changed(_ task: Int64) {
        guard ids?.contains(task) ?? true else { return }
        changed.insert(task)
        schedule()
    }

    /// A task is gone.
    func removed(_ task: Int64) {
        guard ids?.contains(task) ?? true else { return }
        changed.remove(task)
        removed.insert(task)
        schedule()
    }

    private func sendAll() async throws(TransferInterfaceError) {
        guard let daemon else { return }
        if let ids {
            let snapshot = try await snapshot(of: ids.sorted())
            reply.stream(Wire.WatchTasks.Reply(tasks: snapshot.tasks, removed: snapshot.missing))
            return
        }
        var next: Int64? = 0
        while let after = next {
            let page = try await daemon.listTasks(
                Wire.ListTasks(after: after, limit: reply.isStream ? 200 : Daemon.maximumPageSize)
            )
            reply.stream(Wire.WatchTasks.Reply(tasks: page.tasks, removed: []))
            next = reply.isOpen ? page.next : nil
        }
    }

    private func schedule() {
        guard timer == nil, !isReading, !(changed.isEmpty && removed.isEmpty) else { return }
        // Its writability calls again.
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
        let ids = Array(changed.sorted().prefix(200))
        changed.subtract(ids)
        var gone = removed.sorted()
        removed = []
        do throws(TransferInterfaceError) {
            let snapshot = try await snapshot(of: ids)
            gone += snapshot.missing
            reply.stream(
                Wire.WatchTasks.Reply(tasks: snapshot.tasks, removed: gone)
            )
        } catch {
            reply.failure(error)
        }
    }

    private func snapshot(
        of ids: [Int64]
    ) async throws(TransferInterfaceError) -> (tasks: [Wire.Task], missing: [Int64]) {
        var tasks: [Wire.Task] = []
        var missing: [Int64] = []
        for id in ids {
            do throws(TransferInterfaceError) {
                if let task = try await daemon?.task(id) { tasks.append(task) }
            } catch .taskNotFound {
                missing.append(id)
            }
        }
        return (tasks, missing)
    }
}
