import FerryHTTP
import FerryWire
import Foundation
import FoundationNetworking

extension Wire.ListTasks {
    init(_ query: TransferDaemon.Query, after last: Int?, limit: Int?) {
        self.init(
            application: query.application,
            session: query.session,
            states: query.states.map { states in
                TransferDaemon.Transfer.State.allCases.filter { states.contains($0) }
                    .map { Wire.TaskState($0) }
            },
            after: last.map { Int64($0) },
            limit: limit
        )
    }
}

extension Wire.TaskState {
    init(_ state: TransferDaemon.Transfer.State) {
        self =
            switch state {
            case .suspended: .suspended
            case .waiting: .waiting
            case .running: .running
            case .completed: .completed
            }
    }
}

extension TransferDaemon.Transfer.State {
    init(_ state: Wire.TaskState) {
        self =
            switch state {
            case .suspended: .suspended
            case .waiting: .waiting
            case .running: .running
            case .completed: .completed
            }
    }
}

extension TransferDaemon.EncodedPage<TransferDaemon.Transfer> {
    init(_ reply: Wire.ListTasks.Reply) {
        self.init(next: reply.next) { () throws(MessageError) in
            try reply.tasks.decoded().map { TransferDaemon.Transfer($0) }
        }
    }
}

extension TransferDaemon.EncodedPage<TransferDaemon.Summary> {
    init(_ reply: Wire.ListTasks.Reply) {
        self.init(next: reply.next) { () throws(MessageError) in
            // One that sends none is no answer to what was asked.
            let summaries = try (reply.summaries ?? Encoded(text: [])).decoded()
            // Most tasks wait for the same as the one before them.
            var text: Encoded<Wire.Wait>?
            var wait: TransferDaemon.Transfer.Wait?
            return summaries.map { task in
                if task.wait != text {
                    text = task.wait
                    wait = text?.value.map { .init($0) }
                }
                return TransferDaemon.Summary(task, wait: wait)
            }
        }
    }
}

extension TransferDaemon.EncodedPage {
    private init(
        next: Int64?,
        _ decode: @escaping @Sendable () throws(MessageError) -> [Element]
    ) {
        self.init(next: next.map { Int($0) }) { () throws(TransferDaemonError) in
            do throws(MessageError) {
                return try decode()
            } catch {
                throw TransferDaemonError(.invalidReply(error))
            }
        }
    }
}

extension TransferDaemon.Transfer {
    init(_ task: Wire.Task) {
        self.init(
            id: Int(task.id),
            application: task.application,
            session: task.session,
            taskIdentifier: task.identifier,
            state: State(task.state),
            taskDescription: task.description,
            priority: Float(task.priority),
            originalRequest: PassedRequest(task.originalRequest),
            currentRequest: task.currentRequest.map { PassedRequest($0) },
            response: task.response?.value.flatMap { HTTPURLResponse.make($0) },
            receivedByteCount: task.receivedByteCount,
            expectedByteCount: task.expectedByteCount,
            upload: task.upload.map { Upload($0) },
            wait: task.wait.map { Wait($0) },
            failure: task.failure.map { Failure($0) },
            relinkedURL: task.link.flatMap { URL(string: $0) },
            bytesPerSecond: task.bytesPerSecond.map { Int64($0) },
            rates: TransferDaemon.Rates(
                receive: task.options?.receiveRate,
                send: task.options?.sendRate
            ),
            acceptsInvalidCertificates: task.options?.acceptsInvalidCertificates ?? false,
            attempts: task.attempts,
            created: task.created
        )
    }
}

extension TransferDaemon.Transfer.Wait {
    init(_ wait: Wire.Wait) {
        self.init(
            reason: Reason(name: wait.reason.rawValue),
            until: wait.until,
            detail: wait.detail
        )
    }
}

extension TransferDaemon.Hook {
    init(_ hook: Wire.Hook) {
        self.init(
            application: hook.application,
            launch: hook.launch.map { launch in
                TransferDaemon.Launch(
                    executable: launch.executable,
                    arguments: launch.arguments,
                    workingDirectory: launch.directory,
                    environment: launch.environment
                )
            },
            attempts: hook.attempts,
            nextLaunch: hook.nextLaunch,
            pendingSessions: hook.pendingSessions,
            isQuit: hook.quit
        )
    }
}

extension TransferDaemon.Status {
    init(_ status: Wire.Status) {
        self.init(
            version: status.version,
            processIdentifier: Int(status.pid),
            started: status.started,
            sockets: status.sockets,
            stateDirectory: status.stateDirectory,
            log: Log(status.log),
            runningCount: status.running,
            waitingCount: status.waiting,
            suspendedCount: status.suspended,
            sessionCount: status.sessions,
            connectionCount: status.connections,
            rates: TransferDaemon.Rates(receive: status.receiveRate, send: status.sendRate),
            timetable: status.timetable.map { TransferDaemon.Timetable($0) },
            inhibitors: (status.inhibitors ?? []).map {
                Inhibitor(mode: $0.mode, what: $0.what, reason: $0.why)
            },
            avoidedConditions: TransferOptions.Conditions(status.avoided ?? []),
            conditions: status.conditions.map { TransferOptions.Conditions($0) },
            services: (status.services ?? []).map { Service($0) },
            settingFaults: (status.settingFaults ?? []).map { TransferDaemon.Settings.Fault($0) }
        )
    }
}

extension TransferDaemon.Timetable {
    init(_ timetable: Wire.Timetable) {
        self.init(
            file: timetable.file,
            rules: timetable.rules.map {
                Rule(number: $0.number, text: $0.rule, holds: $0.holds)
            },
            faults: timetable.faults.map {
                Fault(line: $0.line, text: $0.text, reason: $0.reason)
            },
            rates: TransferDaemon.Rates(receive: timetable.receiveRate, send: timetable.sendRate),
            admitsDiscretionaryWork: timetable.admitsDiscretionary,
            nextChange: timetable.until
        )
    }
}

extension TransferDaemon.Status.Service {
    init(_ service: Wire.ConditionsService) {
        self.init(name: service.name, state: State(rawValue: service.state.rawValue) ?? .other)
    }
}

extension TransferDaemon.Status.Log {
    init(_ log: Wire.Log) {
        self =
            switch log.kind {
            case .stderr: .standardError
            case .journal: .journal
            case .file: .file(path: log.path ?? "")
            }
    }
}
