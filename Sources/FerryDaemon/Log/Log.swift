import FerrySystem
import FerryWire
import FoundationEssentials
import Synchronization

/// The daemon's log: one line for each thing that happens, readable after the fact.
///
/// Lines carry no request's fields, bodies or queries: they may hold secrets.
final class Log: Sendable {
    /// Where lines go.
    let destination: any LogDestination
    private let threshold: LogLevel
    // A slow disk, or a pipe that nobody reads, must not hold up transfers.
    private let queue = BlockingQueue(label: "ferry.log")
    private let backlog: Mutex<LogBacklog>

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - destination: Where lines go.
    ///   - threshold: The least level that is written.
    ///   - maximumByteCount: How much is kept while nothing can be written; what comes then is
    ///     dropped, and a line says later how much that was.
    init(
        destination: any LogDestination,
        threshold: LogLevel = .info,
        maximumByteCount: Int = 1 << 18
    ) {
        self.destination = destination
        self.threshold = threshold
        backlog = Mutex(LogBacklog(maximumByteCount: maximumByteCount))
    }

    /// Writes a line.
    ///
    /// - Parameters:
    ///   - level: How much it matters.
    ///   - message: What has happened.
    ///   - task: The task it is about, by the daemon's number.
    func write(_ level: LogLevel, _ message: String, task: Int64? = nil) {
        guard level <= threshold else { return }
        let line = LogLine(date: Date(), level: level, task: task, message: message)
        guard backlog.withLock({ $0.add(line) }) else { return }
        queue.perform { [self] in
            for line in backlog.withLock({ $0.takeAll() }) { destination.write(line) }
        }
    }

    /// Waits until every line is written, but not longer than `duration`: a log that cannot be
    /// written must not hold up the daemon's end.
    ///
    /// - Returns: Whether everything is written.
    @LoopActor
    @discardableResult
    func flush(within duration: Duration = .seconds(1)) async -> Bool {
        await withCheckedContinuation { continuation in
            let timer = EventLoop.shared.schedule(after: duration) {
                continuation.resume(returning: false)
            }
            queue.perform {
                LoopActor.perform {
                    guard timer.isPending else { return }
                    timer.cancel()
                    continuation.resume(returning: true)
                }
            }
        }
    }
}

/// Where the lines of the log go.
protocol LogDestination: Sendable {
    /// What a client is told of it.
    var description: Wire.Log { get }

    /// Writes a line; called from one thread at a time, and may block.
    func write(_ line: LogLine)
}
