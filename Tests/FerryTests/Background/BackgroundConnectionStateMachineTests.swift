import FerrySystem
import FerryTestSupport
import FerryWire
import Foundation
import Testing

@testable import Ferry

/// What the connection of a session decides, without a daemon.
@Suite("The decisions of a background session's connection", .timeLimit(.minutes(1)))
struct BackgroundConnectionStateMachineTests {
    private typealias Machine = BackgroundConnection.StateMachine

    private let start = ContinuousClock.now

    /// Effects as text; delays are by lot and left out.
    private func text(_ effects: [Machine.Effect]) -> [String] {
        effects.map { effect in
            switch effect {
            case .connect(let attempt, let delay):
                "connect \(attempt)" + (delay > .zero ? " later" : "")
            case .disconnect: "disconnect"
            case .send(let entry, _, let attempt): "send \(entry.call.task ?? -1) by \(attempt)"
            case .register: "register"
            case .sendKept: "send kept"
            case .open(let file, _): "open \(file.path)"
            case .release(let session): "release \(session)"
            case .notify(.didOpen(let opened)): "open \(opened.session)"
            case .notify(.isReady): "ready"
            case .notify(.didFail(let error, let bound)):
                "failed \(error.code.rawValue) below \(bound)"
            case .report: "report"
            case .complete(let continuations): "complete \(continuations.count)"
            }
        }
    }

    /// Opens the session with an attempt.
    private func open(_ machine: inout Machine, attempt: Int, session: Int64 = 7) -> [String] {
        let opened = machine.after {
            $0.opened(
                attempt: attempt,
                session: session,
                nextTaskIdentifier: 3,
                now: start
            )
        }
        return text(opened + machine.after { $0.subscribed(to: session) })
    }

