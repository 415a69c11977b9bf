import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

@Suite struct RelaunchTests {
    /// A bench whose application is gone and has a task that loads.
    private static func bench(
        configuration: Wire.SessionConfiguration = .sample,
        launch: Wire.Launch? = .sample
    ) -> (MachineBench, task: Int64) {
        var bench = MachineBench()
        // The first seconds of the daemon's life are over.
        bench.wait(5)
        let client = bench.open(launch: launch, configuration: configuration)
        let task = bench.start(client)
        bench.disconnect(client)
        return (bench, task)
    }

    @Test func `BG-30: an application is started when all of a session's tasks have ended`() {
        var bench = MachineBench()
        bench.wait(5)
        let client = bench.open()
        let tasks = [bench.start(client, 1), bench.start(client, 2)]
        bench.disconnect(client)
        bench.finish(tasks[0])
        #expect(bench.launches.isEmpty)
        bench.finish(tasks[1])
        #expect(bench.launches == ["session"])
        #expect(bench.launch == LaunchRecord(.sample))
    }

    @Test func `BG-30: a task that failed counts as much as one that succeeded`() {
        var (bench, task) = Self.bench()
        bench.fail(task, .badURL)
        #expect(bench.launches == ["session"])
    }

    @Test func `BG-30: a task that backs off has not ended`() {
        var (bench, task) = Self.bench()
        bench.fail(task)
        #expect(bench.launches.isEmpty)
    }

    @Test func `BG-30: an application that runs is not started`() {
        var bench = MachineBench()
        bench.wait(5)
        let client = bench.open()
        bench.finish(bench.start(client))
        #expect(bench.launches.isEmpty)
        bench.disconnect(client)
        #expect(bench.launches == ["session"])
    }

    @Test func `an application that has one session open is not started for another`() {
        var bench = MachineBench()
        bench.wait(5)
        let open = bench.open("open")
        let other = bench.open("other")
        let task = bench.start(other)
        bench.disconnect(other)
        bench.finish(task)
        #expect(bench.launches.isEmpty)
        bench.disconnect(open)
        #expect(bench.launches == ["other"])
    }

    @Test func `an application that is opening a session is not started`() {
        var (bench, task) = Self.bench()
        let call = bench.call(bench.connect(process: 2)) { $0.openSession(.sample(), from: $1) }
        bench.input { $0.finished(task: task, byteCount: 1, path: "/", at: $1) }
        bench.settle()
        #expect(bench.outcomes[call] != nil)
        #expect(bench.launches.isEmpty)
    }

    @Test func `BG-35: an application that does not want it is not started`() {
        var configuration = Wire.SessionConfiguration.sample
        configuration.sendsLaunchEvents = false
        var (bench, task) = Self.bench(configuration: configuration)
        bench.finish(task)
        #expect(bench.launches.isEmpty)
        #expect(bench.timers[.idle] != nil, "nobody has to stay for it")
    }

    @Test func `an application that cannot be started is not`() {
        var (bench, task) = Self.bench(launch: nil)
        bench.finish(task)
        #expect(bench.launches.isEmpty)
    }

    @Test func `a task that a person holds back does not keep its session's events`() {
        var (bench, task) = Self.bench()
        let client = bench.open(process: 2)
        let held = bench.create(client, 2)
        bench.disconnect(client)
        bench.person { $0.pauseTask(held, from: $1, at: moment(5)) }
        bench.finish(task)
        #expect(bench.launches == ["session"])
    }

    @Test func `a task that a person lets go keeps its application from being started`() {
        var (bench, task) = Self.bench()
        let client = bench.open(process: 2)
        let held = bench.start(client, 2)
        bench.disconnect(client)
        bench.person { $0.pauseTask(held, from: $1, at: moment(5)) }
        bench.finish(task)
        bench.ended(application: 1)
        // It was started in vain, the next start has to wait; meanwhile the person changes her mind.
        bench.person { $0.resumeTask(held, from: $1, at: moment(5)) }
        bench.wait(100)
        #expect(bench.launches == ["session"])
        bench.finish(held)
        #expect(bench.launches == ["session", "session"])
    }

    @Test func `a session that could not be deleted does not keep its application`() {
        var bench = MachineBench()
        bench.wait(5)
        let empty = bench.open("empty")
        let other = bench.open("other")
        let task = bench.start(other)
        bench.disconnect(other)
        bench.finish(task)
        bench.input { $0.disconnected(empty.connection, at: $1) }
        bench.step()
        bench.failure = .model(.diskFull)
        bench.settle()
        bench.failure = nil
        bench.wait(1)
        #expect(bench.launches == ["other"])
    }

    @Test func `an application that has closed its session runs as long as it is connected`() {
        var bench = MachineBench()
        bench.wait(5)
        let other = bench.open("other", process: 1)
        let task = bench.start(other)
        bench.disconnect(other)
        let open = bench.open("open", process: 2)
        bench.close(open)
        bench.finish(task)
        #expect(bench.launches.isEmpty)
        bench.disconnect(open)
        #expect(bench.launches == ["other"])
    }

    // MARK: The start

    @Test func `a start is noted before it happens`() {
        var (bench, task) = Self.bench()
        bench.input { $0.finished(task: task, byteCount: 1, path: "/", at: $1) }
        while bench.launches.isEmpty, bench.hasWork {
            #expect(bench.launches.isEmpty)
            bench.step()
        }
        let record = bench.database.synchronized.applications[1]
        #expect(record?.launchAttempts == 1)
        #expect(record?.nextLaunchAt == bench.now + 1)
    }

