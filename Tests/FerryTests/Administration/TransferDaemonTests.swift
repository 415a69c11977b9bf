import FerryHTTP
import FerrySystem
import FerryTestSupport
import FerryWire
import Foundation
import Glibc
import Testing

@testable import Ferry

@Suite("TransferDaemon", .timeLimit(.minutes(1)))
struct TransferDaemonTests {
    private let scripted: ScriptedDaemon
    private let daemon: TransferDaemon

    init() async throws {
        _ = Home.path
        scripted = try ScriptedDaemon()
        try await scripted.start(at: [scripted.directory + "/state/ferry/run"])
        daemon = Self.daemon(startsIfNeeded: false, home: scripted.directory)
    }

    private static func daemon(startsIfNeeded: Bool, home: String) -> TransferDaemon {
        let starter = DaemonStarter(environment: [
            "HOME": home, "XDG_STATE_HOME": home + "/state", "FERRY_DAEMON": home + "/no-daemon",
        ])
        return TransferDaemon(
            backend: AdministrationConnection(startsIfNeeded: startsIfNeeded, starter: starter)
        )
    }

    private func addTasks(_ count: Int) async {
        await LoopActor.run {
            var session = ScriptedDaemon.Session(number: 1, configuration: .any)
            for number in 1...count { session.tasks[number] = .sample(id: Int64(number)) }
            scripted.sessions["tracks"] = session
        }
    }

    // MARK: - Transfers

    @Test func `transfers are fetched page by page`() async throws {
        await addTasks(250)
        var ids: [Int] = []
        for try await transfer in daemon.transfers() { ids.append(transfer.id) }
        #expect(ids == Array(1...250))
        #expect(scripted.calls.all == ["ListTasks 0", "ListTasks 100", "ListTasks 200"])
    }

