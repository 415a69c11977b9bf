import FerryHTTP
import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials

/// Reads the certificates and keys that sessions name.
///
/// The files may be on a disk that does not respond. Each session with files to read therefore has its own thread
/// meanwhile, and a transfer fails if its files take too long. Transfers that start while the same files are being read
/// share the result: they start together, and the files are read once. The result also serves, for a second, the
/// tasks that were created before it was read: a long queue would read the same files hundreds of times a second. Who
/// changes a file and then creates a task gets the file as it is now.
@LoopActor
final class ConnectionFiles {
    /// Called with the contents, or with the reason why they cannot be read.
    typealias Completion = @LoopActor (Result<ConnectionSetup, TransferError>) -> Void

    private struct Reader {
        let queue = BlockingQueue(label: "ferry.trust")
        /// The waiting transfers, by the connections whose files are being read.
        var waiters: [Wire.Connections: [Waiter]] = [:]
        /// The last result, until its time is over.
        var last: Last?
    }

    private struct Last {
        let connections: Wire.Connections
        let setup: ConnectionSetup
        /// The time when the files began to be read.
        let begin: Date
        /// The timer that forgets the result.
        let timer: LoopTimer
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
    static let timeout = Duration.seconds(30)
    /// The time for which a result serves tasks that were created before.
    static let lifetime = Duration.seconds(1)

    /// A function that reads the files of connections; it may block.
    typealias Reading =
        @Sendable (Wire.Connections) -> Result<ConnectionSetup, TransferError>

    private let timeout: Duration
    private let lifetime: Duration
    private let reading: Reading
    private var readers: [SessionID: Reader] = [:]

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - timeout: The time that a transfer waits.
    ///   - lifetime: The time for which a result serves tasks that were created before.
    ///   - reading: The function that reads.
    init(
        timeout: Duration = ConnectionFiles.timeout,
        lifetime: Duration = ConnectionFiles.lifetime,
        reading: @escaping Reading = { ConnectionSetup.reading($0) }
    ) {
        self.timeout = timeout
        self.lifetime = lifetime
        self.reading = reading
    }

    /// Reads the files that the connections of a task need.
    ///
    /// - Parameters:
    ///   - connections: The settings of the connections.
    ///   - session: The task's session.
    ///   - createdAt: The time when the task was created.
    ///   - now: The current time.
    ///   - completion: Called once; during this call if there is nothing to read.
    func read(
        _ connections: Wire.Connections,
        ofSession session: SessionID,
        createdAt: Date,
        at now: Date,
        then completion: @escaping Completion
    ) {
        guard connections.namesFiles else {
            return completion(.success(ConnectionSetup(plain: connections)))
        }
        var reader = readers[session] ?? Reader()
        if let last = reader.last, last.connections == connections, createdAt < last.begin {
            return completion(.success(last.setup))
        }
        let waiter = Waiter(completion)
        waiter.timer = EventLoop.shared.schedule(after: timeout) {
            waiter.finish(.failure(Self.timeOut(of: connections)))
        }
        let isBeingRead = reader.waiters[connections] != nil
        reader.waiters[connections, default: []].append(waiter)
        readers[session] = reader
        guard !isBeingRead else { return }
        let queue = reader.queue
        LoopActor.task { [self, reading] in
            let result = await queue.run { reading(connections) }
            for waiter in finished(connections, session, result, begin: now) {
                waiter.finish(result)
            }
        }
    }

    /// Records that files were read.
    ///
    /// - Returns: The transfers that wait for them.
    private func finished(
        _ connections: Wire.Connections,
        _ session: SessionID,
        _ result: Result<ConnectionSetup, TransferError>,
        begin: Date
    ) -> [Waiter] {
        let waiters = readers[session]?.waiters.removeValue(forKey: connections) ?? []
        keep(
            (try? result.get()).map { setup in
                Last(
                    connections: connections,
                    setup: setup,
                    begin: begin,
                    timer: EventLoop.shared.schedule(after: lifetime) { [weak self] in
                        self?.keep(nil, ofSession: session)
                    }
                )
            },
            ofSession: session
        )
        return waiters
    }

    /// Replaces what was read last; forgets the reader if there is nothing and no transfer waits.
    private func keep(_ last: Last?, ofSession session: SessionID) {
        readers[session]?.last?.timer.cancel()
        readers[session]?.last = last
        if last == nil, readers[session]?.waiters.isEmpty == true { readers[session] = nil }
    }

    private static func timeOut(of connections: Wire.Connections) -> TransferError {
        let certificate = connections.clientCertificate
        let paths = [
            connections.authorityFile, connections.authorityDirectory, certificate?.certificate,
            certificate?.key,
        ]
        let names = paths.compactMap { $0 }.joined(separator: " and ")
        return TransferError(
            code: .timedOut,
            message: "\(names) cannot be read: the disk does not respond"
        )
    }
}
