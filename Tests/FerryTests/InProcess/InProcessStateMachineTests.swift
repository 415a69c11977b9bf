import FerrySystem
import FerryTestSupport
import Testing

@testable import Ferry

@Suite("Decisions of a task in process", .timeLimit(.minutes(5)))
struct InProcessStateMachineTests {
    private typealias Machine = InProcessTransfer.StateMachine

    private var running: Machine {
        var machine = Machine()
        _ = machine.after { $0.resume() }
        _ = machine.after { $0.admitted() }
        return machine
    }

    @Test func `a task waits in line, waits for a network, loads and ends`() {
        var machine = Machine()
        #expect(machine.after { $0.resume() } == [.startClock, .enterLine])
        #expect(machine.after { $0.resume() } == [])
        #expect(machine.after { $0.mayLoad() } == [], "it has no connection")
        #expect(machine.after { $0.admitted() } == [.waitForNetwork])
        #expect(machine.after { $0.mayLoad() } == [.load])
        #expect(
            machine.after { $0.finished() } == [.stopClock, .giveConnectionBack, .end(.content)]
        )
        #expect(machine.after { $0.finished() } == [])
        #expect(machine.after { $0.mayLoad() } == [])
        #expect(machine.after { $0.stop(.timedOut) } == [])
    }

    // MARK: - Suspension

    @Test func `DL-16: a suspended download has neither connection nor clock`() {
        var machine = running
        #expect(
            machine.after { $0.suspend(isLeaving: true) } == [
                .stopClock, .stop, .giveConnectionBack,
            ]
        )
        #expect(machine.after { $0.suspend(isLeaving: true) } == [])
        #expect(machine.after { $0.resume() } == [.startClock, .enterLine])
        #expect(machine.after { $0.suspend(isLeaving: true) } == [.stopClock, .leaveLine, .stop])
        #expect(machine.after { $0.admitted() } == [])
    }

    @Test func `DL-16: a data task that is suspended has no clock either`() {
        var machine = Machine()
        #expect(machine.after { $0.resume() } == [.startClock, .enterLine])
        #expect(machine.after { $0.suspend(isLeaving: false) } == [.stopClock, .leaveLine, .stop])
        #expect(machine.after { $0.resume() } == [.startClock, .enterLine])
        #expect(machine.after { $0.admitted() } == [.waitForNetwork])
        #expect(machine.after { $0.suspend(isLeaving: false) } == [.stopClock, .updateFlow])
        #expect(machine.isPaused)
        #expect(machine.after { $0.resume() } == [.startClock, .updateFlow])
        #expect(
            machine.after { $0.finished() } == [.stopClock, .giveConnectionBack, .end(.content)]
        )
    }

    @Test func `a task that is suspended before it loads does so when it is resumed`() {
        var machine = running
        #expect(machine.after { $0.suspend(isLeaving: false) } == [.stopClock, .updateFlow])
        #expect(machine.after { $0.mayLoad() } == [])
        #expect(machine.after { $0.resume() } == [.startClock, .updateFlow, .load])
        #expect(machine.after { $0.suspend(isLeaving: false) } == [.stopClock, .updateFlow])
        #expect(
            machine.after { $0.resume() } == [.startClock, .updateFlow],
            "it has loaded already"
        )
    }

    @Test func `a task that is suspended between two attempts makes no other until it is resumed`()
    {
        var machine = running
        #expect(
            machine.after { $0.retries(after: .seconds(1)) } == [
                .giveConnectionBack, .backOff(.seconds(1)),
            ]
        )
        #expect(machine.after { $0.suspend(isLeaving: true) } == [.stopClock, .stop])
        #expect(machine.after { $0.retryTimePassed() } == [])
        #expect(machine.after { $0.resume() } == [.startClock, .enterLine])
    }

    // MARK: - Shared loads

    private var sharing: Machine {
        var machine = Machine()
        _ = machine.after { $0.resume(isJoining: true) }
        return machine
    }

    @Test func `P15: who joins a load needs no connection, and has none to give back`() {
        var machine = Machine()
        #expect(machine.after { $0.resume(isJoining: true) } == [.startClock, .waitForNetwork])
        #expect(machine.isSharing)
        #expect(machine.after { $0.suspend(isLeaving: true) } == [.stopClock, .stop])
        #expect(machine.after { $0.resume() } == [.startClock, .enterLine])
        machine = sharing
        #expect(machine.after { $0.finished() } == [.stopClock, .end(.content)])
    }

    @Test func `P15: who is left alone gets in line`() {
        var machine = sharing
        #expect(machine.after { $0.released() } == [.stop, .enterLine])
        #expect(machine.after { $0.admitted() } == [.waitForNetwork])
        #expect(
            machine.after { $0.finished() } == [.stopClock, .giveConnectionBack, .end(.content)]
        )
        machine = running
        #expect(machine.after { $0.released() } == [], "who has a connection is not left alone")
    }

    @Test func `P15: who is left alone while it is suspended gets in line when it is resumed`() {
        var machine = sharing
        #expect(machine.after { $0.suspend(isLeaving: false) } == [.stopClock, .updateFlow])
        #expect(machine.after { $0.released() } == [.stop])
        #expect(!machine.isPaused)
        #expect(machine.after { $0.resume() } == [.startClock, .enterLine])
    }

    @Test func `P15: who gets another one's connection gives it back`() {
        var machine = sharing
        machine.inheritConnection()
        #expect(!machine.isSharing)
        #expect(
            machine.after { $0.suspend(isLeaving: true) } == [
                .stopClock, .stop, .giveConnectionBack,
            ]
        )
        #expect(machine.after { $0.suspend(isLeaving: true) } == [])
    }

    // MARK: - Other addresses

    @Test func `a task that was redirected gives its connection back and gets in line`() {
        var machine = running
        #expect(machine.after { $0.redirected() } == [.giveConnectionBack, .enterLine])
        #expect(machine.after { $0.admitted() } == [.waitForNetwork])
        _ = machine.after { $0.suspend(isLeaving: false) }
        #expect(machine.after { $0.redirected() } == [.giveConnectionBack])
        #expect(machine.after { $0.resume() } == [.startClock, .enterLine])
    }

    @Test func `a task whose address has expired asks for another one, without a connection`() {
        var machine = running
        #expect(machine.after { $0.linkExpired() } == [.giveConnectionBack, .askForLink])
        #expect(machine.after { $0.leaveForLink() } == [.stop])
        #expect(machine.after { $0.relinked() } == [.enterLine])
        #expect(machine.after { $0.leaveForLink() } == [.leaveLine])
        #expect(machine.after { $0.relinked() } == [.enterLine])
        _ = machine.after { $0.admitted() }
        #expect(machine.after { $0.leaveForLink() } == [.stop, .giveConnectionBack])
        #expect(machine.after { $0.relinked() } == [.enterLine])
        _ = machine.after { $0.suspend(isLeaving: true) }
        #expect(machine.after { $0.leaveForLink() } == [])
        #expect(machine.after { $0.relinked() } == [])
    }

    // MARK: - Forbidden networks

    @Test func `who waits for another network has no connection, and joins others afterwards`() {
        var machine = running
        #expect(!machine.isBackingOff)
        #expect(machine.after { $0.heldBack() } == [.stopLoading, .giveConnectionBack])
        #expect(machine.isBackingOff)
        #expect(machine.after { $0.heldBack() } == [])
        #expect(machine.after { $0.retryTimePassed() } == [.enterLine])
        #expect(machine.after { $0.admitted() } == [.waitForNetwork])
        #expect(machine.after { $0.heldBack() } == [.stopLoading, .giveConnectionBack])
        #expect(machine.after { $0.retryTimePassed(isJoining: true) } == [.waitForNetwork])
        #expect(machine.isSharing)
        #expect(machine.after { $0.heldBack() } == [.stopLoading])
        #expect(machine.after { $0.suspend(isLeaving: true) } == [.stopClock, .stop])
    }

    @Test func `who is suspended when its network becomes forbidden loads when it is resumed`() {
        var machine = running
        _ = machine.after { $0.suspend(isLeaving: false) }
        #expect(machine.after { $0.heldBack() } == [.stop, .giveConnectionBack])
        #expect(machine.after { $0.retryTimePassed() } == [])
        #expect(machine.after { $0.resume() } == [.startClock, .enterLine])
    }

    @Test func `who may not load ends as soon as it may not`() {
        var machine = running
        let forbidden = InProcessTransfer.Ending.networkForbidden(.cellularNetwork)
        let effects: [Machine.Effect] = [.stopClock, .stop, .giveConnectionBack, .end(forbidden)]
        #expect(machine.after { $0.stop(forbidden) } == effects)
        #expect(machine.after { $0.heldBack() } == [])
    }

    // MARK: - The end

    @Test func `DL-18: a task that never ran can be cancelled`() {
        var machine = Machine()
        let cancelled = InProcessTransfer.Ending.cancelled(producingResumeData: false)
        #expect(machine.after { $0.stop(cancelled) } == [.stopClock, .stop, .end(cancelled)])
        #expect(machine.after { $0.resume() } == [])
    }

    @Test func `a task that is cancelled while it loads stops first`() {
        let cancelled = InProcessTransfer.Ending.cancelled(producingResumeData: true)
        let effects: [Machine.Effect] = [.stopClock, .stop, .giveConnectionBack, .end(cancelled)]
        var machine = running
        #expect(machine.after { $0.stop(cancelled) } == effects)
        machine = running
        _ = machine.after { $0.suspend(isLeaving: false) }
        #expect(machine.after { $0.stop(cancelled) } == effects)
        machine = running
        _ = machine.after { $0.retries(after: .seconds(1)) }
        #expect(machine.after { $0.stop(cancelled) } == [.stopClock, .stop, .end(cancelled)])
    }

    @Test func `the time for the whole resource runs out in line, too`() {
        var machine = Machine()
        _ = machine.after { $0.resume() }
        #expect(
            machine.after { $0.stop(.timedOut) } == [
                .stopClock, .leaveLine, .stop, .end(.timedOut),
            ]
        )
    }

    // MARK: - Resume data

    @Test func `a task does not run before its file is its own`() {
        var machine = Machine(isPreparing: true)
        #expect(machine.after { $0.resume() } == [.startClock])
        #expect(machine.after { $0.suspend(isLeaving: true) } == [.stopClock, .stop])
        #expect(machine.after { $0.resume() } == [.startClock])
        #expect(machine.after { $0.leaveForLink() } == [])
        #expect(machine.after { $0.relinked() } == [])
        #expect(machine.after { $0.prepared(isUsable: true) } == [.enterLine])
        #expect(machine.after { $0.admitted() } == [.waitForNetwork])
    }

    @Test func `RD-10: a file that is gone fails the task when it is resumed`() {
        var suspended = Machine(isPreparing: true)
        #expect(suspended.after { $0.prepared(isUsable: false) } == [])
        #expect(suspended.after { $0.resume() } == [.end(.content)])
        #expect(suspended.after { $0.resume() } == [])

        var resumed = Machine(isPreparing: true)
        _ = resumed.after { $0.resume() }
        #expect(resumed.after { $0.prepared(isUsable: false) } == [.stopClock, .end(.content)])
    }

    @Test func `a cancelled task waits for its file before it ends`() {
        let cancelled = InProcessTransfer.Ending.cancelled(producingResumeData: true)
        for isUsable in [true, false] {
            var machine = Machine(isPreparing: true)
            _ = machine.after { $0.resume() }
            #expect(machine.after { $0.stop(cancelled) } == [.stopClock])
            #expect(machine.after { $0.resume() } == [])
            #expect(machine.after { $0.prepared(isUsable: isUsable) } == [.end(cancelled)])
        }
    }
}
