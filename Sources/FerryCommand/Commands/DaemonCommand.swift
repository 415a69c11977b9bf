import Ferry
import Foundation

/// `ferry daemon`: the commands for ferryd itself.
struct DaemonCommand {
    static let syntax = CommandSyntax(
        name: "daemon",
        summary: "show or stop ferryd, or have it read its settings again",
        subcommands: [
            DaemonStatusCommand.syntax, DaemonReloadCommand.syntax, DaemonStopCommand.syntax,
        ]
    )
}

/// `ferry daemon status`: shows the status of ferryd.
struct DaemonStatusCommand: Command {
    static let syntax = CommandSyntax(
        name: "status",
        summary: "show how ferryd is doing",
        discussion: ["Never starts it; exits with 4 when it is not running."],
        options: [.json],
        command: Self.self
    )

    /// The status as `--json` writes it.
    private struct Report: Encodable {
        let version: String
        let pid: Int
        let started: Date
        let sockets: [String]
        let stateDirectory: String
        let log: String
        let running: Int
        let waiting: Int
        let suspended: Int
        let sessions: Int
        let connections: Int
        let receiveRate: Int64?
        let sendRate: Int64?
        let timetable: LimitReport?
        let inhibitors: [InhibitorReport]
        let conditions: [String]?
        let services: [String: String]?
        let settingFaults: [String]?

        init(_ status: TransferDaemon.Status) {
            version = status.version
            pid = status.processIdentifier
            started = status.started
            sockets = status.sockets
            stateDirectory = status.stateDirectory
            log = status.log.text
            running = status.runningCount
            waiting = status.waitingCount
            suspended = status.suspendedCount
            sessions = status.sessionCount
            connections = status.connectionCount
            receiveRate = status.rates.receive
            sendRate = status.rates.send
            timetable = status.timetable.map { LimitReport($0, beside: status.rates) }
            inhibitors = status.inhibitors.map { InhibitorReport($0) }
            conditions = status.conditions.flatMap { conditions in
                status.avoidedConditions.isEmpty ? nil : conditions.names
            }
            services =
                status.services.isEmpty
                ? nil
                : Dictionary(
                    status.services.map { ($0.name, $0.state.rawValue) },
                    uniquingKeysWith: { $1 }
                )
            let faults = status.settingFaults.map(\.shown)
            settingFaults = faults.isEmpty ? nil : faults
        }
    }

    /// An inhibitor as `--json` writes it.
    private struct InhibitorReport: Encodable {
        let mode: String
        let what: String
        let reason: String

        init(_ inhibitor: TransferDaemon.Status.Inhibitor) {
            mode = inhibitor.mode
            what = inhibitor.what
            reason = inhibitor.reason
        }
    }

    private let isJSON: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        isJSON = arguments.has(.json)
    }

    func run(in context: Context) async throws -> ExitCode {
        guard let status = try await context.daemon.status() else {
            context.console.errorLine("ferry: ferryd is not running; it starts when it is needed")
            return .unreachable
        }
        if isJSON {
            context.console.line(try JSONLine.text(Report(status)))
        } else {
            context.console.line(text(status, now: context.now()))
        }
        return .success
    }

    /// The limits of all transfers, if there are any, and what is wrong with the timetable.
    private func limits(_ status: TransferDaemon.Status) -> [(String, String)] {
        let always = status.rates.text.map { [("limit", $0)] } ?? []
        guard let timetable = status.timetable else { return always }
        let report = LimitReport(timetable, beside: status.rates)
        let present = timetable.rules.isEmpty ? [] : [("now", report.present)]
        return always + present + report.faultLines.map { ("timetable", $0) }
    }

    private func text(_ status: TransferDaemon.Status, now: Date) -> String {
        let age = Figures.duration(.seconds(now.timeIntervalSince(status.started)))
        let rows = [
            ("ferryd", "\(status.version), process \(status.processIdentifier), up for \(age)"),
            (
                "transfers",
                "\(status.runningCount) running, \(status.waitingCount) waiting, "
                    + "\(status.suspendedCount) paused"
            ),
            ("programs", "\(status.sessionCount) sessions, \(status.connectionCount) connections"),
            ("log", status.log.text),
            ("state", status.stateDirectory),
            ("sockets", status.sockets.joined(separator: "\n             ")),
        ]
        let inhibitors = status.inhibitors.map { ("inhibits", $0.text) }
        let conditions = status.conditionsText.map { [("conditions", $0)] } ?? []
        let faults = status.settingFaults.map { ("settings", $0.shown) }
        let lines = limits(status) + faults + conditions + rows + inhibitors
        return lines.map { "\($0.0):".padding(toColumn: 13) + $0.1 }.joined(separator: "\n")
    }
}

