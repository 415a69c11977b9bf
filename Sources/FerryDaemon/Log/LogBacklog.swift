import FoundationEssentials

/// The lines that wait to be written, up to a maximum size.
///
/// Lines that arrive while there is no room are dropped. The log then contains everything before the gap, the number of
/// missing lines, and everything after it.
struct LogBacklog {
    /// The number of bytes that a line counts in addition to its message.
    private static let lineByteCount = 64
    private let maximumByteCount: Int
    private var lines: [LogLine] = []
    private var byteCount = 0
    private var droppedCount = 0
    private var firstDrop: Date?

    /// Creates a backlog without lines.
    ///
    /// - Parameter maximumByteCount: The maximum size of the lines in bytes; one line always has room.
    init(maximumByteCount: Int) {
        self.maximumByteCount = maximumByteCount
    }

    /// Adds a line, or counts it as dropped.
    ///
    /// - Returns: Whether there were no lines before, so that the caller has to start writing them.
    mutating func add(_ line: LogLine) -> Bool {
        let isFirst = lines.isEmpty
        let size = line.message.utf8.count + Self.lineByteCount
        guard isFirst || (droppedCount == 0 && byteCount + size <= maximumByteCount) else {
            droppedCount += 1
            firstDrop = firstDrop ?? line.date
            return false
        }
        lines.append(line)
        byteCount += size
        return isFirst
    }

    /// Removes and returns all lines, followed by one that replaces the dropped lines.
    mutating func takeAll() -> [LogLine] {
        defer { self = LogBacklog(maximumByteCount: maximumByteCount) }
        guard let firstDrop else { return lines }
        let note = LogLine(
            date: firstDrop,
            level: .warning,
            task: nil,
            message: "lines that are missing here: \(droppedCount); they came faster than the log "
                + "could be written"
        )
        return lines + [note]
    }
}
