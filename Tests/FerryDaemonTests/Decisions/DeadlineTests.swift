import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(5))) struct DeadlineTests {
    @Test func `BG-17: a task fails when its time is up, retries or not`() {
        var bench = MachineBench()
        let client = bench.open(configuration: .timed(100))
        let running = bench.start(client, 1)
        let failing = bench.start(client, 2)
        bench.resumeData[running] = Data([7])
        bench.fail(failing, .serverUnavailable, retryAfter: 500)
        bench.wait(99)
        #expect(bench.database.current.totals().waitingTasks == 2)
        bench.wait(2)
        let events = bench.database.current.events(session: 1, after: 0, limit: 9)
            .compactMap(\.sent)
        #expect(events.map { $0.failure?.code } == ["resourceTimedOut", "resourceTimedOut"])
        #expect(events.map(\.resumeData) == [Data([7]), nil])
        #expect(bench.loading.isEmpty)
    }

    @Test func `BG-17: time runs from the first start and not while a task is suspended`() {
        var bench = MachineBench()
        let client = bench.open(configuration: .timed(100))
        let task = bench.create(client)
        bench.wait(500)
        bench.resume(client)
        #expect(bench.stored(task)?.deadline == bench.now + 100)
        bench.wait(60)
        bench.suspend(client)
        bench.wait(500)
        #expect(bench.stored(task)?.state == .suspended)
        bench.resume(client)
        #expect(bench.stored(task)?.deadline == bench.now + 40)
        bench.wait(41)
        #expect(bench.lastEvent?.failure?.code == "resourceTimedOut")
    }

    @Test func `a session without a limit lets its tasks take their time`() {
        var bench = MachineBench()
        let task = bench.start(bench.open())
        bench.wait(1_000_000)
        #expect(bench.loading == [task])
        #expect(bench.timers[.deadline] == nil)
    }

    @Test func `the earliest deadline of all is watched`() {
        var bench = MachineBench()
        let slow = bench.open("slow", configuration: .timed(100))
        let quick = bench.open("quick", configuration: .timed(10))
        bench.start(slow)
        #expect(bench.timers[.deadline] == bench.now + 100)
        let task = bench.start(quick)
        #expect(bench.timers[.deadline] == bench.now + 10)
        bench.finish(task)
        bench.wait(11)
        #expect(bench.timers[.deadline] == moment(100))
    }

    @Test func `deadlines outlive the daemon`() {
        var bench = MachineBench()
        bench.start(bench.open(configuration: .timed(100)))
        var next = MachineBench(on: bench.database)
        #expect(next.timers[.deadline] == moment(100))
        next.wait(101)
        #expect(next.lastEvent?.failure?.code == "resourceTimedOut")
    }

    @Test func `a download that is complete in time is not overdue`() {
        var bench = MachineBench()
        let task = bench.start(bench.open(configuration: .timed(10)))
        bench.wait(9)
        bench.input { $0.finished(task: task, byteCount: 1, path: "/") }
        bench.now = moment(11)
        bench.input { $0.timerFired(.deadline) }
        bench.settle()
        #expect(bench.lastEvent?.failure == nil)
        #expect(bench.database.current.totals().completedTasks == 1)
    }

    @Test func `more overdue tasks than a page holds all end`() {
        var bench = MachineBench(.limits(total: 2, host: 2))
        let client = bench.open(configuration: .timed(10))
        for identifier in 1...230 { bench.start(client, identifier) }
        bench.wait(20)
        #expect(bench.database.current.totals().completedTasks == 230)
        #expect(bench.loading.isEmpty)
    }
}
