import Foundation
@preconcurrency import Glibc

extension Date {
    /// The time within which a time of day says enough, in seconds: no other day has the same one.
    private static let near: TimeInterval = 20 * 3600
    /// The time within which a weekday says enough, in seconds.
    private static let week: TimeInterval = 7 * 86_400

    /// Returns the time where the user is, such as `14:03:22`; with the weekday or the date if it is not near.
    ///
    /// - Parameter now: The present.
    /// - Returns: The text.
    func text(now: Date) -> String {
        let distance = timeIntervalSince(now)
        let parts = localParts
        let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(Self.twoDigits)
            .joined(separator: ":")
        if abs(distance) < Self.near { return time }
        if 0..<Self.week ~= distance { return "\(Self.name(of: parts.tm_wday)) \(time)" }
        let date = [parts.tm_mon + 1, parts.tm_mday].map(Self.twoDigits).joined(separator: "-")
        return "\(parts.tm_year + 1900)-\(date) \(time)"
    }

    /// The day and the time of day where the user is, such as `Fri 18:00`.
    var timeOfWeek: String {
        let parts = localParts
        let time = [parts.tm_hour, parts.tm_min].map(Self.twoDigits).joined(separator: ":")
        return "\(Self.name(of: parts.tm_wday)) \(time)"
    }

    /// The parts of the time where the user is.
    ///
    /// By the C library: a `TZ` may be a rule in POSIX's form, such as `EST5EDT,M3.2.0,M11.1.0`, which Foundation does
    /// not know.
    private var localParts: tm {
        // No calendar is asked for what lies further away.
        var time = time_t(max(-1e11, min(timeIntervalSince1970, 1e11)).rounded(.down))
        var parts = tm()
        localtime_r(&time, &parts)
        return parts
    }

    private static func name(of weekday: Int32) -> String {
        let names = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let index = Int(weekday)
        return names.indices.contains(index) ? names[index] : "?"
    }

    private static func twoDigits(_ number: Int32) -> String {
        String(number).leftPadding(toColumn: 2, with: "0")
    }
}
