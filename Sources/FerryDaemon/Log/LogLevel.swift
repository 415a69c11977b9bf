/// The severity of a log line, with the numbers of RFC 5424.
enum LogLevel: Int, Comparable, Sendable, CaseIterable {
    /// A failure that will not resolve by itself.
    case error = 3
    /// Something is wrong, but the daemon continues.
    case warning = 4
    /// Something that helps a person find a cause.
    case notice = 5
    /// Normal operation.
    case info = 6
    /// Every step.
    case debug = 7

    /// The level's name.
    var name: String {
        switch self {
        case .error: "error"
        case .warning: "warning"
        case .notice: "notice"
        case .info: "info"
        case .debug: "debug"
        }
    }

    /// The level with a name, or `nil`.
    init?(name: String) {
        guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = level
    }

    /// Returns whether the left level is more severe.
    static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}
