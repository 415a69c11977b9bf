import FerryStore
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(5))) struct StopTests {
    @Test func `a daemon that is told to stop answers and ends`() {
        var bench = MachineBench()
        let client = bench.connect()
        let call = bench.call(client) { $0.stopDaemon(call: $1.call) }
        #expect(bench.outcomes[call] == .done)
        #expect(bench.hasExited)
        #expect(!bench.machine.isIdle, "it is not to go on for a late client")
    }

    @Test func `a daemon notes how far its transfers have come before it ends`() {
        var bench = MachineBench()
        let client = bench.open()
        let tasks = [bench.start(client, 1), bench.start(client, 2)]
        bench.progress(tasks[0], 30)
        bench.progress(tasks[1], 60)
        bench.input { machine in machine.stopDaemon(call: nil) }
        #expect(bench.loading.isEmpty)
        #expect(!bench.hasExited)
        bench.settle()
        #expect(bench.hasExited)
        #expect(tasks.map { bench.stored($0)?.receivedByteCount } == [30, 60])
        let next = MachineBench(on: bench.database)
        #expect(next.loading == tasks)
    }

    @Test func `a download that is being stored is stored`() {
        var bench = MachineBench()
        let task = bench.start(bench.open())
        bench.input { $0.finished(task: task, byteCount: 1, path: "/") }
        bench.input { machine in machine.stopDaemon(call: nil) }
        #expect(!bench.hasExited)
        bench.settle()
        #expect(bench.hasExited)
        #expect(bench.stored(task)?.state == .completed)
        #expect(bench.effects.contains(.seal(task: task)))
    }

    @Test func `calls that are under way are answered first`() {
        var bench = MachineBench()
        let client = bench.open()
        let create = Wire.CreateDownload.sample(client.session)
        let call = bench.call(client) { $0.createDownload(create, from: $1) }
        bench.input { machine in machine.stopDaemon(call: nil) }
        #expect(!bench.hasExited)
        bench.settle()
        #expect(bench.outcomes[call] == .answer(.created(task: 1)))
        #expect(bench.hasExited)
    }

    @Test func `REL-1: resume data of a file that does not answer are not waited for`() {
        var bench = MachineBench()
        bench.makesNoResumeData = true
        let client = bench.open()
        let task = bench.start(client, 1)
        let cancel = Wire.CancelProducingResumeData(session: client.session, identifier: 1)
        _ = bench.call(client) { $0.cancelProducingResumeData(cancel, from: $1) }
        bench.settle()
        #expect(bench.machine.operationCount == 1)
        bench.input { machine in machine.stopDaemon(call: nil) }
        #expect(bench.hasExited)
        // The next daemon goes on with it, until its application says again what is to become of it.
        let next = MachineBench(on: bench.database)
        #expect(next.loading == [task])
    }

    @Test func `nothing is started any more`() {
        var bench = MachineBench()
        bench.wait(5)
        let client = bench.open()
        let task = bench.start(client, 1)
        bench.start(client, 2)
        bench.start(client, 3)
        bench.input { $0.finished(task: task, byteCount: 1, path: "/") }
        bench.input { machine in machine.stopDaemon(call: nil) }
        bench.forgetEffects()
        bench.settle()
        bench.disconnect(client)
        #expect(bench.startedTasks.isEmpty)
        #expect(bench.launches.isEmpty)
    }

    @Test func `an application whose start was being noted is not started`() {
        var bench = MachineBench()
        bench.wait(5)
        let client = bench.open()
        bench.finish(bench.start(client))
        bench.input { $0.disconnected(client.connection) }
        while !bench.machine.applications.values.contains(where: \.isLaunching) { bench.step() }
        bench.input { machine in machine.stopDaemon(call: nil) }
        bench.settle()
        #expect(bench.launches.isEmpty)
        #expect(bench.hasExited)
    }

    @Test func `a second order changes nothing`() {
        var bench = MachineBench()
        let client = bench.open()
        bench.start(client)
        let first = bench.call(client) { $0.stopDaemon(call: $1.call) }
        let second = bench.call(client) { $0.stopDaemon(call: $1.call) }
        bench.settle()
        #expect(bench.outcomes[first] == .done && bench.outcomes[second] == .done)
        #expect(bench.hasExited)
    }
}
