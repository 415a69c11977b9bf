import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(5))) struct WaitTests {
    @Test func `a task that does not wait has no reason to`() {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.create(client)
        #expect(bench.wait(of: task) == nil)
        bench.resume(client)
        #expect(bench.wait(of: task) == nil)
        bench.finish(task)
        #expect(bench.wait(of: task) == nil)
    }

    @Test func `a person has paused it`() {
        var bench = MachineBench()
        let task = bench.start(bench.open())
        bench.person { $0.pauseTask(task, from: $1) }
        #expect(bench.wait(of: task)?.reason == .paused)
    }

    @Test func `its last attempt has failed`() throws {
        var bench = MachineBench()
        let task = bench.start(bench.open())
        bench.fail(task, .cannotFindHost)
        let wait = try #require(bench.wait(of: task))
        #expect(wait.reason == .backoff)
        #expect(wait.until == bench.now + 0.5)
        #expect(wait.detail == "cannotFindHost")
    }

    @Test func `its last attempt has failed, which the store cannot take yet`() throws {
        var bench = MachineBench()
        let task = bench.start(bench.open())
        bench.input { $0.failed(task: task, .sample(.diskFull)) }
        let wait = try #require(bench.wait(of: task))
        #expect(wait.reason == .diskSpace)
        #expect(wait.until == bench.now + bench.machine.policy.diskFullDelay)
        #expect(wait.detail == "diskFull")
        bench.now += 60
        #expect(bench.wait(of: task)?.reason == .diskSpace)
        #expect(bench.wait(of: task)?.until == nil)
    }

    @Test func `its session has as many transfers from the host as it may`() {
        var bench = MachineBench(.limits(total: 9, host: 9))
        let client = bench.open(configuration: .limited(1))
        bench.start(client, 1)
        let task = bench.start(client, 2)
        let wait = bench.wait(of: task)
        #expect(wait?.reason == .hostLimit)
        #expect(wait?.detail == "its session has 1 of 1 transfers from a:80")
    }

    @Test func `a limit of none counts as one`() {
        var bench = MachineBench(.limits(total: 9, host: 9))
        let client = bench.open(configuration: .limited(0))
        bench.start(client, 1)
        let task = bench.start(client, 2)
        let detail = bench.wait(of: task)?.detail
        #expect(detail == "its session has 1 of 1 transfers from a:80")
    }

    @Test func `its host has as many transfers as it may`() {
        var bench = MachineBench(.limits(total: 9, host: 1))
        let client = bench.open()
        bench.start(client, 1)
        let task = bench.start(client, 2)
        let wait = bench.wait(of: task)
        #expect(wait?.reason == .hostLimit)
        #expect(wait?.detail == "a:80 has 1 transfers, the limit; 1 of them its application's")
    }

    @Test func `there are as many transfers as there may be`() {
        var bench = MachineBench(.limits(total: 1, host: 1))
        let client = bench.open()
        bench.start(client, 1, host: "b")
        let task = bench.start(client, 2)
        let wait = bench.wait(of: task)
        #expect(wait?.reason == .connectionLimit)
        #expect(wait?.detail == "1 transfers run, the limit; 1 of them its application's")
    }

    @Test func `it is about to start`() {
        var bench = MachineBench()
        let client = bench.open()
        bench.create(client)
        let resume = Wire.Resume(session: client.session, identifier: 1)
        _ = bench.call(client) { $0.resume(resume, from: $1) }
        bench.step()
        #expect(bench.wait(of: 1)?.reason == .starting)
    }

    @Test func `a list shows of each task what all of it is told with`() throws {
        var bench = MachineBench(.limits(total: 9, host: 9))
        let one = bench.open(configuration: .limited(1))
        let other = bench.open("other", configuration: .limited(1), over: one)
        let tasks = [
            bench.start(one, 1), bench.start(one, 2), bench.start(one, 3), bench.create(one, 4),
            bench.start(one, 5, host: "b"), bench.start(one, 6, host: "b"),
            bench.start(other, 1), bench.start(other, 2),
        ]
        bench.fail(tasks[4], .cannotFindHost)
        bench.person { $0.pauseTask(tasks[2], from: $1) }
        let records = tasks.compactMap { bench.stored($0) }
        for (summary, record) in zip(bench.summaries(records), records) {
            let task = bench.machine.presentation(of: record, at: bench.now)
            #expect(summary.id == task.id)
            #expect(summary.application == task.application)
            #expect(summary.state == task.state)
            #expect(summary.description == task.description)
            #expect(summary.url == task.originalRequest.url)
            #expect(summary.link == task.link)
            #expect(summary.wait?.value == task.wait)
            #expect(summary.failure == task.failure)
        }
        let reasons = bench.summaries(records).map { $0.wait?.value?.reason }
        #expect(Set(reasons) == [nil, .hostLimit, .paused, .backoff])
    }
}

extension MachineBench {
    /// Why a task does not run.
    func wait(of task: TaskID) -> Wire.Wait? {
        stored(task).flatMap { machine.wait(of: $0, at: now) }
    }

    /// What a list shows of tasks.
    func summaries(_ records: [TaskRecord]) -> [Wire.TaskSummary] {
        var waits = DaemonStateMachine.QueueWaits()
        return records.map { machine.summary(of: $0, at: now, &waits) }
    }
}
