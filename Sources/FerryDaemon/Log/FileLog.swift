import FerrySystem
import FerryWire
import Glibc

/// A log file that is rotated: `ferryd.log`, `ferryd.log.1`, … with the youngest first.
final class FileLog: LogDestination {
    private static let name = "ferryd.log"
    private static let keptCount = 3
    private let directory: Directory
    private let maximumByteCount: Int64

    /// What a client is told of it.
    var description: Wire.Log {
        Wire.Log(kind: .file, path: directory.path(of: Self.name))
    }

    /// Creates a log in a directory.
    ///
    /// - Parameters:
    ///   - directory: Where the files lie.
    ///   - maximumByteCount: How large a file may grow before the next one is begun.
    init(directory: Directory, maximumByteCount: Int64 = 1 << 20) {
        self.directory = directory
        self.maximumByteCount = maximumByteCount
    }

    /// Writes a line.
    ///
    /// A log that cannot be written must not stop transfers: the line is lost.
    func write(_ line: LogLine) {
        let bytes = Array(line.text.utf8)
        do {
            let file = try directory.open(Self.name, .append)
            if try file.status().size + Int64(bytes.count) > maximumByteCount {
                try rotate()
                try bytes.withUnsafeBytes { try directory.open(Self.name, .append).writeAll($0) }
            } else {
                try bytes.withUnsafeBytes { try file.writeAll($0) }
            }
        } catch {
            return
        }
    }

    private func rotate() throws(SystemCallError) {
        let names = [Self.name] + (1...Self.keptCount).map { "\(Self.name).\($0)" }
        for (older, newer) in zip(names.dropFirst(), names).reversed()
        where try directory.status(of: newer) != nil {
            try directory.rename(newer, to: directory, as: older, replacing: true)
        }
    }
}