    @Test func `a session is opened, then its events are asked for, then calls are sent`() {
        var machine = Machine()
        #expect(text(machine.after { $0.start(isAwaited: false) }) == ["connect 1"])
        #expect(text(machine.after { $0.add(.suspend(task: 1)) }) == [])
        #expect(
            open(&machine, attempt: 1) == ["open 7", "send 1 by 1", "ready"]
        )
        #expect(text(machine.after { $0.add(.suspend(task: 2)) }) == ["send 2 by 1"])
        #expect(machine.reserveTask(first: { 500 }).identifier == 3)
        #expect(machine.reserveTask(first: { 500 }).identifier == 4)
    }

    @Test func `what an earlier attempt brings about is ignored`() {
        var machine = Machine()
        _ = machine.after { $0.start(isAwaited: false) }
        let busy = TransferDaemonError(.limitExceeded, message: "full")
        #expect(
            text(machine.after { $0.openingFailed(.busy(busy), attempt: 1) }) == [
                "report", "connect 2 later",
            ]
        )
        #expect(text(machine.after { $0.openingFailed(.busy(busy), attempt: 1) }) == [])
        #expect(open(&machine, attempt: 1) == [])
        #expect(!machine.isOpen)
        #expect(open(&machine, attempt: 2).first == "open 7")
        #expect(text(machine.after { $0.lost(attempt: 1, isWanted: true, now: start) }) == [])
        #expect(machine.isOpen)
    }

    @Test func `a call that is not acknowledged is sent over the next connection`() {
        var machine = Machine()
        _ = machine.after { $0.start(isAwaited: false) }
        _ = open(&machine, attempt: 1)
        _ = machine.after { $0.add(.suspend(task: 1)) }
        #expect(
            text(machine.after { $0.lost(attempt: 1, isWanted: false, now: start) })
                == ["connect 2", "complete 0"]
        )
        #expect(open(&machine, attempt: 2).contains("send 1 by 2"))
        #expect(text(machine.after { $0.answered(0, attempt: 2, nil) }).isEmpty)
        #expect(
            text(machine.after { $0.lost(attempt: 2, isWanted: false, now: start) })
                == ["release 7", "disconnect", "complete 0"]
        )
        #expect(text(machine.after { $0.wake() }) == ["connect 3"])
    }

    @Test func `API-23: tasks are numbered without the daemon until it has said what is free`() {
        var machine = Machine()
        _ = machine.after { $0.start(isAwaited: false) }
        #expect(text(machine.after { $0.prepareForTask() }) == [])
        #expect(machine.reserveTask(first: { 500 }).identifier == 500)
        #expect(machine.reserveTask(first: { 700 }).identifier == 501)
        _ = open(&machine, attempt: 1)
        #expect(machine.reserveTask(first: { 900 }).identifier == 502)

        // Numbers that the daemon has given in the meantime are not used again.
        var other = Machine()
        _ = other.after { $0.start(isAwaited: false) }
        #expect(other.reserveTask(first: { 1 }).identifier == 1)
        _ = open(&other, attempt: 1)
        #expect(other.reserveTask(first: { 1 }).identifier == 3)
    }

    @Test func `a daemon that is not there fails what was never open, and keeps what was`() {
        let error = TransferDaemonError(.notRunning, message: "it is not there")
        var machine = Machine()
        _ = machine.after { $0.start(isAwaited: false) }
        #expect(
            text(machine.after { $0.openingFailed(.unavailable(error), attempt: 1) })
                == ["report", "disconnect", "failed -997 below 0", "complete 0"]
        )
        #expect(machine.hasFailed)
        #expect(machine.reserveTask(first: { 500 }).refusal != nil)
        #expect(text(machine.after { $0.add(.suspend(task: 1)) }) == [])
        #expect(text(machine.after { $0.prepareForTask() }) == ["connect 3"])

        var awaited = Machine()
        _ = awaited.after { $0.start(isAwaited: true) }
        #expect(
            text(awaited.after { $0.openingFailed(.unavailable(error), attempt: 1) }) == [
                "connect 2 later"
            ]
        )
        _ = open(&awaited, attempt: 2)
        _ = awaited.after { $0.lost(attempt: 2, isWanted: true, now: start) }
        #expect(
            text(awaited.after { $0.openingFailed(.unavailable(error), attempt: 3) }) == [
                "connect 4 later"
            ]
        )
    }

    @Test
    func
        `BG-10: a task that is made after a failure does not fail, and those before are not begun`()
    {
        func creation(_ task: Int) -> BackgroundCall {
            let request = Wire.Request(url: "http://a/", method: "GET", fields: [], idleTimeout: 60)
            return .create(BackgroundCall.NewTask(identifier: task, request: request))
        }
        var machine = Machine()
        _ = machine.after { $0.start(isAwaited: false) }
        // One is sent to the connection before the failure, the other's identifier only is reserved.
        #expect(machine.reserveTask(first: { 500 }).identifier == 500)
        _ = machine.after { $0.add(creation(500)) }
        #expect(machine.reserveTask(first: { 500 }).identifier == 501)
        #expect(
            text(machine.after { $0.openingFailed(.inUse(pid: 9, isOver: false), attempt: 1) })
                == ["disconnect", "failed -996 below 502", "complete 0"]
        )
        #expect(text(machine.after { $0.prepareForTask() }) == ["connect 3"])
        let next = machine.reserveTask(first: { 500 })
        #expect(next.identifier == 502 && next.refusal == nil)
        _ = machine.after { $0.add(creation(501)) }
        _ = machine.after { $0.add(creation(502)) }
        #expect(open(&machine, attempt: 3) == ["open 7", "send 502 by 3", "ready"])
    }

    @Test func `a daemon that dies of opening the session is tried five times`() {
        var machine = Machine()
        _ = machine.after { $0.start(isAwaited: false) }
        for attempt in 1...5 {
            #expect(
                text(machine.after { $0.openingFailed(.disconnected, attempt: attempt) })
                    == ["connect \(attempt + 1) later"]
            )
        }
        #expect(
            text(machine.after { $0.openingFailed(.disconnected, attempt: 6) }).contains(
                "failed -997 below 0"
            )
        )
    }

    @Test func `a session that has ended is not connected again`() {
        var machine = Machine()
        _ = machine.after { $0.start(isAwaited: false) }
        _ = open(&machine, attempt: 1)
        #expect(text(machine.after { $0.close() }) == ["release 7", "disconnect"])
        #expect(text(machine.after { $0.lost(attempt: 1, isWanted: true, now: start) }) == [])
        #expect(text(machine.after { $0.add(.suspend(task: 1)) }) == [])
        #expect(text(machine.after { $0.wake() }) == [])
    }
}
