import FerrySystem
import FerryTestSupport
import FerryWire
import Foundation
import Testing

@testable import Ferry

/// A daemon that dies before it has answered a call of a program that administers it.
@Suite("A daemon that dies of a call", .timeLimit(.minutes(1)))
struct DyingDaemonTests {
    private let scripted: ScriptedDaemon
    private let daemon: TransferDaemon

    init() async throws {
        _ = Home.path
        scripted = try ScriptedDaemon()
        try await scripted.start(at: [scripted.directory + "/state/ferry/run"])
        let starter = DaemonStarter(environment: [
            "HOME": scripted.directory, "XDG_STATE_HOME": scripted.directory + "/state",
            "FERRY_DAEMON": scripted.directory + "/no-daemon",
        ])
        daemon = TransferDaemon(
            backend: AdministrationConnection(startsIfNeeded: false, starter: starter)
        )
    }

    /// A call, and what the daemon says that has carried it out before.
    struct Repeated: Sendable, CustomTestStringConvertible {
        var method: String
        var text: String
        var second: ScriptedDaemon.Behaviour
        var call: @Sendable (TransferDaemon) async throws -> Void

        var testDescription: String { method }

        init(
            _ text: String,
            again second: ScriptedDaemon.Behaviour = .answer,
            _ call: @escaping @Sendable (TransferDaemon) async throws -> Void
        ) {
            method = String(text.prefix { $0 != " " })
            self.text = text
            self.second = second
            self.call = call
        }
    }

    private static let all: [Repeated] = [
        Repeated("ListTasks 0") { for try await _ in $0.transfers() {} },
        Repeated("PauseTask 3") { try await $0.pause(3) },
        Repeated("ResumeTask 3") { try await $0.resume(3) },
        Repeated("CancelTask 3", again: .refuse(.taskNotFound(id: 3))) { try await $0.cancel(3) },
        Repeated("SetTaskPriority 3 0.75") { try await $0.setPriority(0.75, of: 3) },
        Repeated("SetTaskRates 3") { try await $0.setRates(.init(receive: 1), of: 3) },
        Repeated("SetRates") { try await $0.setRates(.init(receive: 1)) },
        Repeated("GetTimetable") { _ = try await $0.timetable() },
        Repeated("ChangeTimetable +Sat 1k") { _ = try await $0.addRule("Sat 1k") },
        Repeated("GetSettings") { _ = try await $0.settings() },
        Repeated("Reload") {
            let settings = try await $0.reload()
            #expect(settings != nil)
        },
        Repeated("ListHooks") { _ = try await $0.hooks() },
        Repeated("RemoveHook app", again: .refuse(.applicationNotFound(application: "app"))) {
            try await $0.removeHook(ofApplication: "app")
        },
        Repeated("QuitApplication app") {
            let count = try await $0.quit(application: "app")
            #expect(count == 3)
        },
        Repeated("GetStatus") {
            let status = try await $0.status()
            #expect(status != nil)
        },
        Repeated("Stop") {
            let hasStopped = try await $0.stop()
            #expect(hasStopped)
        },
    ]

    @Test(arguments: all, [false, true])
    func `USE-19: a call is repeated that the daemon dies of, and is as good as done once`(
        _ repeated: Repeated,
        afterwards: Bool
    ) async throws {
        let second = afterwards ? repeated.second : .answer
        await LoopActor.run {
            scripted.behaviours[repeated.method] = [
                .die(afterwards: afterwards), second,
            ]
        }
        try await repeated.call(daemon)
        #expect(scripted.calls.all == [repeated.text, repeated.text])
    }

    @Test func `USE-19: a rule that is removed by its number is removed once`() async throws {
        let isGone = TransferInterfaceError.invalidRequest(parameter: "remove", reason: "no rule")
        await LoopActor.run {
            scripted.behaviours["ChangeTimetable"] = [
                .die(afterwards: true), .refuse(isGone),
            ]
        }
        _ = try await daemon.removeRule("1")
        #expect(
            scripted.calls.all == [
                "GetTimetable", "ChangeTimetable -daily 1k", "ChangeTimetable -daily 1k",
                "GetTimetable",
            ]
        )
    }

    @Test func `USE-19: a call that each daemon dies of is given up`() async throws {
        await LoopActor.run {
            scripted.behaviours["PauseTask"] = Array(
                repeating: .die(afterwards: false),
                count: 9
            )
        }
        let error = await #expect(throws: TransferDaemonError.self) { try await daemon.pause(3) }
        #expect(error?.code == .disconnected)
        #expect(scripted.calls.all.count == 5)
    }

    @Test func `USE-19: what is refused at once is refused, whatever a repetition would mean`()
        async throws
    {
        await LoopActor.run {
            scripted.behaviours["CancelTask"] = [.refuse(.taskNotFound(id: 3))]
        }
        let error = await #expect(throws: TransferDaemonError.self) { try await daemon.cancel(3) }
        #expect(error?.code == .transferNotFound)
    }

    @Test func `USE-19: changes are asked for again of the next daemon`() async throws {
        await LoopActor.run {
            scripted.behaviours["WatchTasks"] = [
                .die(afterwards: false), .die(afterwards: false),
            ]
        }
        let stream = daemon.changes()
        async let first = stream.first { _ in true }
        await scripted.calls.wait(for: "WatchTasks", count: 3)
        await LoopActor.run {
            scripted.watcher?.stream(.init(tasks: [.sample(id: 4)], removed: []))
        }
        #expect(try await first?.updated.map(\.id) == [4])
    }
}
