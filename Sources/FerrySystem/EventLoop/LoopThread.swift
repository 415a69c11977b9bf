import CFerryLinux
import Glibc
import Synchronization

/// The thread that waits in epoll, and the executor of ``LoopActor``.
///
/// Three things wake it: a watched descriptor, the one timer descriptor, and the mailbox's eventfd. Without
/// them, it sleeps indefinitely.
final class LoopThread: SerialExecutor, Sendable {
    /// The thread, or the reason why there is none.
    static let made = Result { () throws(SystemCallError) in try LoopThread() }

    /// The thread.
    static let shared: LoopThread = {
        switch made {
        case .success(let thread):
            return thread
        case .failure(let error):
            // The library cannot work without it, and no caller can handle the error: this is the first use
            // from anywhere.
            MissingResource.endProcess("no event loop can be made", error)
        }
    }()

    private enum Item {
        case job(UnownedJob)
        case closure(@Sendable () -> Void)
    }

    private struct Mailbox {
        var items: [Item] = []
        var isWakePending = false
    }

    private let mailbox = Mutex(Mailbox())
    private let thread = Atomic<UInt>(0)
    let epoll: Int32
    /// The descriptor of all timers; made at once, because later no descriptor may be left.
    let timer: Int32
    private let wake: Int32

    private init() throws(SystemCallError) {
        let epoll = try systemCall("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) }
        let wake = try systemCall("eventfd") { eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)) }
        // ContinuousClock is CLOCK_BOOTTIME on Linux: both continue while the machine sleeps.
        let timer = try systemCall("timerfd_create") {
            timerfd_create(CLOCK_BOOTTIME, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
        }
        self.epoll = epoll
        self.wake = wake
        self.timer = timer
        for descriptor in [wake, timer] {
            let data = epoll_data(u64: Self.key(of: descriptor))
            var event = epoll_event(events: EPOLLIN.rawValue, data: data)
            try systemCall("epoll_ctl") { epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) }
        }
        try DetachedThread.start(name: "ferry.loop") { self.run() }
    }

    /// All 64 bits of the union are compared; keys of watches are above 32 bits.
    private static func key(of descriptor: Int32) -> UInt64 {
        UInt64(UInt32(bitPattern: descriptor))
    }

    /// Whether the caller is on the loop's thread.
    var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    func enqueue(_ job: consuming ExecutorJob) { append(.job(UnownedJob(job))) }

    func enqueue(_ work: @escaping @LoopActor @Sendable () -> Void) {
        // Only this thread calls it, which is what the cast asserts.
        append(.closure(unsafeBitCast(work, to: (@Sendable () -> Void).self)))
    }

    func isIsolatingCurrentContext() -> Bool? { isCurrent }

    func checkIsolated() { precondition(isCurrent, "not on the event loop's thread") }

    private func append(_ item: Item) {
        let needsWake = mailbox.withLock { mailbox in
            mailbox.items.append(item)
            // On its own thread, the loop checks the mailbox before it sleeps again.
            guard !mailbox.isWakePending, !isCurrent else { return false }
            mailbox.isWakePending = true
            return true
        }
        // A lost wake-up would never be repeated: no other caller writes while it is pending.
        while needsWake, eventfd_write(wake, 1) != 0, errno == EINTR {}
    }

    private func run() {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        var events = [epoll_event](repeating: epoll_event(), count: 128)
        while true {
            drainMailbox()
            let count = waitForEvents(&events)
            for index in 0..<count {
                let event = events[index]
                switch event.data.u64 {
                case Self.key(of: wake): acknowledgeWake()
                case Self.key(of: timer):
                    LoopActor.assumeIsolated { EventLoop.shared.timersAreDue() }
                default: LoopActor.assumeIsolated { EventLoop.shared.dispatch(event) }
                }
            }
        }
    }

    private func waitForEvents(_ events: inout [epoll_event]) -> Int {
        // Work that was put into the mailbox on this thread has not written to the eventfd.
        let isIdle = mailbox.withLock { $0.items.isEmpty }
        let count = epoll_wait(epoll, &events, Int32(events.count), isIdle ? -1 : 0)
        return max(0, Int(count))
    }

    private func acknowledgeWake() {
        var count: eventfd_t = 0
        eventfd_read(wake, &count)
        mailbox.withLock { $0.isWakePending = false }
    }

    private func drainMailbox() {
        // One pass only: work that adds work must not starve the descriptors.
        let items = mailbox.withLock { mailbox in
            defer { mailbox.items = [] }
            return mailbox.items
        }
        for item in items {
            switch item {
            case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
            case .closure(let work): work()
            }
        }
    }
}

/// A detached thread, which is never joined.
enum DetachedThread {
    private final class Start {
        let name: String
        let body: () -> Void

        init(name: String, body: @escaping () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Starts a thread with all signals blocked: they belong to the app's own threads, or to a
    /// signal source.
    ///
    /// - Throws: `pthread_create`.
    static func start(
        name: String,
        _ body: @escaping @Sendable () -> Void
    ) throws(SystemCallError) {
        var identifier = pthread_t()
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var all = sigset_t()
        var previous = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &previous)
        // The new thread takes the reference over.
        let context = Unmanaged.passRetained(Start(name: name, body: body)).toOpaque()
        let code = pthread_create(
            &identifier,
            &attributes,
            { context in
                if let context {
                    let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
                    CFerryLinux_setThreadName(start.name)
                    start.body()
                }
                return nil
            },
            context
        )
        pthread_sigmask(SIG_SETMASK, &previous, nil)
        pthread_attr_destroy(&attributes)
        guard code == 0 else {
            Unmanaged<Start>.fromOpaque(context).release()
            throw SystemCallError(call: "pthread_create", errno: code, subject: name)
        }
    }
}
