import FerryStore
import FerryWire
import FoundationEssentials

/// A line of the log.
struct LogLine: Sendable {
    /// When it happened.
    var date: Date
    /// The severity.
    var level: LogLevel
    /// The task it is about.
    var task: TaskID?
    /// What happened, on one line.
    var message: String

    /// Creates a line, and makes characters visible that would control a terminal, including line breaks.
    init(date: Date, level: LogLevel, task: TaskID?, message: String) {
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

    /// Returns whether a scalar is not shown itself but controls how text is shown, including in a terminal.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// The line as written to a file: time, level, task, message.
    var text: String {
        let time = LocalTime.text(of: date, milliseconds: true)
        let subject = task.map { " task \($0):" } ?? ""
        return "\(time) \(level.name)\(subject) \(message)\n"
    }
}

/// An address for the log, without the parts that may be secret.
enum LoggedAddress {
    /// The maximum length of an address in a line.
    private static let maximumLength = 500

    /// Returns the address without user, password, query and fragment.
    static func of(_ address: String) -> String {
        let end = address.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        let whole = address[..<(end ?? address.endIndex)]
        guard let start = authorityStart(of: whole.utf8) else { return bounded(whole) }
        let authorityEnd = whole.utf8[start...].firstIndex(of: UInt8(ascii: "/")) ?? whole.endIndex
        guard let at = whole.utf8[start..<authorityEnd].lastIndex(of: UInt8(ascii: "@")) else {
            return bounded(whole)
        }
        return bounded(whole[..<start] + whole[whole.utf8.index(after: at)...])
    }

    /// Returns the place behind the first two slashes in a row.
    private static func authorityStart(of address: Substring.UTF8View) -> String.Index? {
        let slash = UInt8(ascii: "/")
        var first = address.firstIndex(of: slash)
        while let place = first {
            let next = address.index(after: place)
            guard next < address.endIndex else { return nil }
            if address[next] == slash { return address.index(after: next) }
            first = address[next...].firstIndex(of: slash)
        }
        return nil
    }

    private static func bounded(_ text: Substring) -> String {
        // As a rule it is short, and characters take long to count.
        guard text.utf8.count > maximumLength else { return String(text) }
        let start = text.prefix(maximumLength)
        return start.endIndex == text.endIndex ? String(text) : start + "…"
    }
}
