import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(5))) struct SchedulingTests {
    @Test func `BG-25: the daemon runs 32 transfers, 16 of a host, and of a session what it says`()
    {
        var bench = MachineBench(DaemonPolicy())
        let modest = bench.open("modest", configuration: .limited(6))
        for identifier in 1...7 { bench.start(modest, identifier, host: "a") }
        #expect(bench.loading.count == 6)
        let greedy = bench.open("greedy", configuration: .limited(100))
        for identifier in 1...20 { bench.start(greedy, identifier, host: "a") }
        #expect(bench.loading.count == 16)
        for identifier in 21...40 { bench.start(greedy, identifier, host: "b\(identifier)") }
        #expect(bench.loading.count == 32)
    }

    @Test func `no more transfers run than may`() {
        var bench = MachineBench(.limits(total: 4, host: 9))
        let client = bench.open(configuration: .limited(9))
        for identifier in 1...9 { bench.start(client, identifier, host: "host\(identifier)") }
        #expect(bench.loading.count == 4)
    }

    @Test func `no more transfers run for a host than may`() {
        var bench = MachineBench(.limits(total: 9, host: 3))
        let client = bench.open(configuration: .limited(9))
        for identifier in 1...5 { bench.start(client, identifier, host: "a") }
        #expect(bench.loading == [1, 2, 3])
        for identifier in 6...9 { bench.start(client, identifier, host: "b") }
        #expect(bench.loading == [1, 2, 3, 6, 7, 8])
    }

    @Test func `a session has no more transfers from a host than it may`() {
        var bench = MachineBench(.limits(total: 9, host: 9))
        let modest = bench.open("modest", configuration: .limited(2))
        for identifier in 1...4 { bench.start(modest, identifier) }
        #expect(bench.loading == [1, 2])
        let greedy = bench.open("greedy", configuration: .limited(4))
        for identifier in 1...3 { bench.start(greedy, identifier) }
        #expect(bench.loading == [1, 2, 5, 6, 7])
        bench.start(modest, 5, host: "b")
        #expect(bench.loading == [1, 2, 5, 6, 7, 8])
    }

    @Test func `a session has no more transfers than it may, from all hosts together`() {
        var bench = MachineBench(.limits(total: 9, host: 9))
        var configuration = Wire.SessionConfiguration.limited(9)
        configuration.maximumTransfers = 2
        let modest = bench.open("modest", configuration: configuration)
        for identifier in 1...4 { bench.start(modest, identifier, host: "host\(identifier)") }
        #expect(bench.loading == [1, 2])
        let greedy = bench.open("greedy", configuration: .limited(9))
        for identifier in 1...3 { bench.start(greedy, identifier, host: "host\(identifier)") }
        #expect(bench.loading == [1, 2, 5, 6, 7])
        // A transfer that ends makes room for the next one.
        bench.finish(1)
        #expect(bench.loading == [2, 4, 5, 6, 7])
        let wait = bench.wait(of: 3)
        #expect(wait?.reason == .connectionLimit)
        #expect(wait?.detail == "its session has 2 transfers, its limit")
        // More are allowed later.
        configuration.maximumTransfers = nil
        _ = bench.open("modest", process: 1, configuration: configuration)
        #expect(bench.loading == [2, 3, 4, 5, 6, 7])
    }

    @Test func `a search that finds what can have no place any more is made again`() throws {
        var bench = MachineBench(.limits(total: 4, host: 1))
        let client = bench.open(configuration: .limited(9))
        let waiting = (1...2).map { bench.start(client, $0, host: "a") }[1]
        bench.input { $0.searchForTasks() }
        let question = bench.stepHoldingBack()
        guard case .answered(.candidates(let search), _) = try #require(question.first) else {
            Issue.record("\(question)")
            return
        }
        // As if there had been room when the store was asked.
        let found = Candidates(tasks: [try #require(bench.stored(waiting))], earliestNotBefore: nil)
        let effects = bench.input {
            $0.answered(.candidates(search), .success(.candidates(found, for: search)))
        }
        #expect(effects.contains { if case .query(.candidates) = $0 { true } else { false } })
        bench.settle()
        #expect(bench.loading == [1])
    }

    @Test func `a session may have one transfer at least`() {
        var bench = MachineBench()
        let task = bench.start(bench.open(configuration: .limited(0)))
        #expect(bench.loading == [task])
    }

    @Test func `a port is a host of its own`() {
        var bench = MachineBench(.limits(total: 9, host: 1))
        let client = bench.open(configuration: .limited(9))
        bench.start(client, 1, host: "a")
        bench.start(client, 2, host: "a:8080")
        #expect(bench.loading == [1, 2])
    }

    @Test func `the place of a transfer that ends goes to the next task`() {
        var bench = MachineBench(.limits(total: 2, host: 9))
        let client = bench.open(configuration: .limited(9))
        for identifier in 1...5 { bench.start(client, identifier) }
        for task in [1, 2, 3, 4, 5] as [TaskID] {
            #expect(bench.loading == [task, task.next].filter { $0 <= 5 })
            bench.finish(task)
        }
        #expect(bench.loading.isEmpty)
        #expect(bench.machine.running.budget.free == 2)
    }

    @Test func `DL-26: tasks of a host run by priority, then by age`() {
        var bench = MachineBench(.limits(total: 1, host: 1))
        let client = bench.open()
        bench.start(client, 1)
        for (identifier, priority) in [(2, 0.2), (3, 0.8), (4, 0.5), (5, 0.8)] {
            bench.start(client, identifier, priority: priority)
        }
        for task: TaskID in [1, 3, 5, 4, 2] {
            #expect(bench.loading == [task])
            bench.finish(task)
        }
    }

    @Test func `every host has its turn`() {
        var bench = MachineBench(.limits(total: 1, host: 1))
        let client = bench.open()
        var identifier = 0
        for host in ["a", "b", "c"] {
            for _ in 1...3 {
                identifier += 1
                bench.start(client, identifier, host: host)
            }
        }
        var order: [String] = []
        while let task = bench.loading.first {
            order.append(bench.stored(task)?.host ?? "")
            bench.finish(task)
        }
        #expect(order == ["a:80", "b:80", "c:80", "a:80", "b:80", "c:80", "a:80", "b:80", "c:80"])
    }

    @Test func `a host whose tasks fill a page does not keep another from its room`() {
        var bench = MachineBench(.limits(total: 4, host: 2))
        let client = bench.open(configuration: .limited(1))
        let other = bench.open("other", configuration: .limited(1))
        for identifier in 1...5 { bench.create(client, identifier, host: "a") }
        for identifier in 1...5 { bench.create(other, identifier, host: "a") }
        bench.create(other, 6, host: "b")
        for identifier in 1...5 { bench.resume(client, identifier) }
        for identifier in 1...6 { bench.resume(other, identifier) }
        #expect(bench.loading == [1, 6, 11])
    }

    @Test func `the queue that was left is taken up`() {
        var database = ModelDatabase()
        database.commit([
            .sampleSession(), .sampleTask(1, state: .waiting), .sampleTask(2),
            .sampleTask(3, state: .held),
        ])
        let bench = MachineBench(on: database)
        #expect(bench.loading == [1])
        #expect(bench.machine.creations.nextTaskID == 4)
    }

    @Test func `one search runs at a time, and one more when something has changed`() {
        var bench = MachineBench()
        let client = bench.open()
        bench.forgetEffects()
        for _ in 1...5 { bench.input { $0.timerFired(.retry) } }
        #expect(bench.searchCount == 1)
        bench.settle()
        #expect(bench.searchCount == 2)
        bench.start(client)
    }

    @Test func `nothing is searched for while there is no room`() {
        var bench = MachineBench(.limits(total: 1, host: 1))
        let client = bench.open()
        bench.start(client, 1)
        bench.forgetEffects()
        bench.start(client, 2)
        #expect(bench.searchCount == 0)
        bench.finish(1)
        #expect(bench.loading == [2])
    }

    @Test func `tasks that run or end take no place among those that are found`() {
        var bench = MachineBench()
        let client = bench.open()
        let running = bench.start(client, 1)
        let ending = bench.start(client, 2)
        bench.forgetEffects()
        bench.input { $0.failed(task: ending, .sample(.badURL)) }
        let excluded = bench.effects.compactMap { effect in
            if case .query(.candidates(let request)) = effect { request.runningTasks } else { nil }
        }
        #expect(excluded == [[running, ending]])
    }
}

extension DaemonPolicy {
    static func limits(total: Int, host: Int) -> DaemonPolicy {
        var policy = DaemonPolicy.bench
        policy.maximumTransfers = total
        policy.maximumTransfersPerHost = host
        return policy
    }
}

extension MachineBench {
    /// How often the store was asked for tasks to start.
    var searchCount: Int {
        effects.count { effect in
            if case .query(.candidates) = effect { true } else { false }
        }
    }
}
