import FerrySystem
import FerryWire
import Synchronization

/// The connection behind a ``TransferDaemon`` and its copies, opened on first use and again after it is lost.
final class AdministrationConnection: Sendable {
    private let startsIfNeeded: Bool
    private let starter: DaemonStarter
    /// Connecting may start a process, which blocks; one caller connects for all.
    private let queue = BlockingQueue(label: "ferry.administration")
    private let present = Mutex<VarlinkClient?>(nil)
    private let policy: WaitPolicy
    /// Whether the program has been told that the daemon does not answer.
    private let hasReported = Mutex(false)
    /// Where the daemon is found.
    var locations: SocketLocations { starter.locations }

    /// Creates a connection.
    ///
    /// - Parameters:
    ///   - startsIfNeeded: Whether the daemon is started if it is not running.
    ///   - starter: The starter that connects.
    ///   - policy: What happens while a call has no answer.
    init(
        startsIfNeeded: Bool,
        starter: DaemonStarter = DaemonStarter(),
        policy: WaitPolicy = WaitPolicy()
    ) {
        self.startsIfNeeded = startsIfNeeded
        self.starter = starter
        self.policy = policy
    }

    /// How often a call is repeated whose daemon dies before it has answered: one that it makes die is given up.
    private static let greatestRepetitionCount = 4

    /// Calls a method, starting the daemon if that is wanted.
    ///
    /// The call is repeated if the daemon dies before it has answered: carrying it out twice has to have the same effect as
    /// carrying it out once.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - isDone: Whether a refusal of a repeated call means that a daemon that died had carried it out.
    /// - Returns: The answer; nil for such a refusal.
    /// - Throws: ``TransferDaemonError`` when the daemon cannot be reached or refuses.
    func call<Method: TransferMethod>(
        _ method: Method,
        isDone: @Sendable (TransferInterfaceError) -> Bool
    ) async throws(TransferDaemonError) -> Method.Reply? {
        var repetitions = 0
        while true {
            let client = try await client(starting: startsIfNeeded)
            switch try await answer(to: method, over: client) {
            case .success(let reply): return reply
            case .failure(.connectionClosed) where repetitions < Self.greatestRepetitionCount:
                repetitions += 1
                forget(client)
            case .failure(.refused(let refusal)) where repetitions > 0 && isDone(refusal):
                return nil
            case .failure(let error): throw TransferDaemonError(error)
            }
        }
    }

    /// Calls a method that a repeated call does not make fail, starting the daemon if that is wanted.
    func call<Method: TransferMethod>(
        _ method: Method
    ) async throws(TransferDaemonError) -> Method.Reply {
        guard let reply = try await call(method, isDone: { _ in false }) else {
            throw TransferDaemonError(.unexpectedReply, message: "\(Method.name) was not answered")
        }
        return reply
    }

    /// The outcome of a call to a daemon that is not started for it.
    enum Outcome<Reply: Sendable>: Sendable {
        /// It has answered.
        case answered(Reply)
        /// It has ended before it answered, and no other one runs.
        case ended
        /// It was not running.
        case notRunning
    }

    /// Calls a method if the daemon is running; if it dies before it has answered, the next one is called.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - limit: How long the daemon has for its answer; nil for as long as it takes.
    /// - Returns: The outcome.
    /// - Throws: ``TransferDaemonError/Code/disconnected`` if it has not answered in time.
    func callIfRunning<Method: TransferMethod>(
        _ method: Method,
        limit: Duration? = nil
    ) async throws(TransferDaemonError) -> Outcome<Method.Reply> {
        var repetitions = 0
        do throws(TransferDaemonError) {
            while true {
                let client = try await client(starting: false)
                switch try await answer(to: method, over: client, limit: limit) {
                case .success(let reply): return .answered(reply)
                case .failure(.connectionClosed) where repetitions < Self.greatestRepetitionCount:
                    repetitions += 1
                    forget(client)
                case .failure(let error): throw TransferDaemonError(error)
                }
            }
        } catch let error where error.code == .notRunning {
            return repetitions == 0 ? .notRunning : .ended
        }
    }

