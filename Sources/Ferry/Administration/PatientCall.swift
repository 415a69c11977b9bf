import FerrySystem
import FerryWire

/// A call to the daemon that ends without an answer where the daemon is stopped.
///
/// A daemon that works may take its time: its disk may be full. Of one that was stopped, by SIGSTOP or a debugger, no
/// answer comes until somebody has it go on.
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

    /// Looks at the daemon after a while without an answer, and after ever longer ones.
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