    @Test func `a page that cannot be read is an error, and the connection remains`() async throws {
        await addTasks(250)
        await LoopActor.run { scripted.brokenPage = 100 }
        var count = 0
        let error = await #expect(throws: TransferDaemonError.self) {
            for try await _ in daemon.transfers() { count += 1 }
        }
        #expect(error?.code == .unexpectedReply)
        #expect(count == 100)
        #expect(try await daemon.page(after: 200).transfers.count == 50)
        #expect(await scripted.connectionCount == 1)
    }

    @Test func `USE-10: transfers that have ended have all that the daemon remembers`() async throws
    {
        let query = TransferDaemon.EndedQuery(ids: [4, 3])
        let ended = try await daemon.endedTransfers(matching: query, limit: 2)
        #expect(scripted.calls.all == ["ListEndedTasks [3, 4]"])
        #expect(
            ended == [
                TransferDaemon.EndedTransfer(
                    id: 4,
                    application: "org.example.app",
                    session: "tracks",
                    taskIdentifier: 2,
                    taskDescription: "one",
                    address: "https://user@example.org/a",
                    status: 200,
                    receivedByteCount: 5,
                    expectedByteCount: 6,
                    upload: .init(byteCount: 7, sentByteCount: 8),
                    failure: .init(code: "timedOut", message: "late"),
                    created: Date(timeIntervalSince1970: 9),
                    ended: Date(timeIntervalSince1970: 10),
                    path: "/home/a/a",
                    isDiscarded: true
                )
            ]
        )
    }

    @Test func `an empty queue has one empty page`() async throws {
        for try await transfer in daemon.transfers() { Issue.record("\(transfer)") }
        #expect(try await daemon.page() == TransferDaemon.Page(transfers: [], next: nil))
    }

    @Test func `a query is passed on`() {
        let query = TransferDaemon.Query(
            application: "app",
            session: "tracks",
            states: [.waiting, .running]
        )
        let method = Wire.ListTasks(query, after: 5, limit: 9)
        #expect(
            method
                == Wire.ListTasks(
                    application: "app",
                    session: "tracks",
                    states: [.waiting, .running],
                    after: 5,
                    limit: 9
                )
        )
        #expect(Wire.ListTasks(.init(), after: nil, limit: nil) == Wire.ListTasks())
    }

    @Test func `a transfer has all that the daemon tells of it`() async throws {
        await addTasks(1)
        let transfer = try await daemon.transfer(1)
        #expect(transfer.application == "org.example.app")
        #expect(transfer.session == "tracks")
        #expect(transfer.taskIdentifier == 11)
        #expect(transfer.state == .waiting)
        #expect(transfer.taskDescription == "cover")
        #expect(transfer.priority == 0.75)
        #expect(transfer.originalRequest.url?.path == "/old")
        #expect(transfer.originalRequest.httpMethod == "POST")
        #expect(transfer.originalRequest.httpBody == Data("body".utf8))
        #expect(transfer.originalRequest.value(forHTTPHeaderField: "X-Field") == "v")
        #expect(transfer.currentRequest?.url?.path == "/new")
        #expect(transfer.response?.statusCode == 206)
        #expect(transfer.response?.value(forHTTPHeaderField: "Vary") == "a, b")
        #expect(transfer.receivedByteCount == 5)
        #expect(transfer.expectedByteCount == 10)
        #expect(transfer.wait?.reason == .backoff)
        #expect(transfer.wait?.until == Date(timeIntervalSince1970: 50))
        #expect(transfer.wait?.detail == "again")
        #expect(transfer.failure == .init(code: "connectionLost", message: "gone"))
        #expect(transfer.attempts == 3)
        #expect(transfer.created == Date(timeIntervalSince1970: 20))
    }

    @Test
    func `a transfer's requests can be read, changed and compared, whether they are made or not`()
        async throws
    {
        await addTasks(1)
        let told = try await daemon.transfer(1)
        var transfer = told
        #expect(transfer.originalAddress == "https://example.com/old")
        transfer.originalRequest = told.originalRequest
        transfer.currentRequest = told.currentRequest
        #expect(transfer == told)
        #expect(transfer.hashValue == told.hashValue)
        transfer.originalRequest.url = URL(string: "https://example.com/other")
        #expect(transfer.originalAddress == "https://example.com/other")
        #expect(transfer != told)
        transfer = told
        transfer.currentRequest = nil
        #expect(transfer != told)
        #expect(told.currentRequest?.url?.path == "/new")
    }

    @Test func `a summary has what the daemon tells of a transfer in short`() async throws {
        await addTasks(3)
        let page = try await daemon.summaries(after: 1, limit: 1)
        #expect(page.next == 2)
        let summary = try #require(try page.transfers().first)
        #expect(summary.id == 2)
        #expect(summary.application == "org.example.app")
        #expect(summary.state == .waiting)
        #expect(summary.taskDescription == "cover")
        #expect(summary.originalAddress == "https://example.com/old")
        #expect(summary.relinkedAddress == "https://example.com/link")
        #expect(summary.status == 206)
        #expect(summary.contentDisposition == "attachment")
        #expect(summary.receivedByteCount == 5)
        #expect(summary.expectedByteCount == 10)
        #expect(summary.upload == .init(byteCount: 7, sentByteCount: 6))
        #expect(
            summary.wait
                == .init(reason: .backoff, until: Date(timeIntervalSince1970: 50), detail: "again")
        )
        #expect(summary.failure == .init(code: "connectionLost", message: "gone"))
        #expect(summary.bytesPerSecond == 99)
    }

    @Test func `a page of whole tasks is no page of summaries`() throws {
        let reply = Wire.ListTasks.Reply(tasks: Encoded([.sample(id: 1)]), next: 1)
        let page = TransferDaemon.EncodedPage<TransferDaemon.Summary>(reply)
        let error = #expect(throws: TransferDaemonError.self) { try page.transfers() }
        #expect(error?.code == .unexpectedReply)
    }

    @Test func `a transfer that is not there is an error of its own`() async throws {
        let error = await #expect(throws: TransferDaemonError.self) {
            try await daemon.transfer(77)
        }
        #expect(error?.code == .transferNotFound)
        #expect(error?.message == "there is no transfer 77")
    }

    @Test func `transfers are controlled by their numbers`() async throws {
        try await daemon.pause(3)
        try await daemon.resume(4)
        try await daemon.cancel(5)
        try await daemon.resume(6, ignoringConditions: true)
        #expect(
            scripted.calls.all == [
                "PauseTask 3", "ResumeTask 4", "CancelTask 5", "ResumeTask 6 now",
            ]
        )
    }

    @Test func `the timetable is told and changed`() async throws {
        let timetable = try await daemon.timetable()
        #expect(timetable.rules == [.init(number: 1, text: "daily 1k", holds: true)])
        #expect(timetable.faults == [.init(line: 2, text: "x", reason: "no rule")])
        #expect(timetable.rates == .init(receive: 1000, send: 2000))
        #expect(timetable.nextChange == Date(timeIntervalSince1970: 11))
        #expect(!timetable.admitsDiscretionaryWork)
        #expect(try await daemon.addRule("Sat 1k") == timetable)
        #expect(try await daemon.removeRule("2") == timetable)
        #expect(
            scripted.calls.all.suffix(3)
                == ["ChangeTimetable +Sat 1k", "GetTimetable", "ChangeTimetable -2"]
        )
    }

    @Test func `the settings are told, and read again`() async throws {
        let settings = try await daemon.settings()
        #expect(
            settings.all == [
                .init(name: "connections", value: "4", origin: .standard),
                .init(
                    name: "idle-time",
                    value: "1",
                    origin: .file(path: "/ferry.conf", line: 2)
                ),
            ]
        )
        #expect(
            settings.faults == [.init(file: "/ferry.conf", line: 3, text: "x", reason: "no")]
        )
        #expect(settings.files == [.init(path: "/ferry.conf", exists: true)])
        #expect(try await daemon.reload() == settings)
        #expect(scripted.calls.all.suffix(2) == ["GetSettings", "Reload"])
    }

    // MARK: - Changes

    /// Tells of changes, once somebody listens.
    private func notify(_ replies: Wire.WatchTasks.Reply..., ending: Bool = false) async {
        await scripted.calls.wait(for: "WatchTasks")
        await LoopActor.run {
            for reply in replies { scripted.watcher?.stream(reply) }
            if ending { scripted.watcher?.success(.init(tasks: [], removed: [99])) }
        }
    }

    @Test func `changes come as they happen`() async throws {
        var changes = daemon.changes().makeAsyncIterator()
        async let told: Void = notify(.init(tasks: [.sample(id: 1)], removed: []))
        let first = try await changes.next()
        await told
        #expect(first?.updated.map(\.id) == [1])
        await notify(.init(tasks: [], removed: [1]))
        let second = try await changes.next()
        #expect(second == TransferDaemon.Changes(updated: [], removed: [1]))
    }

    @Test func `that there are no transfers is news at the beginning`() async throws {
        var changes = daemon.changes().makeAsyncIterator()
        async let told: Void = notify(.init(tasks: [], removed: []))
        let first = try await changes.next()
        await told
        #expect(first == TransferDaemon.Changes(updated: [], removed: []))
    }

    @Test func `changes that are not taken gather into one`() async throws {
        var changes = daemon.changes(of: [1, 2, 3]).makeAsyncIterator()
        async let told: Void = notify(.init(tasks: [], removed: []))
        _ = try await changes.next()
        await told
        var later = Wire.Task.sample(id: 2)
        later.receivedByteCount = 9
        await notify(
            .init(tasks: [.sample(id: 1), .sample(id: 2)], removed: []),
            .init(tasks: [later], removed: []),
            .init(tasks: [.sample(id: 3)], removed: [1]),
            ending: true
        )
        // The last of them has come when the stream has ended, and the calls are answered in order.
        _ = try await daemon.page()
        var gathered = TransferDaemon.Changes(updated: [], removed: [])
        while let next = try await changes.next() {
            gathered.updated += next.updated
            gathered.removed += next.removed
        }
        #expect(gathered.updated.last { $0.id == 2 }?.receivedByteCount == 9)
        #expect(gathered.updated.contains { $0.id == 3 })
        #expect(Set(gathered.removed) == [1, 99])
    }

    @Test func `changes end with the daemon`() async throws {
        let daemon = daemon
        let scripted = scripted
        async let told: Void = notify(.init(tasks: [], removed: []))
        var changes = daemon.changes().makeAsyncIterator()
        _ = try await changes.next()
        await told
        try await scripted.die()
        do {
            while try await changes.next() != nil {}
            Issue.record("the stream has ended without an error")
        } catch let error as TransferDaemonError {
            #expect(error.code == .disconnected)
        }
        #expect(try await changes.next() == nil)
    }

    @Test func `changes end with the task that takes them`() async throws {
        let changes = daemon.changes()
        let watching = Task {
            var count = 0
            for try await _ in changes { count += 1 }
            return count
        }
        await notify(.init(tasks: [], removed: []))
        watching.cancel()
        #expect(try await watching.value <= 1)
    }

    // MARK: - Applications and the daemon

    @Test func `hooks have all that the daemon tells of them`() async throws {
        let hooks = try await daemon.hooks()
        #expect(
            hooks == [
                TransferDaemon.Hook(
                    application: "org.example.app",
                    launch: .init(
                        executable: "/bin/app",
                        arguments: ["-x"],
                        workingDirectory: "/tmp",
                        environment: ["A": "b"]
                    ),
                    attempts: 2,
                    nextLaunch: Date(timeIntervalSince1970: 5),
                    pendingSessions: ["tracks"],
                    isQuit: true
                )
            ]
        )
        try await daemon.removeHook(ofApplication: "org.example.app")
        #expect(try await daemon.quit(application: "org.example.app") == 3)
        #expect(
            scripted.calls.all == [
                "ListHooks", "RemoveHook org.example.app", "QuitApplication org.example.app",
            ]
        )
    }

    @Test func `the status has all that the daemon tells`() async throws {
        let status = try #require(try await daemon.status())
        #expect(status.version == "1.2")
        #expect(status.processIdentifier == 7)
        #expect(status.started == Date(timeIntervalSince1970: 9))
        #expect(status.sockets == [scripted.directory + "/socket"])
        #expect(status.stateDirectory == scripted.directory)
        #expect(status.log == .file(path: "/log"))
        #expect(status.runningCount == 1)
        #expect(status.waitingCount == 2)
        #expect(status.suspendedCount == 3)
        #expect(status.sessionCount == 4)
        #expect(status.connectionCount == 5)
        #expect(status.timetable == (try await daemon.timetable()))
        #expect(try await daemon.stop())
    }

    @Test func `a daemon that has gone is found again`() async throws {
        try await daemon.pause(1)
        try await scripted.die()
        try await scripted.start(at: [scripted.directory + "/state/ferry/run"])
        // USE-19: the call may go into the old connection, before its end is noticed.
        try await daemon.pause(2)
        #expect(scripted.calls.all.last == "PauseTask 2")
    }

    @Test func `USE-15: a daemon that is killed as it is asked for its status is not running`()
        async throws
    {
        await LoopActor.run { scripted.behaviours["GetStatus"] = [.keepSilent] }
        let status = Task { [daemon] in try await daemon.status() }
        await scripted.calls.wait(for: "GetStatus")
        // Nothing listens behind it.
        try FileManager.default.removeItem(
            atPath: scripted.directory + "/state/ferry/run/io.ferry.Transfer"
        )
        try await scripted.die()
        try? FileManager.default.removeItem(
            atPath: scripted.directory + "/state/ferry/run/io.ferry.Transfer"
        )
        #expect(try await status.value == nil)
    }

    @Test func `without a daemon there is no status, and nothing to stop`() async throws {
        let home = Home.path + "/nobody-\(UUID().uuidString)"
        let daemon = Self.daemon(startsIfNeeded: true, home: home)
        #expect(try await daemon.status() == nil)
        #expect(try await daemon.stop() == false)
    }

    @Test(arguments: [(false, TransferDaemonError.Code.notRunning), (true, .cannotStart)])
    func `without a daemon calls fail, and say why`(
        startsIfNeeded: Bool,
        code: TransferDaemonError.Code
    ) async throws {
        let home = Home.path + "/nobody-\(UUID().uuidString)"
        let daemon = Self.daemon(startsIfNeeded: startsIfNeeded, home: home)
        let error = await #expect(throws: TransferDaemonError.self) { try await daemon.hooks() }
        #expect(error?.code == code)
        #expect(error?.message.isEmpty == false)
        await #expect(throws: TransferDaemonError.self) {
            for try await _ in daemon.changes() {}
        }
    }

    // MARK: - Errors

    @Test(arguments: [
        (TransferInterfaceError.taskNotFound(id: 1), TransferDaemonError.Code.transferNotFound),
        (.applicationNotFound(application: "a"), .applicationNotFound),
        (.invalidRequest(parameter: "a", reason: "b"), .invalidRequest),
        (.storeUnavailable(reason: "a"), .storeUnavailable),
        (.timetableUnavailable(reason: "a"), .timetableUnavailable),
        (.limitExceeded(limit: "tasks", maximum: 1), .limitExceeded),
        (.resourceUnavailable(reason: "a"), .limitExceeded),
        (.permissionDenied, .permissionDenied),
        (.internalFailure(reason: "a"), .internalFailure),
        (.sessionInUse(identifier: "a", pid: 1), .unexpectedReply),
        (.sessionNotOpen(session: 1), .unexpectedReply),
    ])
    func `each refusal has a code and a message`(
        refusal: TransferInterfaceError,
        code: TransferDaemonError.Code
    ) {
        let error = TransferDaemonError(.refused(refusal))
        #expect(error.code == code)
        #expect(!error.message.isEmpty)
        #expect("\(error)" == error.message)
    }
}