    /// Creates a separate client for a stream.
    func makeClient(
        onClose: @escaping @LoopActor @Sendable (CallError) -> Void
    ) async throws(TransferDaemonError) -> VarlinkClient {
        try await unlessCancelled { [self] () async throws(TransferDaemonError) in
            do throws(DaemonError) {
                return try await queue.run { [self] () throws(DaemonError) in
                    VarlinkClient(try starter.connect(starting: startsIfNeeded), onClose: onClose)
                }
            } catch {
                throw TransferDaemonError(error)
            }
        }
    }

    /// Waits for a call, or for the cancellation of the surrounding Swift task, after which the call goes on.
    private func unlessCancelled<Reply: Sendable>(
        _ call: @escaping @Sendable () async throws(TransferDaemonError) -> Reply
    ) async throws(TransferDaemonError) -> Reply {
        let cancellation = TransferDaemonError(
            .cancelled,
            message: "the Swift task that waited for ferryd was cancelled"
        )
        return try await valueUnlessCancelled(orElse: .failure(cancellation)) { finish in
            Task {
                let result: Result<Reply, TransferDaemonError>
                do throws(TransferDaemonError) {
                    result = .success(try await call())
                } catch {
                    result = .failure(error)
                }
                finish(result)
            }
        }.get()
    }

    private func answer<Method: TransferMethod>(
        to method: Method,
        over client: VarlinkClient,
        limit: Duration? = nil
    ) async throws(TransferDaemonError) -> Result<Method.Reply, CallError> {
        try await unlessCancelled { [self] () async throws(TransferDaemonError) in
            try await patiently(limit: limit) { call in
                client.call(method) { result in call.finish(.success(result)) }
            }
        }
    }

    /// Forgets a client whose connection is closed, before that is noticed elsewhere.
    private func forget(_ client: VarlinkClient) {
        present.withLock { if $0 === client { $0 = nil } }
    }

    /// Waits until the daemon's process has ended and has released its queue.
    ///
    /// - Parameter end: The end of that process.
    /// - Throws: ``TransferDaemonError/Code/disconnected`` if it is stopped meanwhile.
    func wait(for end: ProcessEnd) async throws(TransferDaemonError) {
        try await unlessCancelled { [self] () async throws(TransferDaemonError) in
            try await patiently(for: "ended") { (call: PatientCall<Void>) in
                do throws(SystemCallError) {
                    try end.whenReached { call.finish(.success(())) }
                } catch {
                    // The end cannot be watched; the daemon has answered that it is stopping.
                    call.finish(.success(()))
                }
            }
        }
    }

    private func patiently<Reply: Sendable>(
        for event: String = "answered",
        limit: Duration? = nil,
        _ begin: @escaping @LoopActor @Sendable (PatientCall<Reply>) -> Void
    ) async throws(TransferDaemonError) -> Reply {
        let policy = waitReportingOnce(limit: limit)
        let locations = locations
        return try await withCheckedContinuation { continuation in
            LoopActor.perform {
                let call = PatientCall<Reply>(to: locations, for: event) {
                    continuation.resume(returning: $0)
                }
                begin(call)
                call.wait(policy)
            }
        }.get()
    }

    /// Returns what happens while a call has no answer.
    ///
    /// The program is told once: many calls may wait for the same daemon.
    private func waitReportingOnce(limit: Duration?) -> WaitPolicy {
        var policy = policy
        policy.limit = limit
        guard let report = policy.report else { return policy }
        policy.report = { message in
            let isFirst = self.hasReported.withLock { hasReported in
                defer { hasReported = true }
                return !hasReported
            }
            if isFirst { report(message) }
        }
        return policy
    }

