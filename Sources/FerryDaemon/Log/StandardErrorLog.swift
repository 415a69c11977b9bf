import FerryWire
import Glibc

/// The log of a daemon in the foreground.
struct StandardErrorLog: LogDestination {
    /// What a client is told of it.
    var description: Wire.Log { Wire.Log(kind: .stderr) }

    /// Creates the destination.
    init() {}

    /// Writes a line.
    func write(_ line: LogLine) {
        let bytes = Array(line.text.utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