extension TransferDaemon.Status.Inhibitor {
    /// What the inhibitor does, in a few words.
    fileprivate var text: String {
        let actions = what.split(separator: ":").joined(separator: " and ")
        return mode == "block"
            ? "no automatic \(actions)" : "\(actions) delayed until all is stored"
    }
}

extension TransferDaemon.Status {
    /// The conditions that transfers avoid and that hold, and the services that know them, in a few words; nil if no
    /// transfer avoids any.
    fileprivate var conditionsText: String? {
        guard !avoidedConditions.isEmpty else { return nil }
        let present = conditions.map { $0.isEmpty ? "none that transfers avoid" : $0.text }
        let states = services.map { "\($0.name.split(separator: ".").last ?? "-") \($0.state)" }
        let source = states.isEmpty ? "" : " (\(states.joined(separator: ", ")))"
        return (present ?? "not known yet") + source
    }
}

extension TransferOptions.Conditions {
    private static let names: [(Self, String)] = [
        (.expensiveNetwork, "metered network"), (.constrainedNetwork, "constrained network"),
        (.cellularNetwork, "cellular network"), (.battery, "battery"),
        (.powerSaver, "saving power"),
        (.outsideHours, "outside the hours"),
    ]

    /// The conditions, each as in a few words.
    fileprivate var names: [String] { Self.names.filter { contains($0.0) }.map(\.1) }

    /// The conditions, in a few words.
    fileprivate var text: String {
        names.joined(separator: ", ")
    }
}

extension TransferDaemon.Status.Log {
    /// The log's destination, in a few words.
    var text: String {
        switch self {
        case .standardError: "standard error"
        case .journal: "journal"
        case .file(let path): path
        }
    }
}

/// `ferry daemon reload`: has ferryd read its settings again.
struct DaemonReloadCommand: Command {
    static let syntax = CommandSyntax(
        name: "reload",
        summary: "reload ferry.conf without stopping transfers",
        discussion: [
            "New limits hold at once, also for transfers that run; the other settings hold for what begins from then "
                + "on. A line that cannot be used is told, with exit code 1; the other lines hold.",
            "Never starts ferryd, which reads the files when it starts; exits with 4 when it is not running.",
        ],
        command: Self.self
    )

    init(_ arguments: Arguments) throws(UsageError) {}

    func run(in context: Context) async throws -> ExitCode {
        guard let settings = try await context.daemon.reload() else {
            context.console.errorLine(
                "ferry: ferryd is not running; it reads its settings when it starts"
            )
            return .unreachable
        }
        for fault in settings.faults { context.console.errorLine("ferry: \(fault.shown)") }
        return settings.faults.isEmpty ? .success : .failure
    }
}

/// `ferry daemon stop`: stops ferryd; transfers continue when it is started again.
struct DaemonStopCommand: Command {
    static let syntax = CommandSyntax(
        name: "stop",
        summary: "stop ferryd; transfers continue when it starts again",
        discussion: [
            "Returns when ferryd has ended. The next program that needs it starts it."
        ],
        command: Self.self
    )

    init(_ arguments: Arguments) throws(UsageError) {}

    func run(in context: Context) async throws -> ExitCode {
        let wasRunning = try await context.daemon.stop()
        if !wasRunning { context.console.errorLine("ferry: ferryd was not running") }
        return .success
    }
}
