import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(5))) struct RelaunchStartTests {
    // MARK: The start

    @Test func `a start is noted before it happens`() {
        var (bench, task) = RelaunchTests.bench()
        bench.input { $0.finished(task: task, byteCount: 1, path: "/") }
        while bench.launches.isEmpty, bench.hasWork {
            #expect(bench.launches.isEmpty)
            bench.step()
        }
        let record = bench.database.synchronized.applications[1]
        #expect(record?.launchAttempts == 1)
        #expect(record?.nextLaunchAt == bench.now + 1)
    }

    @Test func `an application that was opened while its start was noted is not started`() {
        var (bench, task) = RelaunchTests.bench()
        bench.input { $0.finished(task: task, byteCount: 1, path: "/") }
        while !bench.machine.applications.values.contains(where: \.isLaunching) { bench.step() }
        let client = bench.open(process: 2)
        #expect(bench.launches.isEmpty)
        #expect(bench.machine.applications[1]?.isLaunching == false)
        bench.disconnect(client)
        bench.wait(1)
        #expect(bench.launches == ["session"])
    }

    @Test func `an application that was quit while its start was noted is not started`() {
        var (bench, task) = RelaunchTests.bench()
        bench.input { $0.finished(task: task, byteCount: 1, path: "/") }
        while !bench.machine.applications.values.contains(where: \.isLaunching) { bench.step() }
        bench.person { $0.quitApplication("app", from: $1) }
        #expect(bench.launches.isEmpty)
    }

    @Test func `a daemon that has just started waits for those that come by themselves`() {
        var (bench, task) = RelaunchTests.bench()
        bench.finish(task)
        var next = MachineBench(on: bench.database, at: bench.now + 60)
        #expect(next.launches.isEmpty)
        next.wait(1.9)
        #expect(next.launches.isEmpty)
        next.wait(0.2)
        #expect(next.launches == ["session"])
    }

    @Test func `an application that comes by itself in time is not started by the next daemon`() {
        var (bench, task) = RelaunchTests.bench()
        bench.finish(task)
        var next = MachineBench(on: bench.database, at: bench.now + 60)
        _ = next.open(process: 7)
        next.wait(100)
        #expect(next.launches.isEmpty)
    }

    // MARK: Back-off

    @Test func `an application that keeps dying is started ever more rarely`() {
        var (bench, task) = RelaunchTests.bench()
        bench.finish(task)
        let timer = DaemonStateMachine.Timer.relaunch(application: 1)
        let delays = [1.0, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600, 3600]
        for (count, delay) in delays.enumerated() {
            #expect(bench.launches.count == count + 1)
            bench.ended(application: 1)
            #expect(bench.timers[timer] == bench.now + delay)
            bench.wait(delay)
        }
    }

    @Test func `REL-1: a start that hangs is one in vain, and its process is taken when it comes`()
    {
        var (bench, task) = RelaunchTests.bench()
        bench.finish(task)
        #expect(bench.launches.count == 1)
        bench.wait(59)
        #expect(bench.machine.applications[1]?.isLaunching == true)
        bench.wait(2)
        #expect(bench.log.contains { $0.contains("does not answer") })
        // The next one is not far off, and fails as long as the first one hangs.
        #expect(bench.launches.count == 2)
        bench.input { $0.launched(1, error: "hangs") }
        bench.settle()
        #expect(bench.machine.applications[1]?.isLaunching == false)
        #expect(bench.timers[.launch(application: 1)] == nil)
        bench.input { $0.launched(1, error: nil) }
        bench.wait(7200)
        #expect(bench.machine.applications[1]?.isLaunched == true)
        #expect(bench.launches.count == 2)
    }

    @Test func `an application that cannot be started is tried again later`() {
        var (bench, task) = RelaunchTests.bench()
        bench.finish(task)
        bench.input { $0.launched(1, error: "No such file") }
        bench.settle()
        #expect(bench.launches.count == 1)
        bench.wait(1)
        #expect(bench.launches.count == 2)
        #expect(bench.log.contains("cannot start app: No such file"))
    }

    @Test func `an application that takes its events is started at once the next time`() {
        var (bench, task) = RelaunchTests.bench()
        bench.finish(task)
        bench.ended(application: 1)
        bench.wait(1)
        let client = bench.open(process: 2)
        bench.finish(bench.start(client, 2))
        #expect(bench.acknowledge(client, 1) == .done)
        #expect(bench.database.current.applications[1]?.launchAttempts == 0)
        #expect(bench.database.current.applications[1]?.nextLaunchAt == nil)
        bench.disconnect(client)
        bench.ended(application: 1)
        #expect(bench.launches.count == 3)
    }

    @Test func `BG-24: an application that makes use of its starts has none delayed`() {
        var bench = MachineBench()
        bench.wait(5)
        var configuration = Wire.SessionConfiguration.sample
        configuration.launchesForEachTask = true
        let client = bench.open(configuration: configuration)
        let tasks = (1...20).map { bench.start(client, $0) }
        bench.disconnect(client)
        let begin = bench.now
        for (round, task) in tasks.enumerated() {
            #expect(bench.loading.contains(task))
            bench.finish(task)
            #expect(bench.launches.count == round + 1)
            bench.input { $0.launched(1, error: nil) }
            let started = bench.open(
                process: Int64(round + 2),
                configuration: configuration
            )
            bench.disconnect(takeEvents(&bench, started))
            bench.input { $0.applicationExited(1, status: "exit 0") }
            bench.settle()
        }
        #expect(bench.now == begin, "nothing has waited for time to pass")
    }

    @Test func `BG-24: the tasks of an application whose starts are delayed are not`() {
        var (bench, task) = RelaunchTests.bench()
        var pauses = 0.0
        for round in 1...20 {
            let begin = bench.now
            bench.finish(task)
            if let start = bench.timers[.relaunch(application: 1)] {
                bench.wait(start.timeIntervalSince(begin))
            }
            pauses += bench.now.timeIntervalSince(begin)
            #expect(bench.launches.count == round)
            bench.input { $0.launched(1, error: nil) }
            let client = takeEvents(&bench, bench.open(process: Int64(round + 1)))
            task = bench.start(client, round + 1)
            #expect(bench.loading == [task], "it has not waited for time to pass")
            bench.disconnect(client)
            bench.input { $0.applicationExited(1, status: "exit 0") }
            bench.settle()
        }
        #expect(pauses > 3600)
    }

    /// An application takes what there is for it.
    private func takeEvents(_ bench: inout MachineBench, _ client: BenchClient) -> BenchClient {
        bench.acknowledgeAll(client)
        return client
    }

    @Test func `the back-off outlives the daemon`() {
        var (bench, task) = RelaunchTests.bench()
        bench.finish(task)
        for delay in [1.0, 2, 4] {
            bench.ended(application: 1)
            bench.wait(delay)
        }
        bench.ended(application: 1)
        let next = MachineBench(on: bench.database, at: bench.now)
        #expect(next.timers[.relaunch(application: 1)] == bench.now + 8)
    }

    @Test func `an application is not started again while it runs`() {
        var (bench, task) = RelaunchTests.bench()
        bench.finish(task)
        bench.input { $0.launched(1, error: nil) }
        bench.wait(100_000)
        #expect(bench.launches.count == 1)
        bench.ended(application: 1)
        #expect(bench.launches.count == 2)
    }

    @Test func `an application that has taken everything and ends is left alone`() {
        var (bench, task) = RelaunchTests.bench()
        bench.finish(task)
        bench.input { $0.launched(1, error: nil) }
        let client = bench.open(process: 2)
        bench.acknowledge(client, 1)
        // The kernel may tell of its connection before it tells of the process, or after.
        bench.input { $0.disconnected(client.connection) }
        bench.input { $0.applicationExited(1, status: "exit 0") }
        bench.settle()
        bench.wait(100_000)
        #expect(bench.launches.count == 1)
        #expect(bench.database.current.isEmpty)
        #expect(bench.machine.applications.isEmpty)
    }

    @Test func `an application whose last acknowledgement comes behind a count is not started`() {
        var bench = Self.benchWithLateAcknowledgement()
        bench.settle()
        bench.wait(100)
        #expect(bench.launches.isEmpty)
        #expect(bench.database.current.isEmpty)
    }

    @Test func `an application is not started for what can no longer be counted`() {
        var bench = Self.benchWithLateAcknowledgement()
        bench.step()
        bench.failure = .model(.inputOutput)
        bench.settle()
        bench.person { $0.quitApplication("app", from: $1) }
        bench.wait(100)
        #expect(bench.launches.isEmpty)
        bench.failure = nil
        bench.wait(100)
        #expect(bench.launches.isEmpty)
        #expect(bench.database.current.isEmpty)
    }

    /// An application has taken everything and is gone; a count of what it has is ahead of its
    /// last acknowledgement, and shows an event.
    private static func benchWithLateAcknowledgement() -> MachineBench {
        var bench = MachineBench()
        bench.wait(5)
        let client = bench.open()
        bench.finish(bench.start(client))
        let close = Wire.CloseSession(session: client.session, cancel: false)
        _ = bench.call(client) { $0.closeSession(close, from: $1) }
        let acknowledge = Wire.Acknowledge(session: client.session, sequence: 1)
        _ = bench.call(client) { $0.acknowledge(acknowledge, from: $1) }
        bench.input { $0.disconnected(client.connection) }
        bench.step()
        return bench
    }

    @Test func `of two sessions that were taken neither starts the application again`() {
        var bench = MachineBench()
        bench.wait(5)
        var client = bench.open("one")
        let tasks = [bench.start(client, 1), bench.start(client, 2)]
        let other = bench.open("two")
        let third = bench.start(other)
        for task in tasks + [third] { bench.finish(task) }
        let again = bench.connect()
        for name in ["one", "two"] {
            let call = bench.call(again) { $0.openSession(.sample(name), from: $1) }
            bench.settle()
            guard case .answer(.opened(let session, _, _)) = bench.outcomes[call] else { continue }
            client.session = session.rawValue
            for sequence: Int64 in 1...2 { bench.acknowledge(client, sequence) }
        }
        bench.disconnect(client)
        bench.disconnect(other)
        bench.disconnect(again)
        bench.wait(100)
        #expect(bench.launches.isEmpty)
        #expect(bench.database.current.isEmpty)
    }

    // MARK: Hooks

    @Test func `a person wants an application to be started no more`() {
        var (bench, task) = RelaunchTests.bench()
        #expect(bench.person { $0.removeHook("app", from: $1) } == .done)
        bench.finish(task)
        bench.wait(100)
        #expect(bench.launches.isEmpty)
        #expect(bench.database.current.applications[1]?.launch == nil)
    }

    @Test func `a hook that could not be removed is still there`() {
        var (bench, task) = RelaunchTests.bench()
        bench.failure = .model(.diskFull)
        let outcome = bench.person { $0.removeHook("app", from: $1) }
        bench.failure = nil
        #expect(outcome?.isStoreUnavailable == true)
        bench.finish(task)
        #expect(bench.launches == ["session"])
    }

    @Test func `an application that opens a session again is started again`() {
        var (bench, task) = RelaunchTests.bench()
        bench.person { $0.removeHook("app", from: $1) }
        let client = bench.open(process: 2)
        bench.disconnect(client)
        bench.finish(task)
        #expect(bench.launches == ["session"])
    }

    @Test func `an application that is not known has no hook`() {
        var bench = MachineBench()
        let missing = TransferInterfaceError.applicationNotFound(application: "x")
        #expect(bench.person { $0.removeHook("x", from: $1) } == .refusal(missing))
        #expect(bench.person { $0.quitApplication("x", from: $1) } == .refusal(missing))
    }
}
