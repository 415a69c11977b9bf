import FoundationEssentials

/// The lines that are still to be written, as many as there is room for.
///
/// A reader of the log finds everything up to a gap, how much is missing in it, and what came
/// after: what is dropped is what comes while there is no room.
struct LogBacklog {
    /// What a line takes beside its message.
    private static let lineByteCount = 64
    private let maximumByteCount: Int
    private var lines: [LogLine] = []
    private var byteCount = 0
    private var droppedCount = 0
    private var firstDrop: Date?

    /// Creates a backlog without lines.
    ///
    /// - Parameter maximumByteCount: How many bytes the lines may take; one has room in any case.
    init(maximumByteCount: Int) {
        self.maximumByteCount = maximumByteCount
    }

    /// Adds a line, or counts it as dropped.
    ///
    /// - Returns: Whether there was none before, so that somebody has to be told to take them.
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

    /// Takes all lines out, with one in place of those that were dropped.
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
