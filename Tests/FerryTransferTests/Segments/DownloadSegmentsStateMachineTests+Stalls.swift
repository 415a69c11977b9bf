import FerryHTTP
import FerryTestSupport
import Testing

@testable import FerryTransfer

extension DownloadSegmentsStateMachineTests {
    @Test func `a connection that brings nothing is replaced, later and later`() {
        var machine = divided()
        _ = machine.after {
            $0.partAnswered(
                1,
                Self.part(775..<1000),
                to: Self.ask(775..<1000).resumption!,
                at: now
            )
        }
        #expect(machine.nextStall == now + .seconds(60))
        #expect(machine.after { $0.stallTimePassed(at: now + .seconds(59)) } == [])
        let later = now + .seconds(60)
        _ = machine.after { $0.receivedBytes(count: 10) }
        _ = machine.after { $0.wrotePart(0, count: 10, at: later) }
        #expect(
            machine.after { $0.stallTimePassed(at: later) } == [
                .cancelPart(1), .giveConnectionBack(source: 0), .askForConnection(source: 0),
            ]
        )
        #expect(
            machine.after { $0.connectionAnswered(true, source: 0, at: later) } == [
                .startPart(2, Self.ask(775..<1000), source: 0)
            ]
        )
        #expect(machine.nextStall == later + .seconds(64))
    }

    @Test func `REL-3: a connection that others wait for is given back, and the first one goes on`()
    {
        var machine = divided()
        #expect(
            machine.after { $0.connectionRevoked(from: [0], at: now) } == [
                .cancelPart(1), .giveConnectionBack(source: 0),
            ]
        )
        // There is none but its own any more, and for a while no other is asked for.
        #expect(machine.after { $0.connectionRevoked(from: [0], at: now) } == [])
        _ = bring(&machine, 0, 675)
        #expect(machine.after { $0.grow(at: now) } == [])
    }

    @Test func `REL-3: only a connection to a server that is full is given back`() {
        var machine = divided()
        #expect(machine.after { $0.connectionRevoked(from: [], at: now) } == [])
        // Both go on: the lent one can still be revoked.
        #expect(machine.after { $0.connectionRevoked(from: [0], at: now) }.first == .cancelPart(1))
    }

    @Test func `when all connections bring nothing all are replaced`() {
        var machine = divided()
        let effects = machine.after { $0.stallTimePassed(at: now + .seconds(60)) }
        #expect(
            effects.prefix(3) == [.cancelPart(0), .cancelPart(1), .giveConnectionBack(source: 0)]
        )
        #expect(effects.contains { if case .startPart = $0 { true } else { false } })
    }

    @Test func `one that has brought everything and does not end is not waited for`() {
        var machine = divided()
        _ = machine.after {
            $0.partAnswered(
                1,
                Self.part(775..<1000),
                to: Self.ask(775..<1000).resumption!,
                at: now
            )
        }
        #expect(bring(&machine, 1, 225) == [.reportProgress(received: 325, total: 1000)])
        #expect(bring(&machine, 0, 675).last == .cancelPart(0))
        #expect(
            machine.after { $0.stallTimePassed(at: now + .seconds(60)) } == [
                .cancelPart(1), .giveConnectionBack(source: 0), .endSegments, .synchronize,
            ]
        )
    }
}
