import FerryStore
import FerrySystem
import FerryWire
import FoundationEssentials
import Synchronization

/// The daemon's log: one line for each event, to be read afterwards.
///
/// Lines never contain header fields, bodies or queries of requests, which may hold secrets.
final class Log: Sendable {
    /// The destination of the lines.
    let destination: any LogDestination
    private let threshold: Atomic<Int>
    // A slow disk, or a pipe that no process reads, must not delay transfers.
    private let queue = BlockingQueue(label: "ferry.log")
    private let backlog: Mutex<LogBacklog>

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - destination: The destination of the lines.
    ///   - threshold: The least severe level that is written.
    ///   - maximumByteCount: The number of bytes kept while the log cannot be written. Later lines are dropped, and a
    ///     line then reports how many.
    init(
        destination: any LogDestination,
        threshold: LogLevel = .info,
        maximumByteCount: Int = 1 << 18
    ) {
        self.destination = destination
        self.threshold = Atomic(threshold.rawValue)
        backlog = Mutex(LogBacklog(maximumByteCount: maximumByteCount))
    }

    /// Changes the least severe level that is written.
    func setThreshold(_ level: LogLevel) { threshold.store(level.rawValue, ordering: .relaxed) }

    /// Writes a line.
    ///
    /// - Parameters:
    ///   - level: The line's severity.
    ///   - message: What has happened.
    ///   - task: The daemon's number of the task that the line is about.
    func write(_ level: LogLevel, _ message: String, task: TaskID? = nil) {
        guard level.rawValue <= threshold.load(ordering: .relaxed) else { return }
        let line = LogLine(date: Date(), level: level, task: task, message: message)
        guard backlog.withLock({ $0.add(line) }) else { return }
        queue.perform { [self] in
            for line in backlog.withLock({ $0.takeAll() }) { destination.write(line) }
        }
    }

    /// Waits until every line is written, for at most `duration`: a log that cannot be written must not delay the
    /// daemon's end.
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

/// A destination for the lines of the log.
protocol LogDestination: Sendable {
    /// The log's description for clients.
    var description: Wire.Log { get }

    /// Writes a line; called from one thread at a time, and may block.
    func write(_ line: LogLine)
}

/// The severity of a log line, with the numbers of RFC 5424.
enum LogLevel: Int, Comparable, Sendable, CaseIterable {
    /// A failure that will not resolve by itself.
    case error = 3
    /// Something is wrong, but the daemon continues.
    case warning = 4
    /// Something that helps a person find a cause.
    case notice = 5
    /// Normal operation.
    case info = 6
    /// Every step.
    case debug = 7

    /// The level's name.
    var name: String {
        switch self {
        case .error: "error"
        case .warning: "warning"
        case .notice: "notice"
        case .info: "info"
        case .debug: "debug"
        }
    }

    /// The level with a name, or `nil`.
    init?(name: String) {
        guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = level
    }

    /// Returns whether the left level is more severe.
    static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}
