import FerryStore
import FerrySystem
import FerryWire

/// Tells a client how tasks change, at most ten times a second.
@LoopActor
final class TaskWatcher {
    private static let interval = Duration.milliseconds(100)
    /// How many changes wait for a client that does not read.
    private static let greatestBacklog = 100_000
    private let ids: Set<Int64>?
    private let reply: Reply<Wire.WatchTasks>
    private weak var daemon: Daemon?
    private var changed: Set<Int64> = []
    private var removed: Set<Int64> = []
    private var timer: LoopTimer?
    private var isReading = true
    /// Called once when nobody waits for changes any more.
    private var onEnd: (@LoopActor () -> Void)?
    /// Where the client's catching up is waited for.
    private var catchingUp: CheckedContinuation<Void, Never>?

    init(ids: [Int64]?, reply: Reply<Wire.WatchTasks>, daemon: Daemon) {
        self.ids = ids.map(Set.init)
        self.reply = reply
        self.daemon = daemon
    }

    /// Tells how tasks stand, then, to a client that wants more, how they change.
    func start(onEnd: @escaping @LoopActor () -> Void) {
        self.onEnd = onEnd
        reply.onWritable = { [weak self] in self?.goOn() }
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
    func changed(_ task: Int64) {
        guard ids?.contains(task) ?? true else { return }
        changed.insert(task)
        changesDidGrow()
    }

    /// A task is gone.
    func removed(_ task: Int64) {
        guard ids?.contains(task) ?? true else { return }
        changed.remove(task)
        removed.insert(task)
        changesDidGrow()
    }

    /// Nobody waits for changes any more.
    func end() {
        onEnd?()
        onEnd = nil
        goOn()
    }

    private func fail(_ error: TransferInterfaceError) {
        reply.failure(error)
        end()
    }

    private func changesDidGrow() {
        guard changed.count + removed.count <= Self.greatestBacklog else {
            // It may begin anew; to remember still more for it would be to remember without end.
            let limit = Int64(Self.greatestBacklog)
            return fail(.limitExceeded(limit: "unread changes", maximum: limit))
        }
        schedule()
    }

    private func sendAll() async throws(TransferInterfaceError) {
        guard let daemon else { return }
        if let ids { return try await send(ids.sorted()) }
        var next: Int64? = 0
        while let after = next, await isReady() {
            let page = try await daemon.listTasks(
                Wire.ListTasks(after: after, limit: Daemon.maximumPageSize)
            )
            reply.stream(Wire.WatchTasks.Reply(tasks: page.tasks, removed: []))
            next = page.next
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
        let ids = changed.sorted()
        let gone = removed.sorted()
        changed = []
        removed = []
        do throws(TransferInterfaceError) {
            try await send(ids, removed: gone)
        } catch {
            fail(error)
        }
    }

    /// Tells how tasks stand, page by page as the client takes them; one page is told in any case.
    private func send(
        _ ids: [Int64],
        removed gone: [Int64] = []
    ) async throws(TransferInterfaceError) {
        var gone = gone
        var left = ids[...]
        repeat {
            guard let daemon, await isReady() else { return }
            var page = try await daemon.takeSnapshot(of: &left)
            page.removed += gone
            gone = []
            reply.stream(page)
        } while !left.isEmpty
    }

    /// Waits until the client has caught up; returns whether it is still there.
    private func isReady() async -> Bool {
        while reply.isOpen, !reply.isWritable {
            await withCheckedContinuation { continuation in
                // The loop may have had a turn in between, in which the client has caught up or left.
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
    private func goOn() {
        let waiting = catchingUp
        catchingUp = nil
        waiting?.resume()
        schedule()
    }
}
