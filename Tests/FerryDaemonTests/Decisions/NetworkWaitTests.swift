import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(5))) struct NetworkWaitTests {
    private func lose(_ bench: inout MachineBench) {
        bench.input { $0.connectivityChanged(to: .disconnected) }
    }

    @Test func `without a network a task waits for one, and that is no attempt`() {
        var bench = MachineBench()
        let task = bench.start(bench.open())
        lose(&bench)
        bench.fail(task, .notConnected)
        #expect(bench.wait(of: task)?.reason == .network)
        #expect(bench.wait(of: task)?.until == nil)
        #expect(bench.database.current.tasks[task]?.record.attempts == 0)
        bench.wait(86_400 * 365)
        #expect(bench.transfers.isEmpty)
    }

    @Test func `when there is a network again, all that waited for one start`() {
        var bench = MachineBench(.limits(total: 9, host: 9))
        let client = bench.open(configuration: .limited(9))
        let first = bench.start(client, 1)
        lose(&bench)
        bench.fail(first, .timedOut)
        let second = bench.start(client, 2)
        #expect(bench.transfers.isEmpty)
        #expect(bench.wait(of: second)?.reason == .network)
        bench.input { $0.connectivityChanged(to: .connected) }
        bench.settle()
        #expect(Set(bench.transfers.keys) == [first, second])
    }

    @Test func `watchers are notified that the reasons of waits change with the network`() {
        var bench = MachineBench()
        bench.start(bench.open())
        #expect(bench.input { $0.connectivityChanged(to: .disconnected) } == [.waitsChanged])
        #expect(bench.input { $0.connectivityChanged(to: .disconnected) }.isEmpty)
        let effects = bench.input { $0.connectivityChanged(to: .connected) }
        #expect(effects.contains(.waitsChanged))
        // And when the store knows that no task waits for it.
        #expect(bench.input { $0.networkWaitEnded() }.contains(.waitsChanged))
    }

    @Test
    func `a task that waits for a network starts once its session has a proxy on this machine`() {
        var bench = MachineBench()
        let task = bench.start(bench.open())
        lose(&bench)
        bench.fail(task, .notConnected)
        #expect(bench.wait(of: task)?.reason == .network)
        var configuration = Wire.SessionConfiguration.sample
        configuration.connections = Wire.Connections(httpProxy: "http://127.0.0.1:3128")
        _ = bench.open(configuration: configuration)
        #expect(bench.loading == [task])
    }

    @Test func `a task that waits for a network starts once there is a proxy on this machine`() {
        var bench = MachineBench()
        let task = bench.start(bench.open())
        lose(&bench)
        bench.fail(task, .notConnected)
        var options = DaemonOptions()
        options.connections.httpProxy = "http://127.0.0.1:3128"
        bench.input { [options] in $0.settingsChanged(to: options) }
        bench.settle()
        #expect(bench.loading == [task])
    }

    @Test func `this machine is there without a network`() {
        #expect(Origin.isLocal("127.0.0.1:80"))
        #expect(Origin.isLocal("[::1]:8080"))
        #expect(Origin.isLocal("localhost:80"))
        #expect(!Origin.isLocal("localhost.example:80"))
        #expect(!Origin.isLocal("example.org:443"))
    }

    @Test func `a daemon that starts finds out anew whether there is a network`() {
        var bench = MachineBench()
        let task = bench.start(bench.open())
        lose(&bench)
        bench.fail(task, .notConnected)
        let next = MachineBench(on: bench.database)
        #expect(next.transfers[task] != nil)
    }

    @Test func `what fails for other reasons fails without a network, too`() {
        var bench = MachineBench()
        let task = bench.start(bench.open())
        lose(&bench)
        bench.fail(task, .badServerResponse)
        #expect(bench.database.current.tasks[task]?.record.state == .completed)
    }

    /// The store is asked for tasks, and has one that does not wait for a network yet.
    private func searching() -> (MachineBench, BenchClient, task: TaskID) {
        var bench = MachineBench()
        lose(&bench)
        let client = bench.open()
        let task = bench.start(client)
        bench.database.current.tasks[task]?.record.notBefore = nil
        bench.input { $0.searchForTasks() }
        return (bench, client, task)
    }

    /// A task that waits for a network, of which the store could not be told.
    private func unstored() -> (MachineBench, task: TaskID, commit: StoreLine.Commit) {
        let (begun, _, task) = searching()
        var bench = begun
        // The search that has found it was answered; its wait was not stored.
        bench.step()
        let commit = StoreLine.Commit(
            mutations: [
                .setRetry(
                    task: task,
                    attempts: 0,
                    notBefore: TaskRecord.networkWait,
                    lastError: nil
                )
            ],
            durability: .relaxed,
            continuation: .awaitingNetwork(task: task)
        )
        return (bench, task, commit)
    }

    @Test func `BG-20: a wait for a network does not take the place of a later begin`() {
        let (begun, client, task) = searching()
        var bench = begun
        // The store is told of the later begin before it answers.
        let now = bench.now
        let set = Wire.SetEarliestBegin(
            session: client.session,
            identifier: 1,
            earliestBegin: Wire.EarliestBegin(date: now + 3600, asks: false)
        )
        _ = bench.call(client) { $0.setEarliestBegin(set, from: $1) }
        bench.settle()
        bench.input { $0.connectivityChanged(to: .connected) }
        bench.settle()
        #expect(bench.transfers.isEmpty)
        #expect(bench.stored(task)?.notBefore == now + 3600)
    }

    @Test func `a task is noted as waiting once, however long the disk takes`() {
        let (bench, task, _) = unstored()
        #expect(bench.machine.readings.isUnstored(task))
        let searches = bench.effects.compactMap { effect in
            if case .query(.candidates(let search)) = effect { search } else { nil }
        }
        #expect(searches.last?.runningTasks == [task])
    }

    @Test func `a wait that the disk takes only when there is a network again ends`() {
        var (bench, task, commit) = unstored()
        bench.input { $0.connectivityChanged(to: .connected) }
        bench.settle()
        // It was to be stored before, and is now.
        _ = bench.database.transact([commit], failure: nil)
        bench.input { $0.committed(Receipt(), commit.continuation) }
        bench.settle()
        #expect(bench.transfers[task] != nil)
        #expect(bench.machine.readings.isEmpty)
    }
}
