import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire

/// The options that the daemon runs with.
struct DaemonOptions: Sendable {
    /// An action of the process.
    enum Action: Hashable, Sendable {
        /// Serve, with the log on standard error where `isForeground`.
        case serve(isForeground: Bool)
        /// Start again in the background, detached from the starting process, and end.
        case detach
        /// Print the help.
        case help
        /// Print the version.
        case version
    }

    /// The action of the process.
    var action = Action.serve(isForeground: false)
    /// The least severe level of the log that is written.
    var logLevel = LogLevel.info
    /// The limits and delays.
    var policy = DaemonPolicy()
    /// The limits of all transfers together, while `ferry limit` sets none.
    var rates = SharedRates()
    /// How sessions connect that do not say it themselves.
    var connections = Wire.Connections()
    /// The settings of the command line.
    private(set) var arguments: [DaemonSetting: DaemonSetting.Value] = [:]
    /// The size in bytes from which a body may be spliced to its file; `nil` for the client's own limit.
    var minimumSplicedBytes: Int?
    /// How many ended transfers are remembered, and for how long.
    var history = History()
    /// How the process's descriptors are divided.
    var shares = DescriptorShares()
    /// The attributes for applications, as they were before the daemon changed its own; `nil` for the daemon's own.
    var applicationAttributes: ProcessAttributes?

    /// The text of `--help`.
    static let help = """
        Usage: ferryd [--foreground] [options]

        Carries out the background transfers of one user. Programs that use Ferry start
        it when they need it; it ends when it has nothing to do.

          --foreground                 stay in the terminal, log to standard error
          --detach                     start in the background, return when it serves
        \(settingsHelp)
          --help                       print this
          --version                    print the version

        Each of these settings may also stand in ferry.conf, see ferry.conf(5).

        Exit status: 0 it served, 1 it could not start, 2 the command line is wrong.

        """

    /// The lines of the help about the settings.
    private static var settingsHelp: String {
        DaemonSetting.allCases.filter(\.isOption).map { setting in
            let label = "  --\(setting.name) \(setting.placeholder)"
            let padding = String(repeating: " ", count: max(1, 31 - label.count))
            let standard = setting.standard.map { " (default \($0))" } ?? ""
            return label + padding + wrapped(setting.summary + standard, at: 31)
        }.joined(separator: "\n")
    }

    /// Returns a text in lines of which none is wider than a terminal of 80 columns, behind an indentation.
    private static func wrapped(_ text: String, at indentation: Int) -> String {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, indentation + last.count + 1 + word.count <= 80 {
                lines[lines.count - 1] += " \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines.joined(separator: "\n" + String(repeating: " ", count: indentation))
    }

    /// Reads the arguments after the program's name.
    ///
    /// - Throws: ``DaemonFailure`` that says what is wrong.
    static func parse(_ arguments: [String]) throws(DaemonFailure) -> DaemonOptions {
        var options = DaemonOptions()
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--foreground": options.action = .serve(isForeground: true)
            case "--detach": options.action = .detach
            case "--help", "-h": options.action = .help
            case "--version": options.action = .version
            default: try options.set(argument, to: rest.popFirst())
            }
        }
        return options.with(SettingsInForce(arguments: options.arguments))
    }

    private mutating func set(_ option: String, to text: String?) throws(DaemonFailure) {
        guard option.hasPrefix("--"),
            let setting = DaemonSetting(rawValue: String(option.dropFirst(2))), setting.isOption
        else { throw .usage("there is no option \(option)") }
        guard let value = text.flatMap({ setting.domain.value(of: $0) }) else {
            throw .usage("\(option) takes \(setting.domain)")
        }
        arguments[setting] = value
    }
}

/// The environment of an application that is started for its events.
enum LaunchEnvironment {
    /// The variable that holds the session's identifier.
    static let backgroundSession = "FERRY_BACKGROUND_SESSION"
}