    private func client(starting: Bool) async throws(TransferDaemonError) -> VarlinkClient {
        if let client = present.withLock({ $0 }) { return client }
        return try await unlessCancelled { [self] () async throws(TransferDaemonError) in
            do throws(DaemonError) {
                return try await queue.run { () throws(DaemonError) in
                    try self.connect(starting: starting)
                }
            } catch {
                throw TransferDaemonError(error)
            }
        }
    }

    private func connect(starting: Bool) throws(DaemonError) -> VarlinkClient {
        if let client = present.withLock({ $0 }) { return client }
        let client = VarlinkClient(try starter.connect(starting: starting)) { [weak self] _ in
            self?.present.withLock { $0 = nil }
        }
        present.withLock { $0 = client }
        return client
    }
}

/// What happens while a call has no answer.
struct WaitPolicy: Sendable {
    /// The time after which it is checked whether the daemon is stopped, and after that at doubled intervals.
    var untilCheck = Duration.seconds(3)
    /// The time after which the program is told.
    var untilReport = Duration.seconds(5)
    /// The time after which the call fails; nil for never.
    var limit: Duration?
    /// Tells the program, in words for people; nil for not at all.
    var report: (@Sendable (String) -> Void)?
}

/// A call to the daemon, or the wait for its end, which fails if the daemon is stopped.
///
/// A working daemon may be slow, for example because its disk is full. A daemon that was stopped, by SIGSTOP or a
/// debugger, does not answer until it is continued.
@LoopActor
final class PatientCall<Reply: Sendable> {
    private let locations: SocketLocations
    private let event: String
    private let completion: @LoopActor (Result<Reply, TransferDaemonError>) -> Void
    private var timers: [LoopTimer] = []
    private var hasEnded = false

    /// Creates a call.
    ///
    /// - Parameters:
    ///   - locations: Where the daemon is found.
    ///   - event: What the daemon has not done while the call waits, for the messages.
    ///   - completion: Called once, with the result.
    init(
        to locations: SocketLocations,
        for event: String = "answered",
        completion: @escaping @LoopActor (Result<Reply, TransferDaemonError>) -> Void
    ) {
        self.locations = locations
        self.event = event
        self.completion = completion
    }

    /// Waits for the answer.
    ///
    /// - Parameter policy: What happens until it is there.
    func wait(_ policy: WaitPolicy) {
        guard !hasEnded else { return }
        check(after: policy.untilCheck)
        if let report = policy.report {
            after(policy.untilReport) { [self] in
                report("\(silence(of: policy.untilReport)); still waiting")
            }
        }
        if let limit = policy.limit {
            after(limit) { [self] in
                let hint = locations.daemon.map { "; 'kill -9 \($0)' ends it" } ?? ""
                let message = silence(of: limit) + hint
                finish(.failure(TransferDaemonError(.disconnected, message: message)))
            }
        }
    }

    /// Checks whether the daemon is stopped, after some time and then at doubled intervals.
    private func check(after duration: Duration) {
        after(duration) { [self] in
            guard let daemon = locations.daemon, ProcessCondition.isStopped(daemon) else {
                return check(after: duration * 2)
            }
            let message =
                "ferryd, process \(daemon), is stopped and does not answer; 'kill -CONT \(daemon)' continues it"
            finish(.failure(TransferDaemonError(.disconnected, message: message)))
        }
    }

    private func silence(of duration: Duration) -> String {
        let process = locations.daemon.map { ", process \($0)," } ?? ""
        return "ferryd\(process) has not \(event) for \(duration.components.seconds) seconds"
    }

    private func after(_ duration: Duration, _ action: @escaping @LoopActor () -> Void) {
        timers.append(EventLoop.shared.schedule(after: duration, handler: action))
    }

    /// Ends the wait, by the answer or without one.
    func finish(_ result: Result<Reply, TransferDaemonError>) {
        guard !hasEnded else { return }
        hasEnded = true
        for timer in timers { timer.cancel() }
        timers = []
        completion(result)
    }
}
