import FerryStore
import FerryTransfer
import FerryWire
import FerryWireTestSupport
import FoundationEssentials
import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(5))) struct IdlenessTests {
    @Test func `a daemon with nothing to do ends after a while`() {
        var bench = MachineBench()
        #expect(bench.timers[.idle] == bench.now + 10)
        bench.wait(9.9)
        #expect(!bench.hasExited)
        bench.wait(0.2)
        #expect(bench.hasExited)
        #expect(bench.machine.isIdle)
    }

    @Test func `a daemon stays while somebody is connected`() {
        var bench = MachineBench()
        let client = bench.connect()
        #expect(bench.timers[.idle] == nil)
        bench.wait(1000)
        #expect(!bench.hasExited)
        bench.disconnect(client)
        bench.wait(10)
        #expect(bench.hasExited)
    }

    @Test func `a daemon stays while a transfer runs`() {
        var bench = MachineBench()
        let client = bench.open(launch: nil)
        let task = bench.start(client)
        bench.disconnect(client)
        bench.wait(1000)
        #expect(!bench.hasExited)
        bench.finish(task)
        bench.wait(10)
        #expect(bench.hasExited)
    }

    @Test func `a daemon stays while a task backs off, and sleeps meanwhile`() {
        var bench = MachineBench()
        let client = bench.open(launch: nil)
        let task = bench.start(client)
        bench.disconnect(client)
        bench.fail(task, .serverUnavailable, retryAfter: 200)
        // What is held against the machine's sleep is let go a while later.
        #expect(Set(bench.timers.keys) == [.retry, .inhibition])
        bench.forgetEffects()
        bench.wait(199)
        #expect(bench.effects.isEmpty)
        #expect(!bench.hasExited)
        bench.wait(1)
        #expect(bench.loading == [task])
    }

    @Test func `a daemon does not stay for tasks that are not to run`() {
        var bench = MachineBench()
        let client = bench.open(launch: nil)
        bench.create(client)
        bench.person { $0.pauseTask(1, from: $1) }
        bench.disconnect(client)
        bench.wait(10)
        #expect(bench.hasExited)
    }

    @Test func `a daemon does not stay for events that nobody is started for`() {
        var bench = MachineBench()
        let client = bench.open(launch: nil)
        bench.finish(bench.start(client))
        bench.disconnect(client)
        bench.wait(10)
        #expect(bench.hasExited)
        #expect(bench.database.current.totals().completedTasks == 1)
    }

    @Test func `a daemon stays for an application that it has started, or will start`() {
        var bench = MachineBench()
        bench.wait(5)
        let client = bench.open()
        bench.finish(bench.start(client))
        bench.disconnect(client)
        #expect(bench.launches.count == 1)
        bench.input { $0.launched(1, error: nil) }
        bench.wait(1000)
        #expect(!bench.hasExited)
        for _ in 1...10 { bench.ended(application: 1) }
        #expect(!bench.hasExited)
        let again = bench.open(process: 2)
        bench.acknowledge(again, 1)
        bench.disconnect(again)
        bench.input { $0.applicationExited(1, status: "") }
        bench.settle()
        bench.wait(11)
        #expect(bench.hasExited)
    }

    @Test func `a daemon does not stay for an application that it may not start any more`() {
        var bench = MachineBench()
        bench.wait(5)
        let client = bench.open()
        bench.finish(bench.start(client))
        bench.disconnect(client)
        bench.person { $0.removeHook("app", from: $1) }
        bench.input { $0.launched(1, error: "No such file") }
        bench.settle()
        bench.wait(10)
        #expect(bench.hasExited)
    }

    @Test func `a daemon does not end while a call is under way`() {
        var bench = MachineBench()
        let client = bench.connect()
        _ = bench.call(client) { $0.openSession(.sample(), from: $1) }
        bench.input { $0.disconnected(client.connection) }
        #expect(bench.timers[.idle] == nil)
        bench.settle()
        bench.wait(10)
        #expect(bench.hasExited)
    }

    @Test func `a client that comes at the last moment keeps the daemon`() {
        var bench = MachineBench()
        bench.wait(10)
        #expect(bench.hasExited)
        let client = bench.connect()
        bench.input { $0.proceed() }
        bench.settle()
        #expect(!bench.machine.isIdle)
        bench.wait(100)
        bench.disconnect(client)
        #expect(bench.timers[.idle] == bench.now + 10)
    }

    @Test func `a client that comes while the daemon looks round keeps it`() {
        var bench = MachineBench()
        bench.input { $0.timerFired(.idle) }
        _ = bench.connect()
        bench.settle()
        #expect(!bench.hasExited)
    }

    @Test func `a task that was overlooked is not left behind`() {
        var bench = MachineBench()
        // Nobody has told the machine of it.
        bench.database.commit([.sampleSession()])
        bench.machine.sessions.add(
            SessionRecord(id: 1, applicationID: 1, identifier: "session", configuration: [])
        )
        bench.database.commit([.sampleTask(1, state: .waiting)])
        bench.wait(10)
        #expect(!bench.hasExited)
        #expect(bench.loading == [1])
    }
}
