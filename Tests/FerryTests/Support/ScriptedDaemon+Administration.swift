import FerrySystem
import FerryWire
import FerryWireTestSupport
import Foundation

extension ScriptedDaemon {
    /// Answers what a program that administers the daemon asks for.
    func administer(_ call: TransferCall) {
        switch call {
        case .getTask(let method, let reply):
            calls.append("GetTask \(method.id)")
            let tasks = sessions.values.flatMap(\.tasks.values)
            if let task = tasks.first(where: { $0.id == method.id }) {
                reply.success(.init(task: task))
            } else {
                reply.failure(.taskNotFound(id: method.id))
            }
        case .listEndedTasks(let method, let reply):
            let ids = method.ids.map { " \($0)" } ?? ""
            answer("ListEndedTasks\(ids)", reply) { .init(tasks: endedTasks ?? [endedTask]) }
        case .watchTasks(_, let reply):
            calls.append("WatchTasks")
            guard behaviours[Wire.WatchTasks.name]?.isEmpty ?? true else {
                behaviours[Wire.WatchTasks.name]?.removeFirst()
                caller?.close()
                return
            }
            watcher = reply
        case .pauseTask(let method, let reply):
            answer("PauseTask \(method.id)", reply) { Wire.Empty() }
        case .resumeTask(let method, let reply):
            answer("ResumeTask \(method.id)\(method.now == true ? " now" : "")", reply) {
                Wire.Empty()
            }
        case .cancelTask(let method, let reply):
            answer("CancelTask \(method.id)", reply) { Wire.Empty() }
        case .relinkTask(let method, let reply):
            answer("RelinkTask \(method.id) \(method.url)", reply) { Wire.Empty() }
        case .setTaskRates(let method, let reply):
            answer("SetTaskRates \(method.id)", reply) { Wire.Empty() }
        case .setTaskPriority(let method, let reply):
            answer("SetTaskPriority \(method.id) \(method.priority)", reply) { Wire.Empty() }
        case .setRates(_, let reply):
            answer("SetRates", reply) { Wire.Empty() }
        case .getTimetable(_, let reply):
            answer("GetTimetable", reply) { .init(timetable: timetable) }
        case .changeTimetable(let method, let reply):
            let change = [method.add.map { "+\($0)" }, method.remove.map { "-\($0)" }]
            answer("ChangeTimetable \(change.compactMap { $0 }.joined())", reply) {
                .init(timetable: timetable)
            }
        case .getSettings(_, let reply):
            answer("GetSettings", reply) { .init(settings: settings) }
        case .reload(_, let reply):
            answer("Reload", reply) { .init(settings: settings) }
        case .removeHook(let method, let reply):
            answer("RemoveHook \(method.application)", reply) { Wire.Empty() }
        case .quitApplication(let method, let reply):
            answer("QuitApplication \(method.application)", reply) { .init(cancelled: 3) }
        case .listHooks(_, let reply):
            answer("ListHooks", reply) { .init(hooks: hooks) }
        case .getStatus(_, let reply):
            answer("GetStatus", reply) { .init(status: status) }
        case .stop(_, let reply):
            answer("Stop", reply) { Wire.Empty() }
        default: break
        }
    }

    private var endedTask: Wire.EndedTask {
        Wire.EndedTask(
            id: 4,
            application: "org.example.app",
            session: "tracks",
            identifier: 2,
            description: "one",
            url: "https://user@example.org/a",
            status: 200,
            receivedByteCount: 5,
            expectedByteCount: 6,
            upload: Wire.Upload(byteCount: 7, sentByteCount: 8),
            failure: Wire.Failure(code: "timedOut", message: "late"),
            created: Date(timeIntervalSince1970: 9),
            ended: Date(timeIntervalSince1970: 10),
            path: "/home/a/a",
            discarded: true
        )
    }

    private var hooks: [Wire.Hook] {
        [
            Wire.Hook(
                application: "org.example.app",
                launch: Wire.Launch(
                    executable: "/bin/app",
                    arguments: ["-x"],
                    directory: "/tmp",
                    environment: ["A": "b"]
                ),
                attempts: 2,
                nextLaunch: Date(timeIntervalSince1970: 5),
                pendingSessions: ["tracks"],
                quit: true
            )
        ]
    }

    private var timetable: Wire.Timetable {
        Wire.Timetable(
            file: "/timetable",
            rules: [Wire.TimetableRule(number: 1, rule: "daily 1k", holds: true)],
            faults: [Wire.TimetableFault(line: 2, text: "x", reason: "no rule")],
            receiveRate: 1000,
            sendRate: 2000,
            admitsDiscretionary: false,
            until: Date(timeIntervalSince1970: 11)
        )
    }

    private var settings: Wire.Settings {
        Wire.Settings(
            settings: [
                Wire.Setting(name: "connections", value: "4", origin: .standard),
                Wire.Setting(
                    name: "idle-time",
                    value: "1",
                    origin: .file,
                    file: "/ferry.conf",
                    line: 2
                ),
            ],
            faults: [Wire.SettingFault(file: "/ferry.conf", line: 3, text: "x", reason: "no")],
            files: [Wire.SettingsFile(path: "/ferry.conf", exists: true)]
        )
    }

    private var status: Wire.Status {
        Wire.Status(
            version: "1.2",
            pid: 7,
            started: Date(timeIntervalSince1970: 9),
            sockets: [directory + "/socket"],
            stateDirectory: directory,
            log: Wire.Log(kind: .file, path: "/log"),
            running: 1,
            waiting: 2,
            suspended: 3,
            sessions: 4,
            connections: 5,
            timetable: timetable
        )
    }
}
