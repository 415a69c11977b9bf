import FerryStore
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(5))) struct ClosingTests {
    @Test func `an empty session goes at once`() {
        var bench = MachineBench()
        let client = bench.open()
        #expect(bench.close(client) == .done)
        #expect(bench.database.current.isEmpty)
    }

    @Test func `a session goes with the event of its last task`() {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.start(client)
        #expect(bench.close(client) == .done)
        bench.finish(task)
        #expect(bench.database.current.sessions.count == 1)
        #expect(bench.acknowledge(client, 1) == .done)
        #expect(bench.database.current.isEmpty)
    }

    @Test func `a session that is cancelled is answered when its tasks have ended`() {
        var bench = MachineBench()
        let client = bench.open()
        for identifier in 1...3 { bench.start(client, identifier) }
        let call = bench.call(client) { machine, caller in
            let close = Wire.CloseSession(session: client.session, cancel: true)
            machine.closeSession(close, from: caller)
        }
        bench.step()
        #expect(bench.outcomes[call] == nil)
        bench.settle()
        #expect(bench.outcomes[call] == .done)
        #expect(bench.database.synchronized.totals().unfinishedTasks == 0)
        #expect(bench.database.synchronized.totals().completedTasks == 3)
        #expect(bench.loading.isEmpty)
    }

    @Test func `a session of many tasks is cancelled page by page`() {
        var bench = MachineBench()
        let client = bench.open()
        for identifier in 1...250 { bench.create(client, identifier) }
        #expect(bench.close(client, cancel: true) == .done)
        #expect(bench.database.current.totals().completedTasks == 250)
        #expect(bench.machine.endings.isEmpty)
    }

    @Test func `no task is made in a session that is being closed`() {
        var bench = MachineBench()
        let client = bench.open()
        bench.create(client)
        bench.close(client)
        let outcome = bench.settledCall(client) { machine, caller in
            machine.createDownload(.sample(client.session, 2), from: caller)
        }
        #expect(outcome == .refusal(.sessionNotOpen(session: client.session)))
    }

    @Test func `a task that is on its way into the store keeps its session`() {
        var bench = MachineBench()
        let client = bench.open()
        let create = Wire.CreateDownload.sample(client.session)
        let close = Wire.CloseSession(session: client.session, cancel: false)
        let creation = bench.call(client) { $0.createDownload(create, from: $1) }
        _ = bench.call(client) { $0.closeSession(close, from: $1) }
        bench.settle()
        #expect(bench.outcomes[creation] == .answer(.created(task: 1)))
        #expect(bench.database.current.tasks.keys.sorted() == [1])
    }

    @Test func `a session that could not be closed is open`() {
        var bench = MachineBench()
        let client = bench.open()
        bench.start(client)
        bench.failure = .model(.diskFull)
        let outcome = bench.close(client, cancel: true)
        #expect(outcome?.isStoreUnavailable == true)
        bench.failure = nil
        #expect(bench.machine.endings.isEmpty)
        #expect(bench.create(client, 2) != 0)
        #expect(bench.close(client, cancel: true) == .done)
    }

    @Test func `an empty session stays while its tasks are looked for, as that may fail`() {
        var bench = MachineBench()
        let client = bench.open()
        let close = Wire.CloseSession(session: client.session, cancel: true)
        let call = bench.call(client) { $0.closeSession(close, from: $1) }
        // Another call has had the session counted.
        let record = bench.database.current.session(id: client.sessionID)
        bench.input { $0.answered(.session(client.sessionID), .success(.session(record))) }
        bench.failure = .model(.inputOutput)
        bench.step()
        bench.failure = nil
        bench.settle()
        #expect(bench.outcomes[call]?.isStoreUnavailable == true)
        #expect(bench.create(client) != 0)
        #expect(bench.close(client, cancel: true) == .done)
    }

    @Test func `a session that is opened again while it closes is open`() {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.start(client)
        bench.close(client)
        let again = bench.open()
        bench.finish(task)
        bench.acknowledge(again, 1)
        #expect(bench.database.current.sessions.keys.sorted() == [client.sessionID])
        #expect(bench.create(again, 2) != 0)
    }

    @Test func `a session that was closed while it had tasks goes after its client`() {
        var bench = MachineBench()
        let client = bench.open(launch: nil)
        let task = bench.start(client)
        bench.close(client)
        bench.disconnect(client)
        bench.finish(task)
        #expect(bench.database.current.totals().completedTasks == 1)
        let again = bench.open(process: 2)
        bench.acknowledge(again, 1)
        bench.disconnect(again)
        #expect(bench.database.current.isEmpty)
    }
}
