import FerryStore
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(5))) struct QuitTests {
    @Test func `BG-38: all transfers of an application that is quit are cancelled`() {
        var bench = MachineBench()
        let client = bench.open()
        let other = bench.open(application: "other", process: 2)
        for identifier in 1...3 { bench.create(client, identifier) }
        bench.resume(client, 1)
        let untouched = bench.start(other)
        let outcome = bench.person { $0.quitApplication("app", from: $1) }
        #expect(outcome == .answer(.cancelled(count: 3)))
        #expect(bench.loading == [untouched])
        #expect(bench.database.synchronized.applications[1]?.quit == true)
        #expect(bench.database.synchronized.totals().completedTasks == 3)
    }

    @Test func `BG-39: the application is told why, with what it can go on from`() {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.start(client)
        bench.resumeData[task] = Data([3])
        bench.disconnect(client)
        bench.person { $0.quitApplication("app", from: $1) }
        let stream = bench.subscribe(bench.open(process: 2))
        let event = bench.events[stream]?.first
        #expect(event?.failure?.code == "cancelled")
        #expect(event?.cancelReason == 0)
        #expect(event?.resumeData == Data([3]))
    }

    @Test func `BG-38: an application that is quit is not started until its user does`() {
        var bench = MachineBench()
        bench.wait(5)
        let client = bench.open()
        bench.start(client)
        bench.disconnect(client)
        bench.person { $0.quitApplication("app", from: $1) }
        bench.wait(100_000)
        #expect(bench.launches.isEmpty)
        let again = bench.open(process: 2)
        #expect(bench.database.synchronized.applications[1]?.quit == false)
        bench.disconnect(again)
        #expect(bench.launches == ["session"])
    }

    @Test func `BG-38: the next daemon does not start it either`() {
        var bench = MachineBench()
        let client = bench.open()
        bench.start(client)
        bench.disconnect(client)
        bench.person { $0.quitApplication("app", from: $1) }
        var next = MachineBench(on: bench.database)
        next.wait(100_000)
        #expect(next.launches.isEmpty)
        #expect(next.hasExited)
    }

    @Test func `an application that is quit is answered when that is durable`() {
        var bench = MachineBench()
        bench.open()
        bench.failure = .model(.diskFull)
        let outcome = bench.person { $0.quitApplication("app", from: $1) }
        #expect(outcome?.isStoreUnavailable == true)
        bench.failure = nil
        #expect(bench.machine.applications[1]?.record.quit == false)
        #expect(bench.machine.applications[1]?.objectionCount == 0)
    }

    @Test func `a session is not open before its application is no longer quit`() {
        var bench = MachineBench()
        let client = bench.open()
        bench.create(client)
        bench.disconnect(client)
        bench.person { $0.quitApplication("app", from: $1) }
        let again = bench.connect(process: 2)
        let call = bench.call(again) { $0.openSession(.sample(), from: $1) }
        bench.step()
        #expect(bench.outcomes[call] == nil)
        bench.settle()
        #expect(bench.outcomes[call] == .answer(.opened(session: 1, nextTaskIdentifier: 2)))
        #expect(bench.machine.applications[1]?.record.quit == false)
    }

    @Test func `a session that could not be opened for that goes`() {
        var bench = MachineBench()
        let client = bench.open("old")
        bench.create(client)
        bench.disconnect(client)
        bench.person { $0.quitApplication("app", from: $1) }
        let again = bench.connect(process: 2)
        let call = bench.call(again) { $0.openSession(.sample("new"), from: $1) }
        bench.step()
        bench.failure = .model(.diskFull)
        bench.step()
        bench.failure = nil
        bench.settle()
        #expect(bench.outcomes[call]?.isStoreUnavailable == true)
        #expect(bench.database.current.sessions.keys.sorted() == [client.sessionID])
        #expect(bench.machine.sessions.ids.sorted() == [client.sessionID])
    }

    @Test func `a quit that comes while the application starts has the last word`() {
        var bench = MachineBench()
        let client = bench.open()
        bench.create(client)
        bench.disconnect(client)
        let again = bench.connect(process: 2)
        _ = bench.call(again) { $0.openSession(.sample(), from: $1) }
        let person = bench.connect(process: 9)
        _ = bench.call(person) { $0.quitApplication("app", from: $1) }
        bench.settle()
        #expect(bench.machine.applications[1]?.record.quit == true)
        #expect(bench.database.current.applications[1]?.quit == true)
    }
}
