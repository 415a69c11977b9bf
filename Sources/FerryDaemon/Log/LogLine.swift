import FoundationEssentials
import Glibc

/// A line of the log.
struct LogLine: Sendable {
    /// When it happened.
    var date: Date
    /// How much it matters.
    var level: LogLevel
    /// The task it is about.
    var task: Int64?
    /// What happened, on one line.
    var message: String

    /// Creates a line; what would steer a terminal, line breaks too, is made visible.
    init(date: Date, level: LogLevel, task: Int64?, message: String) {
        self.date = date
        self.level = level
        self.task = task
        self.message =
            message.utf8.allSatisfy { 32..<127 ~= $0 }
            ? message
            : message.unicodeScalars.reduce(into: "") { text, scalar in
                text += Self.isInvisible(scalar) ? scalar.escaped(asASCII: true) : String(scalar)
            }
    }

    /// Whether a scalar controls how text is shown, in a terminal as well, instead of being shown.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// The line as it stands in a file: time, level, task, message.
    var text: String {
        let time = date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        let subject = task.map { " task \($0):" } ?? ""
        return "\(time) \(level.name)\(subject) \(message)\n"
    }
}

/// An address as the log names it: without what may be a secret.
enum LoggedAddress {
    /// What a line holds of it.
    private static let maximumLength = 500

    /// The address without user, password, query and fragment.
    static func of(_ address: String) -> String {
        let end = address.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        let whole = address[..<(end ?? address.endIndex)]
        guard let slashes = whole.firstRange(of: "//") else { return bounded(whole) }
        let authorityEnd = whole[slashes.upperBound...].firstIndex(of: "/") ?? whole.endIndex
        let authority = whole[slashes.upperBound..<authorityEnd]
        guard let at = authority.lastIndex(of: "@") else { return bounded(whole) }
        return bounded(
            whole[..<slashes.upperBound] + authority[authority.index(after: at)...]
                + whole[authorityEnd...]
        )
    }

    private static func bounded(_ text: Substring) -> String {
        let start = text.prefix(maximumLength)
        return start.endIndex == text.endIndex ? String(text) : start + "…"
    }
}
