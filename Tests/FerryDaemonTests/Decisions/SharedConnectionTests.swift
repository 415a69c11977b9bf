import FerryStore
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

/// Several sessions that one connection has opened.
@Suite(.timeLimit(.minutes(1))) struct SharedConnectionTests {
    private var bench = MachineBench()

    /// Opens two sessions over one connection.
    private mutating func openTwo() -> (one: BenchClient, two: BenchClient) {
        bench.wait(5)
        let one = bench.open("one")
        return (one, bench.open("two", over: one))
    }

    private mutating func release(_ client: BenchClient) -> MachineBench.Outcome? {
        bench.settledCall(client) { $0.releaseSession(client.sessionID, from: $1) }
    }

    @Test mutating func `API-23: the end of a connection releases all of its sessions`() {
        let (one, two) = openTwo()
        #expect(one.session != two.session)
        bench.disconnect(one)
        #expect(bench.machine.sessions.values.allSatisfy { $0.attachment == nil })
        #expect(bench.open("one", process: 2).session > 0)
        #expect(bench.open("two", process: 3).session > 0)
    }

    @Test mutating func `API-23: a session that is released is free, and the others are not`() {
        let (one, two) = openTwo()
        bench.create(one)
        bench.create(two)
        #expect(release(one) == .answer(.done))
        #expect(bench.open("one", process: 2).session == one.session)
        #expect(bench.open("two", process: 3).session == 0)
        // What its client still asks for is not for it to ask.
        let suspend = Wire.Suspend(session: one.session, identifier: 1)
        #expect(
            bench.settledCall(one) { $0.suspend(suspend, from: $1) }
                == .refusal(.sessionNotOpen(session: one.session))
        )
    }

    @Test mutating func `API-23: only the connection that has opened a session releases it`() {
        let (one, _) = openTwo()
        var other = bench.connect()
        other.session = one.session
        #expect(release(other) == .refusal(.sessionNotOpen(session: one.session)))
        #expect(bench.open("one", process: 2).session == 0)
    }

    @Test mutating func `API-23: a release ends the session's events`() {
        let (one, two) = openTwo()
        _ = bench.subscribe(one)
        let other = bench.subscribe(two)
        _ = release(one)
        #expect(bench.machine.sessions[one.sessionID]?.subscriber == nil)
        #expect(bench.machine.sessions[two.sessionID]?.subscriber?.call == other)
    }

    @Test mutating func `API-23, BG-30: a program runs as long as it has one of its sessions`() {
        let (one, two) = openTwo()
        let task = bench.start(one)
        _ = release(one)
        bench.finish(task)
        // Its other session says that it runs.
        #expect(bench.launches.isEmpty)
        _ = release(two)
        // The connection goes on, but for no session of the application.
        #expect(bench.launches == ["one"])
    }

    @Test mutating func `API-23: an empty session that is released is gone`() {
        let (one, two) = openTwo()
        _ = release(one)
        #expect(bench.machine.sessions[one.sessionID] == nil)
        #expect(bench.machine.sessions[two.sessionID] != nil)
    }
}
