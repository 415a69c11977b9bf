import FerrySystem
import FerryWire
import Glibc

/// A log file that is rotated: `ferryd.log`, `ferryd.log.1`, …, newest first.
final class FileLog: LogDestination {
    private static let name = "ferryd.log"
    private static let keptCount = 3
    private let directory: Directory
    private let maximumByteCount: Int64

    /// The log's description for clients.
    var description: Wire.Log {
        Wire.Log(kind: .file, path: directory.path(of: Self.name))
    }

    /// Creates a log in a directory.
    ///
    /// - Parameters:
    ///   - directory: The directory for the files.
    ///   - maximumByteCount: The maximum size of a file before the next one is started.
    init(directory: Directory, maximumByteCount: Int64 = 1 << 20) {
        self.directory = directory
        self.maximumByteCount = maximumByteCount
    }

    /// Writes a line.
    ///
    /// If the log cannot be written, the line is lost, so that transfers continue.
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

/// The log of a daemon in the foreground.
struct StandardErrorLog: LogDestination {
    private let descriptor: Int32

    /// The log's description for clients.
    var description: Wire.Log { Wire.Log(kind: .stderr) }

    /// Creates the destination.
    ///
    /// - Parameter descriptor: The file descriptor to write to; the caller keeps ownership.
    init(descriptor: Int32 = STDERR_FILENO) {
        self.descriptor = descriptor
    }

    /// Writes a line, and waits while there is no room for it.
    func write(_ line: LogLine) {
        var rest = Array(line.text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                // A program that shares the terminal or the pipe has made it non-blocking.
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&entry, 1, -1)
            } else if errno != EINTR {
                return
            }
        }
    }
}
