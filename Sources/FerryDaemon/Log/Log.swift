import FerrySystem
import FoundationEssentials

/// The daemon's log: one line for each thing that happens, readable after the fact.
///
/// Lines carry no request's fields, bodies or queries: they may hold secrets.
final class Log: Sendable {
    /// Where lines go.
    let destination: any LogDestination
    private let threshold: LogLevel
    // A slow disk must not hold up transfers.
    private let queue = BlockingQueue(label: "ferry.log")

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - destination: Where lines go.
    ///   - threshold: The least level that is written.
    init(destination: any LogDestination, threshold: LogLevel = .info) {
        self.destination = destination
        self.threshold = threshold
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
        let destination = destination
        queue.perform { destination.write(line) }
    }

    /// Waits until every line is written.
    @LoopActor
    func flush() async { await queue.run {} }
}
