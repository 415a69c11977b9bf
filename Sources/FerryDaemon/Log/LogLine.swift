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

    /// Creates a line; line breaks in the message are made visible.
    init(date: Date, level: LogLevel, task: Int64?, message: String) {
        self.date = date
        self.level = level
        self.task = task
        let isPlain = message.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }
        self.message =
            isPlain
            ? message
            : message.unicodeScalars.reduce(into: "") { text, scalar in
                let isControl = scalar.value < 32 || scalar.value == 127
                text += isControl ? scalar.escaped(asASCII: true) : String(scalar)
            }
    }

    /// The line as it stands in a file: time, level, task, message.
    var text: String {
        let time = date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        let subject = task.map { " task \($0):" } ?? ""
        return "\(time) \(level.name)\(subject) \(message)\n"
    }
}
