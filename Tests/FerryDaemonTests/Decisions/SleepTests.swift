import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(5))) struct SleepTests {
    private func effect(_ effect: DaemonStateMachine.Effect, in bench: MachineBench) -> Int? {
        bench.effects.lastIndex(of: effect)
    }

    private func checkpoint(_ byteCount: Int64) -> Encoded<ByteState> {
        let version = ResourceVersion(
            validator: nil,
            totalByteCount: byteCount * 2,
            url: "http://a/1"
        )
        return Encoded(
            ByteState(
                checkpoint: Checkpoint(
                    generation: 1,
                    version: version,
                    synchronizedByteCount: byteCount,
                    writtenByteCount: byteCount,
                    bootIdentifier: BootIdentifier(rawValue: "bench")
                )
            )
        )
    }

    /// An application wants its first task to keep the machine awake.
    private func keepAwake(_ client: BenchClient, _ bench: inout MachineBench) {
        let set = Wire.SetOptions(
            session: client.session,
            identifier: 1,
            options: Wire.TransferOptions(keepsMachineAwake: true)
        )
        _ = bench.settledCall(client) { $0.setOptions(set, from: $1) }
    }

    // MARK: Sleep

    @Test func `the machine sleeps when everything that was loaded is stored, and no earlier`() {
        var bench = MachineBench()
        let client = bench.open()
        let first = bench.start(client, 1)
        let second = bench.start(client, 2)
        bench.input { $0.machineSleeps() }
        bench.settle()
        #expect(bench.transfers.isEmpty)
        #expect(bench.tasksPutDown == [first, second])
        bench.input { [checkpoint = checkpoint(5)] in
            $0.flush(task: first, checkpoint)
        }
        bench.settle()
        #expect(effect(.allowSleep, in: bench) == nil)
        bench.input { $0.flush(task: second, nil) }
        // What was committed is not on the disk yet.
        #expect(effect(.allowSleep, in: bench) == nil)
        bench.settle()
        #expect(effect(.allowSleep, in: bench) != nil)
        #expect(bench.database.synchronized.tasks[first]?.record.checkpoint == checkpoint(5))
        #expect(bench.database.current.tasks[first]?.record.attempts == 0)
    }

    @Test func `without transfers the machine need not wait`() {
        var bench = MachineBench()
        bench.input { $0.machineSleeps() }
        bench.settle()
        #expect(effect(.allowSleep, in: bench) != nil)
    }

    @Test func `nothing starts while the machine is about to sleep, and all of it afterwards`() {
        var bench = MachineBench()
        let client = bench.open()
        let first = bench.start(client, 1)
        bench.input { $0.machineSleeps() }
        let second = bench.start(client, 2)
        bench.settle()
        #expect(bench.transfers.isEmpty)
        bench.input { $0.flush(task: first, nil) }
        bench.settle()
        #expect(bench.transfers.isEmpty)
        bench.input { $0.machineGoesOn(hasSlept: false) }
        bench.settle()
        #expect(Set(bench.transfers.keys) == [first, second])
    }

    @Test func `a search that is under way when sleep is announced starts nothing`() {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.start(client, 1)
        bench.input { $0.machineGoesOn(hasSlept: true) }
        bench.input { $0.machineSleeps() }
        bench.settle()
        #expect(bench.transfers.isEmpty)
        bench.input { $0.machineGoesOn(hasSlept: true) }
        bench.settle()
        #expect(bench.transfers[task] != nil)
    }

    @Test func `a task starts again only when its file is no longer being forced onto the disk`() {
        var bench = MachineBench()
        let task = bench.start(bench.open(), 1)
        bench.input { $0.machineSleeps() }
        bench.input { $0.machineGoesOn(hasSlept: true) }
        bench.settle()
        #expect(bench.transfers.isEmpty)
        bench.input { [checkpoint = checkpoint(5)] in
            $0.flush(task: task, checkpoint)
        }
        bench.settle()
        #expect(bench.transfers[task]?.task.checkpoint == checkpoint(5))
        #expect(effect(.allowSleep, in: bench) == nil)
    }

    @Test func `after sleep what still ran goes on over a new connection, and that is no attempt`()
        throws
    {
        var bench = MachineBench()
        let task = bench.start(bench.open(), 1)
        bench.forgetEffects()
        bench.input { $0.machineGoesOn(hasSlept: true) }
        bench.settle()
        let stop = try #require(effect(.stop(task: task), in: bench))
        let renewal = try #require(effect(.renewConnections, in: bench))
        #expect(stop < renewal)
        #expect(bench.startedTasks == [task])
        #expect(bench.stored(task)?.attempts == 0)
    }

    @Test func `that the machine stays awake, which it was not about to leave, changes nothing`() {
        var bench = MachineBench()
        let task = bench.start(bench.open(), 1)
        bench.forgetEffects()
        bench.input { $0.machineGoesOn(hasSlept: false) }
        bench.settle()
        #expect(bench.effects.isEmpty)
        #expect(bench.transfers[task] != nil)
    }

    @Test func `a host that was left alone is tried again after sleep`() {
        var bench = MachineBench()
        let client = bench.open(configuration: .limited(9))
        for number in 1...HostBreaker.threshold {
            bench.fail(bench.start(client, number), .cannotConnectToHost)
        }
        let task = bench.start(client, 50)
        #expect(bench.wait(of: task)?.reason == .hostFailure)
        bench.input { $0.machineGoesOn(hasSlept: true) }
        bench.settle()
        #expect(bench.transfers[task] != nil)
    }

    @Test func `a full disk does not keep the machine awake`() {
        var bench = MachineBench()
        let task = bench.start(bench.open(), 1)
        bench.input { $0.machineSleeps() }
        bench.settle()
        bench.failure = .model(.diskFull)
        bench.input { [checkpoint = checkpoint(5)] in
            $0.flush(task: task, checkpoint)
        }
        bench.settle()
        #expect(effect(.allowSleep, in: bench) != nil)
    }

    @Test(arguments: [0, 5, 600])
    func
        `REL-13: a machine that neither sleeps nor says that it does not counts as awake in the end`(
            _ delay: Double
        )
    {
        var bench = MachineBench()
        let task = bench.start(bench.open(), 1)
        bench.wait(1)
        bench.input { $0.machineSleeps(delay: delay) }
        bench.input { $0.flush(task: task, nil) }
        bench.settle()
        #expect(bench.wait(of: task)?.reason == .machineSleep)
        bench.wait(delay + 119)
        #expect(bench.transfers.isEmpty)
        bench.wait(2)
        #expect(bench.transfers[task] != nil)
        #expect(bench.inhibitions == [.delay, .delay])
    }

    @Test(arguments: [false, true])
    func `REL-13: the time of a machine that goes on is over`(_ hasSlept: Bool) {
        var bench = MachineBench()
        let task = bench.start(bench.open(), 1)
        bench.input { $0.machineSleeps() }
        bench.input { $0.flush(task: task, nil) }
        bench.settle()
        bench.input { $0.machineGoesOn(hasSlept: hasSlept) }
        bench.settle()
        #expect(bench.timers[.sleep] == nil)
        // What is announced next has a time of its own.
        bench.wait(100)
        bench.input { $0.machineSleeps() }
        bench.input { $0.flush(task: task, nil) }
        bench.wait(100)
        #expect(bench.transfers.isEmpty)
    }

    // MARK: Inhibitors

    @Test func `sleep is delayed while something runs, and not when nothing has run for a while`() {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.start(client, 1)
        #expect(bench.inhibitions.isEmpty)
        bench.wait(1)
        #expect(bench.inhibitions == [.delay])
        bench.wait(3600)
        bench.finish(task)
        bench.wait(1)
        #expect(bench.inhibitions == [.delay, []])
    }

    @Test func `a transfer that is over in a moment holds nothing`() {
        var bench = MachineBench()
        bench.finish(bench.start(bench.open(), 1))
        bench.wait(10)
        #expect(bench.inhibitions.isEmpty)
    }

    @Test func `a thousand transfers in a row have the bus called once`() {
        var bench = MachineBench()
        let client = bench.open()
        var task = bench.start(client, 1)
        for number in 2...1000 {
            let next = bench.start(client, number)
            bench.finish(task)
            task = next
            bench.wait(0.05)
        }
        #expect(bench.inhibitions == [.delay])
    }

    @Test func `the machine stays awake while a task runs that wants that`() {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.start(client, 1)
        bench.wait(1)
        keepAwake(client, &bench)
        bench.wait(1)
        #expect(bench.inhibitions == [.delay, [.delay, .awake]])
        // It backs off.
        bench.fail(task, .cannotConnectToHost)
        bench.wait(0.2)
        #expect(bench.inhibitions.count == 2)
    }

    @Test func `a task that waits does not keep the machine awake`() {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.start(client, 1)
        keepAwake(client, &bench)
        bench.wait(1)
        #expect(bench.inhibitions == [[.delay, .awake]])
        bench.input { $0.connectivityChanged(to: .disconnected) }
        bench.fail(task, .notConnected)
        bench.wait(1)
        #expect(bench.inhibitions == [[.delay, .awake], []])
    }

    @Test func `a task that waits for another address does not keep the machine awake`() {
        var bench = MachineBench()
        var configuration = Wire.SessionConfiguration.sample
        configuration.replacesLinks = true
        let client = bench.open(configuration: configuration)
        let task = bench.start(client, 1)
        keepAwake(client, &bench)
        bench.wait(1)
        #expect(bench.inhibitions == [[.delay, .awake]])
        bench.fail(task, .linkExpired)
        bench.wait(1)
        #expect(bench.inhibitions == [[.delay, .awake], []])
    }

    @Test func `a task that waits for room on a full disk does not keep the machine awake`() {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.start(client, 1)
        keepAwake(client, &bench)
        bench.wait(1)
        bench.failure = StoreError(code: .diskFull, message: "full")
        bench.input { $0.failed(task: task, .sample(.diskFull)) }
        bench.wait(1)
        #expect(bench.inhibitions == [[.delay, .awake], []])
    }

    @Test func `what was held before sleep is held again afterwards`() {
        var bench = MachineBench()
        let task = bench.start(bench.open(), 1)
        bench.wait(1)
        bench.input { $0.machineSleeps() }
        bench.input { $0.flush(task: task, nil) }
        bench.settle()
        bench.wait(5)
        #expect(bench.inhibitions == [.delay])
        bench.input { $0.machineGoesOn(hasSlept: true) }
        #expect(bench.inhibitions == [.delay, .delay])
    }
}
