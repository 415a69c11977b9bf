import FerrySystem
import FerryTestSupport
import Foundation
import Testing

@testable import Ferry

/// When a process connects for its sessions, without a daemon.
@Suite("The decisions of a process's connection", .timeLimit(.minutes(1)))
struct ProcessConnectionStateMachineTests {
    private typealias Machine = ProcessConnection.StateMachine

    private final class Session: Sendable {
        var key: ObjectIdentifier { ObjectIdentifier(self) }
    }

    private let one = Session()
    private let two = Session()
    private var machine = Machine()

    private mutating func request(
        _ session: Session,
        after delay: Duration = .zero
    )
        -> [Machine.Effect]
    {
        machine.after { $0.request(session.key, after: delay, now: start) }
    }

    private mutating func release(_ session: Session) -> [Machine.Effect] {
        machine.after { $0.release(session.key) }
    }

    @Test mutating func `API-23: one attempt serves all sessions that wait`() {
        #expect(request(one) == [.connect(attempt: 1)])
        #expect(request(two) == [])
        #expect(machine.after { $0.connected(1) } == [.serve([one.key, two.key])])
        let three = Session()
        #expect(request(three) == [.serve([three.key])])
    }

    @Test mutating func `API-23: one failure fails all sessions that wait`() {
        _ = request(one)
        _ = request(two)
        #expect(
            machine.after { $0.failed(1, .disconnected) }
                == [.close, .fail([one.key, two.key], .disconnected)]
        )
        // Its late results are ignored.
        #expect(machine.after { $0.connected(1) } == [])
        #expect(machine.after { $0.failed(1, .disconnected) } == [])
        #expect(request(two) == [.connect(attempt: 3)])
    }

    @Test mutating func `API-23: a lost connection ends all sessions that have it`() {
        _ = request(one)
        _ = machine.after { $0.connected(1) }
        _ = request(two)
        let effects = machine.after { $0.failed(1, .disconnected) }
        guard effects.count == 2, effects[0] == .close, case .end(let users) = effects[1] else {
            Issue.record("\(effects)")
            return
        }
        #expect(Set(users) == [one.key, two.key])
    }

    @Test mutating func `API-23: the connection is closed behind the last session`() {
        _ = request(one)
        _ = request(two)
        _ = machine.after { $0.connected(1) }
        #expect(release(one) == [])
        #expect(release(two) == [.close])
        #expect(request(one) == [.connect(attempt: 3)])
        // Nobody needs it any more when it is there.
        #expect(release(one) == [])
        #expect(machine.after { $0.connected(3) } == [.close])
    }

    @Test mutating func `API-23: sessions that wait a while are served together, by the first`() {
        #expect(request(one, after: .seconds(2)) == [.wait(1, .seconds(2))])
        #expect(request(two, after: .seconds(3)) == [])
        #expect(request(two, after: .seconds(1)) == [.wait(2, .seconds(1))])
        #expect(machine.after { $0.waited(1, now: start) } == [])
        #expect(machine.after { $0.waited(2, now: start) } == [.connect(attempt: 1)])
        #expect(machine.after { $0.connected(1) } == [.serve([one.key, two.key])])
    }

    @Test mutating func `API-23: a session that needs the connection at once waits for no other`() {
        _ = request(one, after: .seconds(2))
        #expect(request(two) == [.connect(attempt: 1)])
        #expect(machine.after { $0.waited(1, now: start) } == [])
    }

    @Test mutating func `API-23: a wait without sessions connects to nothing`() {
        _ = request(one, after: .seconds(2))
        #expect(release(one) == [])
        #expect(machine.after { $0.waited(1, now: start) } == [])
        #expect(request(one) == [.connect(attempt: 1)])
    }

    @Test mutating func `API-23: a session that asks again has given the connection back`() {
        _ = request(one)
        _ = machine.after { $0.connected(1) }
        #expect(request(one) == [.serve([one.key])])
        #expect(release(one) == [.close])
    }

    @Test mutating func `API-23: a session that had trouble waits, though others go on`() {
        _ = request(one)
        _ = request(two)
        _ = machine.after { $0.connected(1) }
        #expect(request(one, after: .seconds(1)) == [.wait(1, .seconds(1))])
        // It keeps the connection open meanwhile.
        #expect(release(two) == [])
        #expect(machine.after { $0.waited(1, now: start) } == [.serve([one.key])])
        // A connection that is lost during the wait is replaced at its end.
        _ = request(one, after: .seconds(1))
        #expect(machine.after { $0.failed(1, .disconnected) } == [.close, .end([one.key])])
        #expect(machine.after { $0.waited(2, now: start) } == [.connect(attempt: 3)])
        // A session that is gone is not served.
        _ = machine.after { $0.connected(3) }
        _ = request(one, after: .seconds(1))
        #expect(release(one) == [.close])
        #expect(machine.after { $0.waited(3, now: start) } == [])
    }
}

private let start = ContinuousClock.now
