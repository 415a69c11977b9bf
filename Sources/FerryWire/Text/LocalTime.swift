package import FoundationEssentials
import Glibc

/// The time where the user is, for logs: ISO 8601, with the distance from UTC.
package enum LocalTime {
    /// Returns a moment, such as `2026-11-28T14:03:22.123+01:00`.
    ///
    /// By the C library: a `TZ` may be a rule in POSIX's form, which Foundation does not know.
    ///
    /// - Parameters:
    ///   - date: The moment.
    ///   - hasMilliseconds: Whether parts of a second are shown.
    /// - Returns: The text.
    package static func text(of date: Date, milliseconds hasMilliseconds: Bool = false) -> String {
        // No calendar is asked for what lies further away.
        let seconds = max(-1e11, min(date.timeIntervalSince1970, 1e11))
        var time = time_t(seconds.rounded(.down))
        var parts = tm()
        localtime_r(&time, &parts)
        let day = [parts.tm_mon + 1, parts.tm_mday].map(digits).joined(separator: "-")
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(digits).joined(separator: ":")
        let fraction = Int32((seconds - seconds.rounded(.down)) * 1000)
        let thousandths = hasMilliseconds ? "." + digits(fraction, count: 3) : ""
        let minutes = Int32(abs(parts.tm_gmtoff) / 60)
        let sign = parts.tm_gmtoff < 0 ? "-" : "+"
        let distance = "\(sign)\(digits(minutes / 60)):\(digits(minutes % 60))"
        return "\(parts.tm_year + 1900)-\(day)T\(clock)\(thousandths)\(distance)"
    }

    private static func digits(_ number: Int32) -> String { digits(number, count: 2) }

    private static func digits(_ number: Int32, count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
}