extension Wire.Task {
    /// A task with something in every member.
    static func sample(id: Int64) -> Wire.Task {
        Wire.Task(
            id: id,
            application: "org.example.app",
            session: "tracks",
            identifier: Int(id) + 10,
            state: .waiting,
            description: "cover",
            priority: 0.75,
            originalRequest: Encoded(
                Wire.Request(
                    url: "https://example.com/old",
                    method: "POST",
                    fields: [.init(name: "X-Field", value: "v")],
                    body: Data("body".utf8),
                    idleTimeout: 60
                )
            ),
            currentRequest: Encoded(
                Wire.Request(
                    url: "https://example.com/new",
                    method: "GET",
                    fields: [],
                    idleTimeout: 60
                )
            ),
            response: Encoded(
                Wire.Response(
                    status: 206,
                    version: "HTTP/1.1",
                    fields: [.init(name: "Vary", value: "a"), .init(name: "vary", value: "b")],
                    url: "https://example.com/new"
                )
            ),
            receivedByteCount: 5,
            expectedByteCount: 10,
            wait: Wire.Wait(
                reason: .backoff,
                until: Date(timeIntervalSince1970: 50),
                detail: "again"
            ),
            failure: Wire.Failure(code: "connectionLost", message: "gone"),
            attempts: 3,
            created: Date(timeIntervalSince1970: 20)
        )
    }
}

extension Wire.TaskSummary {
    /// A summary with something in every member.
    static func sample(id: Int64) -> Wire.TaskSummary {
        let task = Wire.Task.sample(id: id)
        return Wire.TaskSummary(
            id: id,
            application: task.application,
            state: task.state,
            description: task.description,
            url: "https://example.com/old",
            link: "https://example.com/link",
            status: 206,
            disposition: "attachment",
            receivedByteCount: task.receivedByteCount,
            expectedByteCount: task.expectedByteCount,
            upload: Wire.Upload(byteCount: 7, sentByteCount: 6),
            wait: task.wait.map { Encoded($0) },
            failure: task.failure,
            bytesPerSecond: 99
        )
    }
}