    @Test func `an application that was opened while its start was noted is not started`() {
        var (bench, task) = Self.bench()
        bench.input { $0.finished(task: task, byteCount: 1, path: "/", at: $1) }
        while !bench.machine.applications.values.contains(where: \.isLaunching) { bench.step() }
        let client = bench.open(process: 2)
        #expect(bench.launches.isEmpty)
        #expect(bench.machine.applications[1]?.isLaunching == false)
        bench.disconnect(client)
        bench.wait(1)
        #expect(bench.launches == ["session"])
    }

    @Test func `an application that was quit while its start was noted is not started`() {
        var (bench, task) = Self.bench()
        bench.input { $0.finished(task: task, byteCount: 1, path: "/", at: $1) }
        while !bench.machine.applications.values.contains(where: \.isLaunching) { bench.step() }
        bench.person { $0.quitApplication("app", from: $1) }
        #expect(bench.launches.isEmpty)
    }

    @Test func `a daemon that has just started waits for those that come by themselves`() {
        var (bench, task) = Self.bench()
        bench.finish(task)
        var next = MachineBench(on: bench.database, at: bench.now + 60)
        #expect(next.launches.isEmpty)
        next.wait(1.9)
        #expect(next.launches.isEmpty)
        next.wait(0.2)
        #expect(next.launches == ["session"])
    }

    @Test func `an application that comes by itself in time is not started by the next daemon`() {
        var (bench, task) = Self.bench()
        bench.finish(task)
        var next = MachineBench(on: bench.database, at: bench.now + 60)
        _ = next.open(process: 7)
        next.wait(100)
        #expect(next.launches.isEmpty)
    }

    // MARK: Back-off

    @Test func `an application that keeps dying is started ever more rarely`() {
        var (bench, task) = Self.bench()
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

    @Test func `an application that cannot be started is tried again later`() {
        var (bench, task) = Self.bench()
        bench.finish(task)
        bench.input { $0.launched(1, error: "No such file", at: $1) }
        bench.settle()
        #expect(bench.launches.count == 1)
        bench.wait(1)
        #expect(bench.launches.count == 2)
        #expect(bench.log.contains("cannot start app: No such file"))
    }

    @Test func `an application that takes its events is started at once the next time`() {
        var (bench, task) = Self.bench()
        bench.finish(task)
        bench.ended(application: 1)
        bench.wait(1)
        let client = bench.open(process: 2)
        #expect(bench.acknowledge(client, 1) == .done)
        #expect(bench.database.current.applications[1]?.launchAttempts == 0)
        #expect(bench.database.current.applications[1]?.nextLaunchAt == nil)
        bench.disconnect(client)
        bench.ended(application: 1)
        #expect(bench.launches.count == 3)
    }

    @Test func `the back-off outlives the daemon`() {
        var (bench, task) = Self.bench()
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
        var (bench, task) = Self.bench()
        bench.finish(task)
        bench.input { $0.launched(1, error: nil, at: $1) }
        bench.wait(100_000)
        #expect(bench.launches.count == 1)
        bench.ended(application: 1)
        #expect(bench.launches.count == 2)
    }

    @Test func `an application that has taken everything and ends is left alone`() {
        var (bench, task) = Self.bench()
        bench.finish(task)
        bench.input { $0.launched(1, error: nil, at: $1) }
        let client = bench.open(process: 2)
        bench.acknowledge(client, 1)
        bench.acknowledge(client, 2)
        // The kernel may tell of its connection before it tells of the process, or after.
        bench.input { $0.disconnected(client.connection, at: $1) }
        bench.input { $0.applicationExited(1, status: "exit 0", at: $1) }
        bench.settle()
        bench.wait(100_000)
        #expect(bench.launches.count == 1)
        #expect(bench.database.current.isEmpty)
        #expect(bench.machine.applications.isEmpty)
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
            guard case .answer(.opened(let session, _)) = bench.outcomes[call] else { continue }
            client.session = session
            for sequence: Int64 in 1...4 { bench.acknowledge(client, sequence) }
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
        var (bench, task) = Self.bench()
        #expect(bench.person { $0.removeHook("app", from: $1) } == .done)
        bench.finish(task)
        bench.wait(100)
        #expect(bench.launches.isEmpty)
        #expect(bench.database.current.applications[1]?.launch == nil)
    }

    @Test func `a hook that could not be removed is still there`() {
        var (bench, task) = Self.bench()
        bench.failure = .model(.diskFull)
        let outcome = bench.person { $0.removeHook("app", from: $1) }
        bench.failure = nil
        guard case .refusal(.storeUnavailable) = outcome else {
            Issue.record("\(String(describing: outcome))")
            return
        }
        bench.finish(task)
        #expect(bench.launches == ["session"])
    }

    @Test func `an application that opens a session again is started again`() {
        var (bench, task) = Self.bench()
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

extension MachineBench {
    /// The latest way in which an application was started.
    var launch: LaunchRecord? {
        for case .launch(_, let launch, _) in effects.reversed() { return launch }
        return nil
    }

    /// A process that the daemon has started has ended without a word.
    mutating func ended(application: Int64) {
        input { $0.launched(application, error: nil, at: $1) }
        input { $0.applicationExited(application, status: "signal 9", at: $1) }
        settle()
    }
}
