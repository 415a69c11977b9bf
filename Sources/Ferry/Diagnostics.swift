@preconcurrency import Glibc
import Synchronization

/// Tells a programmer, on standard error, what no delegate method can report.
///
/// Only for mistakes in the use of the API where Apple's library writes to the system's log, too.
/// What happens to a transfer goes to delegates, errors and the daemon's log instead.
enum Diagnostics {
    /// What was reported that is said once only.
    private static let known = Mutex<Set<String>>([])

    /// Writes a line the first time that it is to be written.
    static func reportOnce(_ message: String) {
        if known.withLock({ $0.insert(message).inserted }) { report(message) }
    }

    /// Writes one line, unless nobody reads what is there: no program has to wait for that.
    static func report(_ message: String) {
        var entry = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        guard poll(&entry, 1, 0) == 1, entry.revents & Int16(POLLOUT) != 0 else { return }
        let line = Array("Ferry: \(message)\n".utf8)
        // One write, so that lines of several threads do not mix. Nothing can be done if it fails.
        _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
