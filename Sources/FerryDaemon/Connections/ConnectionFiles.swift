import FerryHTTP
import FerrySystem
import FerryTransfer
import FerryWire

/// Reads the certificates and keys that sessions name.
///
/// They may lie on a disk that does not answer. So each session that has something to read has a thread of its own
/// meanwhile, and a transfer whose files do not come fails. Transfers that start while the same files are being read
/// get what that brings: they start together, and the files are read once for all of them.
@LoopActor
final class ConnectionFiles {
    /// Called with what was read, or why there is nothing.
    typealias Completion = @LoopActor (Result<ConnectionSetup, TransferError>) -> Void

    private struct Reader {
        let queue: BlockingQueue
        /// The transfers that wait for what is being read, by what that is.
        var waiters: [Wire.Connections: [Waiter]] = [:]
    }

    /// A transfer that waits for files, until they are there or have taken too long.
    @LoopActor
    private final class Waiter {
        /// What ends the waiting.
        var timer: LoopTimer?
        private var completion: Completion?

        init(_ completion: @escaping Completion) { self.completion = completion }

        func finish(_ result: Result<ConnectionSetup, TransferError>) {
            timer?.cancel()
            timer = nil
            let completion = completion
            self.completion = nil
            completion?(result)
        }
    }

    /// How long the files of a transfer are waited for.
    static let patience = Duration.seconds(30)

    /// Reads what connections need; it may block.
    typealias Reading =
        @Sendable (Wire.Connections) -> Result<ConnectionSetup, TransferError>

    private let patience: Duration
    private let reading: Reading
    private var readers: [Int64: Reader] = [:]

    /// Makes a reader.
    ///
    /// - Parameters:
    ///   - patience: How long a transfer waits.
    ///   - reading: What reads.
    init(
        patience: Duration = ConnectionFiles.patience,
        reading: @escaping Reading = { ConnectionSetup.reading($0) }
    ) {
        self.patience = patience
        self.reading = reading
    }

    /// Reads what the connections of a session need.
    ///
    /// - Parameters:
    ///   - connections: How they are made.
    ///   - session: The session.
    ///   - completion: Called once; where there is nothing to read, from inside this call.
    func read(
        _ connections: Wire.Connections,
        ofSession session: Int64,
        then completion: @escaping Completion
    ) {
        guard connections.namesFiles else {
            return completion(.success(ConnectionSetup(proxies: connections.proxies)))
        }
        let waiter = Waiter(completion)
        waiter.timer = EventLoop.shared.schedule(after: patience) {
            waiter.finish(.failure(Self.timeOut(of: connections)))
        }
        var reader = readers[session] ?? Reader(queue: BlockingQueue(label: "ferry.trust"))
        let isBeingRead = reader.waiters[connections] != nil
        reader.waiters[connections, default: []].append(waiter)
        readers[session] = reader
        guard !isBeingRead else { return }
        let queue = reader.queue
        LoopActor.task { [self, reading] in
            let result = await queue.run { reading(connections) }
            for waiter in finished(connections, session) { waiter.finish(result) }
        }
    }

    /// Something was read.
    ///
    /// - Returns: The transfers that wait for it.
    private func finished(_ connections: Wire.Connections, _ session: Int64) -> [Waiter] {
        let waiters = readers[session]?.waiters.removeValue(forKey: connections) ?? []
        if readers[session]?.waiters.isEmpty == true { readers[session] = nil }
        return waiters
    }

    private static func timeOut(of connections: Wire.Connections) -> TransferError {
        let certificate = connections.clientCertificate
        let paths = [
            connections.authorityFile, connections.authorityDirectory, certificate?.certificate,
            certificate?.key,
        ]
        let names = paths.compactMap { $0 }.joined(separator: " and ")
        return TransferError(code: .timedOut, message: "\(names) cannot be read: it does not come")
    }
}
