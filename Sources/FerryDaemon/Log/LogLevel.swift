/// How much a line of the log matters, by the numbers of RFC 5424.
enum LogLevel: Int, Comparable, Sendable, CaseIterable {
    /// Something did not work and will not by itself.
    case error = 3
    /// Something is not as it should be; the daemon goes on.
    case warning = 4
    /// Something that a person who looks for a reason wants to know.
    case notice = 5
    /// What happens in the course of things.
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

    /// The level of a name, or `nil`.
    init?(name: String) {
        guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = level
    }

    /// Whether the left level matters more.
    static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}
