import FerryStore
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

/// Clients that are gone, and have made calls that cannot be carried out yet.
@Suite(.timeLimit(.minutes(1))) struct HungUpTests {
    private static func hangUp(_ bench: inout MachineBench, _ client: BenchClient) {
        bench.input { $0.hungUp(client.connection, at: $1) }
        bench.settle()
    }

    @Test
    func
        `REL-1: a session whose client is gone can be opened before all that it sent is carried out`()
    {
        var bench = MachineBench()
        let gone = bench.open(process: 1)
        Self.hangUp(&bench, gone)
        let next = bench.open(process: 2)
        #expect(next.session == gone.session)
    }

    @Test
    func
        `REL-1: what a client sent before it was gone is carried out as long as no other has its session`()
    {
        var bench = MachineBench()
        let gone = bench.open(process: 1)
        Self.hangUp(&bench, gone)
        // Without a task in it, it is there for the calls that may come.
        #expect(bench.machine.sessions[gone.session] != nil)
        let task = bench.start(gone, 1)
        #expect(bench.loading == [task])
        let next = bench.open(process: 2)
        #expect(bench.create(gone, 2) == 0)
        #expect(bench.create(next, 2) != 0)
        bench.disconnect(gone)
        #expect(bench.machine.isOpen(next.session, for: .init(call: 1, connection: 1, process: 2)))
    }

    @Test
    func
        `REL-1: a session that nobody needs goes when the calls of its client have been carried out`()
    {
        var bench = MachineBench()
        let gone = bench.open()
        Self.hangUp(&bench, gone)
        bench.disconnect(gone)
        #expect(bench.machine.sessions.isEmpty)
        #expect(bench.create(gone) == 0)
    }

    @Test
    func `REL-1: a client that is gone is started for its events before its calls are carried out`()
    {
        var bench = MachineBench()
        let gone = bench.open()
        let task = bench.start(gone)
        bench.finish(task)
        bench.wait(60)
        #expect(bench.launches.isEmpty)
        Self.hangUp(&bench, gone)
        #expect(bench.launches == ["session"])
    }
}
