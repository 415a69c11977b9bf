@preconcurrency import Glibc
import Synchronization

/// Messages to the programmer, on standard error, about mistakes that no delegate method can report.
///
/// For mistakes in the use of the API only, where Apple's library writes to the system log, too. The events of a
/// transfer go to delegates, errors and the daemon's log instead.
enum Diagnostics {
    /// The messages that were reported and are not to be repeated.
    private static let known = Mutex<Set<String>>([])

    /// Writes a line the first time it is reported.
    static func reportOnce(_ message: String) {
        if known.withLock({ $0.insert(message).inserted }) { report(message) }
    }

    /// Writes one line, or drops it if standard error is not writable, so that no program has to wait.
    static func report(_ message: String) {
        var entry = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        guard poll(&entry, 1, 0) == 1, entry.revents & Int16(POLLOUT) != 0 else { return }
        let line = Array("Ferry: \(message)\n".utf8)
        // One write, so that lines of several threads do not mix. Nothing can be done if it fails.
        _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
