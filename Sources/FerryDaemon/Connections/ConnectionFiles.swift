import FerryHTTP
import FerrySystem
import FerryTransfer
import FerryWire

/// Reads the certificates and keys that sessions name.
///
/// The files may be on a disk that does not respond. Each session with files to read therefore has its own thread
/// meanwhile, and a transfer fails if its files take too long. Transfers that start while the same files are being read
/// share the result: they start together, and the files are read once.
@LoopActor
final class ConnectionFiles {
    /// Called with the contents, or with the reason why they cannot be read.
    typealias Completion = @LoopActor (Result<ConnectionSetup, TransferError>) -> Void

    private struct Reader {
        let queue: BlockingQueue
        /// The waiting transfers, by the connections whose files are being read.
        var waiters: [Wire.Connections: [Waiter]] = [:]
    }

    /// A transfer that waits until its files are read or have taken too long.
    @LoopActor
    private final class Waiter {
        /// The timer that ends the wait.
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

    /// The time that a transfer waits for its files.
    static let patience = Duration.seconds(30)

    /// A function that reads the files of connections; it may block.
    typealias Reading =
        @Sendable (Wire.Connections) -> Result<ConnectionSetup, TransferError>

    private let patience: Duration
    private let reading: Reading
    private var readers: [Int64: Reader] = [:]

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - patience: The time that a transfer waits.
    ///   - reading: The function that reads.
    init(
        patience: Duration = ConnectionFiles.patience,
        reading: @escaping Reading = { ConnectionSetup.reading($0) }
    ) {
        self.patience = patience
        self.reading = reading
    }

    /// Reads the files that the connections of a session need.
    ///
    /// - Parameters:
    ///   - connections: The settings of the connections.
    ///   - session: The session.
    ///   - completion: Called once; during this call if there is nothing to read.
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

    /// Records that files were read.
    ///
    /// - Returns: The transfers that wait for them.
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
