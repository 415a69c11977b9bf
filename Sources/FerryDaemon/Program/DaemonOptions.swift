import FerrySystem
import FerryTransfer

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
    /// The size in bytes from which a body may be spliced to its file; `nil` for the client's own limit.
    var minimumSplicedBytes: Int?
    /// The attributes for applications, as they were before the daemon changed its own; `nil` for the daemon's own.
    var applicationAttributes: ProcessAttributes?

    /// The text of `--help`.
    static let help = """
        Usage: ferryd [--foreground] [options]

        Carries out the background transfers of one user. Programs that use Ferry start it when
        they need it; it ends when it has nothing to do.

          --foreground                 stay in the terminal, log to standard error
          --detach                     go into the background, end when it serves
          --log-level LEVEL            error, warning, notice, info (default) or debug
          --maximum-transfers N        transfers at once, 1 to 1024 (default 32)
          --maximum-per-host N         transfers at once for one host, 1 to 256 (default 16)
          --connections N              connections for one download, 1 to 16 (default 4)
          --connection-trial SECONDS   judge further connections after this long (default 0.4);
                                       0 makes them all at once
          --connections-from BYTES     several connections for bodies from this size on
                                       (default 8388608)
          --splice-from BYTES          move bodies from this size on by splice (default 16777216)
          --idle-time SECONDS          end after this long with nothing to do (default 10)
          --retry-delay SECONDS        first delay after a failed attempt (default 1)
          --full-disk-delay SECONDS    wait for room on a full disk (default 30)
          --relaunch-delay SECONDS     first delay between two starts of an app (default 1)
          --help                       print this
          --version                    print the version

        Exit status: 0 it served, 1 it could not start, 2 the command line is wrong.

        """

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
        return options
    }

    private mutating func set(_ name: String, to value: String?) throws(DaemonFailure) {
        switch name {
        case "--log-level":
            guard let level = value.flatMap({ LogLevel(name: $0) }) else {
                let names = LogLevel.allCases.map(\.name).joined(separator: ", ")
                throw .usage("--log-level takes one of \(names)")
            }
            logLevel = level
        case "--maximum-transfers":
            policy.maximumTransfers = try Self.number(name, value, in: 1...1024)
        case "--maximum-per-host":
            policy.maximumTransfersPerHost = try Self.number(name, value, in: 1...256)
        case "--connections":
            policy.segments.maximumConnections = try Self.number(
                name,
                value,
                in: 1...Download.SegmentPolicy.connectionLimit
            )
        case "--connection-trial":
            policy.segments.window = .seconds(try Self.seconds(name, value))
        case "--connections-from":
            let size = try Self.number(name, value, in: 1...Int.max)
            policy.segments.divideBodies(from: Int64(size))
        case "--splice-from":
            minimumSplicedBytes = try Self.number(name, value, in: 1...Int.max)
        case "--idle-time":
            policy.idleTime = try Self.seconds(name, value)
        case "--retry-delay":
            policy.retry.firstDelay = .seconds(try Self.seconds(name, value))
        case "--full-disk-delay":
            policy.diskFullDelay = try Self.seconds(name, value)
        case "--relaunch-delay":
            policy.relaunchDelay = try Self.seconds(name, value)
        default:
            throw .usage("there is no option \(name)")
        }
    }

    private static func number(
        _ name: String,
        _ value: String?,
        in range: ClosedRange<Int>
    ) throws(DaemonFailure) -> Int {
        guard let number = value.flatMap({ Int($0) }), range.contains(number) else {
            throw .usage("\(name) takes a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private static func seconds(
        _ name: String,
        _ value: String?
    ) throws(DaemonFailure) -> Double {
        guard let number = value.flatMap({ Double($0) }), number >= 0, number <= 86_400 else {
            throw .usage("\(name) takes a number of seconds from 0 to 86400")
        }
        return number
    }
}

/// The environment of an application that is started for its events.
enum LaunchEnvironment {
    /// The variable that holds the session's identifier.
    static let backgroundSession = "FERRY_BACKGROUND_SESSION"
}
