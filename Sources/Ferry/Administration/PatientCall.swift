import FerrySystem
import FerryWire

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
