import Foundation

/// The formats of numbers for people.
enum Figures {
    private static let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]

    /// Returns a count of bytes in about three digits, such as `12.3 MiB`.
    static func byteCount(_ count: Int64) -> String {
        let count = max(0, count)
        if count < 1024 { return "\(count) B" }
        var value = Double(count) / 1024
        var unit = 0
        // 1023.96 KiB would read 1024 KiB.
        while (value < 99.95 ? value : value.rounded()) >= 1024, unit + 1 < units.count {
            value /= 1024
            unit += 1
        }
        return "\(threeDigits(value)) \(units[unit])"
    }

    /// Returns a speed, such as `12.3 MiB/s`.
    ///
    /// - Parameter bytesPerSecond: The bytes per second.
    /// - Returns: The text.
    static func speed(_ bytesPerSecond: Double) -> String {
        let bounded = bytesPerSecond.isFinite ? min(max(0, bytesPerSecond), 1e18) : 0
        return byteCount(Int64(bounded.rounded())) + "/s"
    }

    /// Returns a duration in its two largest units, such as `2m 05s`.
    static func duration(_ duration: Duration) -> String {
        let seconds = max(0, duration.components.seconds)
        switch seconds {
        case ..<60: return "\(seconds)s"
        case ..<3600: return "\(seconds / 60)m \(twoDigits(seconds % 60))s"
        case ..<86_400: return "\(seconds / 3600)h \(twoDigits(seconds % 3600 / 60))m"
        default: return "\(seconds / 86_400)d \(twoDigits(seconds % 86_400 / 3600))h"
        }
    }

    /// Returns an elapsed time, such as `0.4s`; from ten seconds on like ``duration(_:)``.
    static func elapsed(_ duration: Duration) -> String {
        let tenths = Int((duration / .milliseconds(100)).rounded())
        guard tenths < 100 else { return self.duration(duration) }
        // Nothing takes no time.
        let shown = max(1, tenths)
        return "\(shown / 10).\(shown % 10)s"
    }

    /// Returns the share of a whole in percent, rounded down so that 100 means all of it.
    static func percent(_ part: Int64, of whole: Int64) -> Int {
        guard whole > 0 else { return 100 }
        return Int(Double(min(max(0, part), whole)) / Double(whole) * 100)
    }

    private static func threeDigits(_ value: Double) -> String {
        if value >= 99.95 { return String(Int(value.rounded())) }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    private static func twoDigits(_ value: Int64) -> String {
        value < 10 ? "0\(value)" : String(value)
    }
}
