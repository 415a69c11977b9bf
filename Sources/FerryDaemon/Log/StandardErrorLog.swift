import FerryWire
import Glibc

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
