import FerryStore
import FerryTransfer
import FerryWire
import FerryWireTestSupport
import FoundationEssentials
import Testing

@testable import FerryDaemon

/// What ferryd remembers of tasks that have ended.
@Suite(.timeLimit(.minutes(1))) struct MemoryTests {
    /// How a task ends, and what is remembered of it.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var failure: String?
        var status: Int?
        var received: Int64
        var end: @Sendable (inout MachineBench, BenchClient, TaskID) -> Void
    }

    static let cases = [
        Case(testDescription: "complete", status: 206, received: 12) { bench, _, task in
            bench.input {
                $0.responded(task: task, response: .sample(206), request: .sample())
            }
            bench.finish(task, byteCount: 12)
        },
        Case(testDescription: "an error page", status: 404, received: 2) { bench, _, task in
            bench.input {
                $0.responded(task: task, response: .sample(404), request: .sample())
            }
            bench.finish(task, byteCount: 2)
        },
        Case(testDescription: "failed", failure: "certificateUntrusted", received: 5) {
            bench,
            _,
            task in
            bench.progress(task, 5)
            bench.fail(task, .certificateUntrusted)
        },
        Case(testDescription: "cancelled by its application", failure: "cancelled", received: 0) {
            bench,
            client,
            _ in bench.cancel(client)
        },
        Case(testDescription: "cancelled by the user", failure: "cancelled", received: 7) {
            bench,
            _,
            task in
            bench.progress(task, 7)
            bench.person { $0.cancelTask(task, from: $1) }
        },
        Case(testDescription: "its application was quit", failure: "cancelled", received: 0) {
            bench,
            _,
            _ in bench.person { $0.quitApplication("app", from: $1) }
        },
        Case(testDescription: "its session was closed", failure: "cancelled", received: 0) {
            bench,
            client,
            _ in bench.close(client, cancel: true)
        },
    ]

    @Test(arguments: cases)
    func `USE-10: however a task ends, it is remembered`(ending: Case) throws {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.start(client)
        ending.end(&bench, client, task)
        for event in bench.database.current.eventKeys {
            bench.acknowledge(client, event.sequence)
        }
        let again = bench.open(process: 2)
        for event in bench.database.current.eventKeys {
            bench.acknowledge(again, event.sequence)
        }
        try #require(bench.stored(task) == nil)
        let records = bench.database.synchronized.endedTasks(limit: 9)
        let ended = try #require(records.compactMap { Wire.EndedTask($0) }.first)
        #expect(records.count == 1)
        #expect(ended.id == task.rawValue)
        #expect(ended.application == "app")
        #expect(ended.session == "session")
        #expect(ended.identifier == 1)
        #expect(ended.url == "http://a/1")
        #expect(ended.failure?.code == ending.failure)
        #expect(ended.status == ending.status)
        #expect(ended.receivedByteCount == ending.received)
        #expect(ended.ended >= ended.created)
        #expect(ended.path == nil)
    }

    @Test func `USE-10: where the file was put comes with the acknowledgement`() throws {
        var bench = MachineBench()
        let client = bench.open()
        bench.finish(bench.start(client, 1))
        bench.finish(bench.start(client, 2))
        let acknowledge = Wire.Acknowledge(
            session: client.session,
            sequence: 1,
            otherSequences: [2],
            savedFiles: [
                Wire.SavedFile(sequence: 2, path: "/home/ana/two"),
                Wire.SavedFile(sequence: 1, path: "/home/ana/one"),
            ]
        )
        #expect(bench.settledCall(client) { $0.acknowledge(acknowledge, from: $1) } == .done)
        let ended = bench.database.synchronized.endedTasks(limit: 9)
        #expect(ended.map(\.path) == ["/home/ana/two", "/home/ana/one"])
    }

    @Test(arguments: ["", "relative", String(repeating: "/a", count: 2049)])
    func `USE-10: what is no path is not remembered, and the event is acknowledged`(path: String) {
        var bench = MachineBench()
        let client = bench.open()
        bench.finish(bench.start(client))
        let acknowledge = Wire.Acknowledge(
            session: client.session,
            sequence: 1,
            savedFiles: [Wire.SavedFile(sequence: 1, path: path)]
        )
        #expect(bench.settledCall(client) { $0.acknowledge(acknowledge, from: $1) } == .done)
        #expect(bench.database.current.endedTasks(limit: 9).map(\.path) == [nil])
        #expect(bench.database.current.eventKeys.isEmpty)
    }

    @Test func `USE-10: that the user has deleted a file untaken is remembered`() {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.start(client)
        bench.disconnect(client)
        bench.finish(task)
        bench.person { $0.cancelTask(task, from: $1) }
        #expect(bench.stored(task) == nil)
        #expect(bench.database.current.endedTasks(limit: 9).map(\.isDiscarded) == [true])
    }

    @Test func `USE-10: nothing of an address is remembered that may be secret`() {
        var bench = MachineBench()
        let client = bench.open()
        let create = Wire.CreateDownload(
            session: client.session,
            identifier: 1,
            request: .sample("http://ana:secret@a/b?token=secret#secret"),
            priority: 0.5
        )
        bench.settledCall(client) { $0.createDownload(create, from: $1) }
        bench.cancel(client)
        let ended = bench.database.current.endedTasks.first.flatMap { Wire.EndedTask($0) }
        #expect(ended?.url == "http://a/b")
    }

    @Test func `USE-10: a row stays small whatever a task has`() throws {
        let long = String(repeating: "ä", count: 9000)
        let failure = Wire.EndedTask.bounded(Wire.Failure(code: "x", message: long))
        #expect(failure.message.utf8.count < 2100)
        var bench = MachineBench()
        let client = bench.open()
        bench.start(client)
        let describe = Wire.SetDescription(
            session: client.session,
            identifier: 1,
            description: long
        )
        bench.settledCall(client) { $0.setDescription(describe, from: $1) }
        bench.cancel(client)
        let ended = try #require(bench.database.current.endedTasks.first)
        #expect(ended.task.text.count < 1000)
        #expect(Wire.EndedTask(ended)?.failure?.code == "cancelled")
    }

    @Test func `USE-10: those that are wanted are found among all that are remembered`() {
        let records = [("app", "one"), ("app", "two"), ("other", "one")].enumerated().map {
            (index, names) in
            EndedTaskRecord(
                id: TaskID(Int64(index)),
                task: Encoded(
                    Wire.EndedTask(
                        id: Int64(index),
                        application: names.0,
                        session: names.1,
                        identifier: 1,
                        url: "http://a",
                        receivedByteCount: 0,
                        created: moment(0),
                        ended: moment(1)
                    )
                )
            )
        }
        let damaged = [EndedTaskRecord(id: 9, task: [1, 2])]
        func ids(_ call: Wire.ListEndedTasks) -> [Int64] {
            call.selection(of: damaged + records).map(\.id)
        }
        #expect(ids(Wire.ListEndedTasks()) == [0, 1, 2])
        #expect(ids(Wire.ListEndedTasks(ids: [2, 1, 9])) == [1, 2])
        #expect(ids(Wire.ListEndedTasks(application: "app")) == [0, 1])
        #expect(ids(Wire.ListEndedTasks(application: "app", session: "two")) == [1])
        #expect(ids(Wire.ListEndedTasks(limit: 1)) == [0])
        #expect(ids(Wire.ListEndedTasks(limit: -1)) == [])
    }
}
