import FerryWire

/// Where the lines of the log go.
protocol LogDestination: Sendable {
    /// What a client is told of it.
    var description: Wire.Log { get }

    /// Writes a line; called from one thread at a time, and may block.
    func write(_ line: LogLine)
}
