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
    private let patience: Duration
    /// Where the daemon is found.
    var locations: SocketLocations { starter.locations }

    /// Creates a connection.
    ///
    /// - Parameters:
    ///   - startsIfNeeded: Whether the daemon is started if it is not running.
    ///   - starter: The starter that connects.
    ///   - patience: How long a call waits for an answer before it checks whether the daemon is stopped.
    init(
        startsIfNeeded: Bool,
        starter: DaemonStarter = DaemonStarter(),
        patience: Duration = .seconds(3)
    ) {
        self.startsIfNeeded = startsIfNeeded
        self.starter = starter
        self.patience = patience
    }

    /// Calls a method, starting the daemon if that is wanted.
    func call<Method: TransferMethod>(
        _ method: Method
    ) async throws(TransferDaemonError) -> Method.Reply {
        try await call(method, over: try await client(starting: startsIfNeeded))
    }

    /// Calls a method if the daemon is running.
    ///
    /// - Returns: nil if it is not.
    func callIfRunning<Method: TransferMethod>(
        _ method: Method
    ) async throws(TransferDaemonError) -> Method.Reply? {
        do throws(TransferDaemonError) {
            return try await call(method, over: try await client(starting: false))
        } catch let error where error.code == .notRunning {
            return nil
        }
    }

    /// Creates a separate client for a stream.
    func makeClient(
        onClose: @escaping @LoopActor @Sendable (CallError) -> Void
    ) async throws(TransferDaemonError) -> VarlinkClient {
        let starter = starter
        let starting = startsIfNeeded
        do throws(DaemonError) {
            return try await queue.run { () throws(DaemonError) in
                VarlinkClient(try starter.connect(starting: starting), onClose: onClose)
            }
        } catch {
            throw TransferDaemonError(error)
        }
    }

    private func call<Method: TransferMethod>(
        _ method: Method,
        over client: VarlinkClient
    ) async throws(TransferDaemonError) -> Method.Reply {
        let patience = patience
        let locations = locations
        return try await withCheckedContinuation { continuation in
            LoopActor.perform {
                let call = PatientCall<Method.Reply>(to: locations) {
                    continuation.resume(returning: $0)
                }
                client.call(method) { result in
                    call.finish(result.mapError { TransferDaemonError($0) })
                }
                call.wait(patience)
            }
        }.get()
    }

    private func client(starting: Bool) async throws(TransferDaemonError) -> VarlinkClient {
        if let client = present.withLock({ $0 }) { return client }
        do throws(DaemonError) {
            return try await queue.run { () throws(DaemonError) in
                try self.connect(starting: starting)
            }
        } catch {
            throw TransferDaemonError(error)
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

/// A call to the daemon that fails if the daemon is stopped.
///
/// A working daemon may be slow, for example because its disk is full. A daemon that was stopped, by SIGSTOP or a
/// debugger, does not answer until it is continued.
@LoopActor
final class PatientCall<Reply: Sendable> {
    private let locations: SocketLocations
    private let completion: @LoopActor (Result<Reply, TransferDaemonError>) -> Void
    private var timer: LoopTimer?
    private var hasEnded = false

    init(
        to locations: SocketLocations,
        completion: @escaping @LoopActor (Result<Reply, TransferDaemonError>) -> Void
    ) {
        self.locations = locations
        self.completion = completion
    }

    /// Checks whether the daemon is stopped, after `patience` without an answer and then at doubled intervals.
    func wait(_ patience: Duration) {
        guard !hasEnded else { return }
        timer = EventLoop.shared.schedule(after: patience) { [self] in
            guard let daemon = locations.daemon, ProcessCondition.isStopped(daemon) else {
                return wait(patience * 2)
            }
            let message =
                "ferryd, process \(daemon), is stopped and does not answer; 'kill -CONT \(daemon)' has it go on"
            finish(.failure(TransferDaemonError(.disconnected, message: message)))
        }
    }

    func finish(_ result: Result<Reply, TransferDaemonError>) {
        guard !hasEnded else { return }
        hasEnded = true
        timer?.cancel()
        timer = nil
        completion(result)
    }
}
