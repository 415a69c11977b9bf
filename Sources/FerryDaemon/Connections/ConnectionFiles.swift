import FerryHTTP
import FerrySystem
import FerryTransfer
import FerryWire

/// Reads the certificates and keys that sessions name.
///
/// They may lie on a disk that does not answer. So each session that has something to read has a thread of its own
/// meanwhile, and a transfer whose files do not come fails.
@LoopActor
final class ConnectionFiles {
    /// Called with what was read, or why there is nothing.
    typealias Completion = @LoopActor (Result<ConnectionSetup, TransferError>) -> Void

    private struct Reader {
        let queue: BlockingQueue
        var pendingCount = 0
    }

    /// Who waits for files, until they are there or have taken too long.
    @LoopActor
    private final class Waiter {
        private var completion: Completion?

        init(_ completion: @escaping Completion) { self.completion = completion }

        func finish(_ result: Result<ConnectionSetup, TransferError>) {
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
        var reader = readers[session] ?? Reader(queue: BlockingQueue(label: "ferry.trust"))
        reader.pendingCount += 1
        readers[session] = reader
        let waiter = Waiter(completion)
        let timer = EventLoop.shared.schedule(after: patience) {
            waiter.finish(.failure(Self.timeOut(of: connections)))
        }
        let queue = reader.queue
        LoopActor.task { [self, reading] in
            let result = await queue.run { reading(connections) }
            timer.cancel()
            finished(session)
            waiter.finish(result)
        }
    }

    private func finished(_ session: Int64) {
        readers[session]?.pendingCount -= 1
        if readers[session]?.pendingCount == 0 { readers[session] = nil }
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
