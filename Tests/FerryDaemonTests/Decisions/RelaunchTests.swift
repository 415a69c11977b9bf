import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(5))) struct RelaunchTests {
    /// A bench whose application is gone and has a task that loads.
    static func bench(
        configuration: Wire.SessionConfiguration = .sample,
        launch: Wire.Launch? = .sample
    ) -> (MachineBench, task: TaskID) {
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
        #expect(bench.launch == Wire.Launch.sample)
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

    @Test func `BG-30: a task that nobody has resumed has not ended`() {
        var bench = MachineBench()
        bench.wait(5)
        let client = bench.open()
        let task = bench.start(client, 1)
        _ = bench.start(client, 2)
        bench.suspend(client, 2)
        bench.disconnect(client)
        bench.finish(task)
        #expect(bench.launches.isEmpty)
        let again = bench.open()
        bench.cancel(again, 2)
        bench.disconnect(again)
        #expect(bench.launches == ["session"])
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
        bench.input { $0.finished(task: task, byteCount: 1, path: "/") }
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

    /// A session whose application is started for each end.
    private static let alone: Wire.SessionConfiguration = {
        var configuration = Wire.SessionConfiguration.sample
        configuration.launchesForEachTask = true
        return configuration
    }()

    @Test func `USE-2: an application that wants each end is started although others still load`() {
        var bench = MachineBench()
        bench.wait(5)
        let client = bench.open(configuration: Self.alone)
        let tasks = [bench.start(client, 1), bench.start(client, 2)]
        bench.disconnect(client)
        bench.finish(tasks[0])
        #expect(bench.launches == ["session"])
    }

    @Test func `USE-2: a session whose events cannot be taken keeps back no other`() {
        var bench = MachineBench()
        bench.wait(5)
        for identifier in ["bad", "good", "better"] {
            bench.leaveNews(in: identifier, configuration: Self.alone)
        }
        for _ in 0..<3 {
            // The process ends without having taken anything.
            bench.ended(application: 1)
            bench.wait(3600)
        }
        #expect(Array(bench.launches.prefix(4)) == ["bad", "good", "better", "bad"])
    }

    @Test func `USE-2: a session waits for no start that has failed for another`() {
        var (bench, task) = Self.bench(configuration: Self.alone)
        bench.finish(task)
        for _ in 0..<14 {
            bench.ended(application: 1)
            bench.wait(3600)
        }
        bench.ended(application: 1)
        let client = bench.open("good", process: 2, configuration: Self.alone)
        let good = bench.start(client)
        bench.disconnect(client)
        let count = bench.launches.count
        bench.finish(good)
        // Nor does it wait long if its own first start fails.
        for expected in 1...3 {
            bench.wait(3)
            #expect(bench.launches.count == count + expected && bench.launches.last == "good")
            bench.ended(application: 1)
        }
        let next = bench.open("good", process: 3, configuration: Self.alone)
        bench.acknowledgeAll(next)
        bench.disconnect(next)
        // The other one is tried at once, and then as rarely as before.
        bench.wait(1)
        #expect(bench.launches.dropFirst(count + 3) == ["session"])
        bench.ended(application: 1)
        bench.wait(3590)
        #expect(bench.launches.count == count + 4)
        bench.wait(10)
        #expect(bench.launches.last == "session")
    }

    @Test func `USE-2: sessions whose starts failed together are all started soon after`() {
        var bench = MachineBench()
        bench.wait(5)
        for number in 1...13 { bench.leaveNews(in: "\(number)", configuration: Self.alone) }
        for _ in 0..<20 {
            bench.ended(application: 1)
            bench.wait(1)
        }
        let count = bench.launches.count
        for _ in 0..<20 {
            bench.ended(application: 1)
            bench.wait(1)
        }
        #expect(Set(bench.launches.dropFirst(count)).count == 13)
    }

    @Test func `USE-2: a session whose start has failed has its turn beside another with news`() {
        var (bench, task) = Self.bench(configuration: Self.alone)
        bench.finish(task)
        bench.ended(application: 1)
        for round in 1...10 {
            let other = bench.open("other", process: 2, configuration: Self.alone)
            bench.acknowledgeAll(other)
            let file = bench.start(other, round)
            bench.disconnect(other)
            bench.finish(file)
            bench.wait(1)
            bench.ended(application: 1)
        }
        #expect(bench.launches.count { $0 == "session" } > 2, "\(bench.launches)")
    }

    @Test
    func `of two processes that open a session at once, none keeps the start of another one back`()
    {
        var bench = MachineBench()
        let client = bench.open(configuration: Self.alone)
        let tasks = [bench.start(client, 1), bench.start(client, 2)]
        bench.disconnect(client)
        bench.finish(tasks[0])
        #expect(bench.launches.isEmpty, "it is too early")
        for process in [2, 3] as [Int64] {
            let client = bench.connect(process: process)
            _ = bench.call(client) { $0.openSession(.sample("other"), from: $1) }
        }
        bench.settle()
        bench.wait(5)
        #expect(bench.launches == ["session"])
    }

    @Test func `USE-2: such a session waits for no other process of its application`() {
        var bench = MachineBench()
        bench.wait(5)
        let other = bench.open("other", process: 2, configuration: Self.alone)
        let client = bench.open(configuration: Self.alone)
        let tasks = [bench.start(client, 1), bench.start(client, 2), bench.start(other, 1)]
        bench.finish(tasks[2])
        #expect(bench.launches.isEmpty, "somebody is there to take it")
        bench.disconnect(client)
        bench.finish(tasks[0])
        #expect(bench.launches == ["session"])
    }

    @Test func `USE-2: opening one session keeps no application from being started for another`() {
        var bench = MachineBench()
        let client = bench.open(configuration: Self.alone)
        let task = bench.start(client, 1)
        bench.start(client, 2)
        bench.disconnect(client)
        bench.finish(task)
        // The first seconds of the daemon's life: it is to be started when they are over.
        #expect(bench.launches.isEmpty)
        bench.open("other", process: 2, configuration: Self.alone)
        bench.wait(5)
        #expect(bench.launches == ["session"])
    }

    @Test func `an application that cannot be started is not`() {
        var (bench, task) = Self.bench(launch: nil)
        bench.finish(task)
        #expect(bench.launches.isEmpty)
    }

    @Test func `BG-30: a task that a person holds back has not ended`() {
        var (bench, task) = Self.bench()
        let client = bench.open(process: 2)
        let held = bench.start(client, 2)
        bench.disconnect(client)
        bench.person { $0.pauseTask(held, from: $1) }
        bench.finish(task)
        #expect(bench.launches.isEmpty)
        bench.person { $0.resumeTask(held, from: $1) }
        bench.finish(held)
        #expect(bench.launches == ["session"])
    }

    @Test func `an application whose client could not open a session is started for another`() {
        var (bench, task) = Self.bench()
        bench.finish(task)
        bench.ended(application: 1)
        #expect(bench.launches == ["session"])
        let client = bench.connect(process: 2)
        _ = bench.call(client) { $0.openSession(.sample("other"), from: $1) }
        bench.failure = .model(.diskFull)
        // It would be started again now, were it not about to open a session.
        bench.wait(100)
        bench.failure = nil
        bench.wait(100)
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
        bench.input { $0.disconnected(empty.connection) }
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
}

extension MachineBench {
    /// The latest way in which an application was started.
    var launch: Wire.Launch? {
        for case .launch(_, let launch, _) in effects.reversed() { return launch }
        return nil
    }

    /// A process makes a task in a session and ends, before the task does.
    mutating func leaveNews(
        in identifier: String,
        configuration: Wire.SessionConfiguration
    ) {
        let client = open(identifier, process: 2, configuration: configuration)
        let task = start(client)
        disconnect(client)
        finish(task)
    }

    /// A client acknowledges all events of its session.
    mutating func acknowledgeAll(_ client: BenchClient) {
        let own = database.current.eventKeys.filter { $0.session == client.sessionID }
        for event in own { acknowledge(client, event.sequence) }
    }

    /// A process that the daemon has started has ended without a word.
    mutating func ended(application: ApplicationID) {
        input { $0.launched(application, error: nil) }
        input { $0.applicationExited(application, status: "signal 9") }
        settle()
    }
}
