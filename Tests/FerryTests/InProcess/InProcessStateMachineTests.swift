import FerrySystem
import Testing

@testable import Ferry

@Suite("Decisions of a task in process", .timeLimit(.minutes(5)))
struct InProcessStateMachineTests {
    private typealias Machine = InProcessTransfer.StateMachine

    private var running: Machine {
        var machine = Machine()
        _ = machine.resume()
        _ = machine.admitted()
        return machine
    }

    @Test func `a task waits in line, waits for a network, loads and ends`() {
        var machine = Machine()
        #expect(machine.resume() == [.startClock, .enterLine])
        #expect(machine.resume() == [])
        #expect(machine.mayLoad() == [], "it has no connection")
        #expect(machine.admitted() == [.waitForNetwork])
        #expect(machine.mayLoad() == [.load])
        #expect(machine.finished() == [.stopClock, .giveConnectionBack, .end(.content)])
        #expect(machine.finished() == [])
        #expect(machine.mayLoad() == [])
        #expect(machine.stop(.timedOut) == [])
    }

    // MARK: - Suspension

    @Test func `DL-16: a suspended download has neither connection nor clock`() {
        var machine = running
        #expect(machine.suspend(isLeaving: true) == [.stopClock, .stop, .giveConnectionBack])
        #expect(machine.suspend(isLeaving: true) == [])
        #expect(machine.resume() == [.startClock, .enterLine])
        #expect(machine.suspend(isLeaving: true) == [.stopClock, .leaveLine, .stop])
        #expect(machine.admitted() == [])
    }

    @Test func `DL-16: a data task that is suspended has no clock either`() {
        var machine = Machine()
        #expect(machine.resume() == [.startClock, .enterLine])
        #expect(machine.suspend(isLeaving: false) == [.stopClock, .leaveLine, .stop])
        #expect(machine.resume() == [.startClock, .enterLine])
        #expect(machine.admitted() == [.waitForNetwork])
        #expect(machine.suspend(isLeaving: false) == [.stopClock, .updateFlow])
        #expect(machine.isPaused)
        #expect(machine.resume() == [.startClock, .updateFlow])
        #expect(machine.finished() == [.stopClock, .giveConnectionBack, .end(.content)])
    }

    @Test func `a task that is suspended before it loads does so when it is resumed`() {
        var machine = running
        #expect(machine.suspend(isLeaving: false) == [.stopClock, .updateFlow])
        #expect(machine.mayLoad() == [])
        #expect(machine.resume() == [.startClock, .updateFlow, .load])
        #expect(machine.suspend(isLeaving: false) == [.stopClock, .updateFlow])
        #expect(machine.resume() == [.startClock, .updateFlow], "it has loaded already")
    }

    @Test func `a task that is suspended between two attempts makes no other until it is resumed`()
    {
        var machine = running
        #expect(
            machine.retries(after: .seconds(1)) == [.giveConnectionBack, .backOff(.seconds(1))]
        )
        #expect(machine.suspend(isLeaving: true) == [.stopClock, .stop])
        #expect(machine.retryTimePassed() == [])
        #expect(machine.resume() == [.startClock, .enterLine])
    }

    // MARK: - Shared loads

    private var sharing: Machine {
        var machine = Machine()
        _ = machine.resume(isJoining: true)
        return machine
    }

    @Test func `P15: who joins a load needs no connection, and has none to give back`() {
        var machine = Machine()
        #expect(machine.resume(isJoining: true) == [.startClock, .waitForNetwork])
        #expect(machine.isSharing)
        #expect(machine.suspend(isLeaving: true) == [.stopClock, .stop])
        #expect(machine.resume() == [.startClock, .enterLine])
        machine = sharing
        #expect(machine.finished() == [.stopClock, .end(.content)])
    }

    @Test func `P15: who is left alone gets in line`() {
        var machine = sharing
        #expect(machine.released() == [.stop, .enterLine])
        #expect(machine.admitted() == [.waitForNetwork])
        #expect(machine.finished() == [.stopClock, .giveConnectionBack, .end(.content)])
        machine = running
        #expect(machine.released() == [], "who has a connection is not left alone")
    }

    @Test func `P15: who is left alone while it is suspended gets in line when it is resumed`() {
        var machine = sharing
        #expect(machine.suspend(isLeaving: false) == [.stopClock, .updateFlow])
        #expect(machine.released() == [.stop])
        #expect(!machine.isPaused)
        #expect(machine.resume() == [.startClock, .enterLine])
    }

    @Test func `P15: who gets another one's connection gives it back`() {
        var machine = sharing
        machine.inheritConnection()
        #expect(!machine.isSharing)
        #expect(machine.suspend(isLeaving: true) == [.stopClock, .stop, .giveConnectionBack])
        #expect(machine.suspend(isLeaving: true) == [])
    }

    // MARK: - Other addresses

    @Test func `a task that was redirected gives its connection back and gets in line`() {
        var machine = running
        #expect(machine.redirected() == [.giveConnectionBack, .enterLine])
        #expect(machine.admitted() == [.waitForNetwork])
        _ = machine.suspend(isLeaving: false)
        #expect(machine.redirected() == [.giveConnectionBack])
        #expect(machine.resume() == [.startClock, .enterLine])
    }

    @Test func `a task whose address has expired asks for another one, without a connection`() {
        var machine = running
        #expect(machine.linkExpired() == [.giveConnectionBack, .askForLink])
        #expect(machine.leaveForLink() == [.stop])
        #expect(machine.relinked() == [.enterLine])
        #expect(machine.leaveForLink() == [.leaveLine])
        #expect(machine.relinked() == [.enterLine])
        _ = machine.admitted()
        #expect(machine.leaveForLink() == [.stop, .giveConnectionBack])
        #expect(machine.relinked() == [.enterLine])
        _ = machine.suspend(isLeaving: true)
        #expect(machine.leaveForLink() == [])
        #expect(machine.relinked() == [])
    }

    // MARK: - Forbidden networks

    @Test func `who waits for another network has no connection, and joins others afterwards`() {
        var machine = running
        #expect(!machine.isBackingOff)
        #expect(machine.heldBack() == [.stopLoading, .giveConnectionBack])
        #expect(machine.isBackingOff)
        #expect(machine.heldBack() == [])
        #expect(machine.retryTimePassed() == [.enterLine])
        #expect(machine.admitted() == [.waitForNetwork])
        #expect(machine.heldBack() == [.stopLoading, .giveConnectionBack])
        #expect(machine.retryTimePassed(isJoining: true) == [.waitForNetwork])
        #expect(machine.isSharing)
        #expect(machine.heldBack() == [.stopLoading])
        #expect(machine.suspend(isLeaving: true) == [.stopClock, .stop])
    }

    @Test func `who is suspended when its network becomes forbidden loads when it is resumed`() {
        var machine = running
        _ = machine.suspend(isLeaving: false)
        #expect(machine.heldBack() == [.stop, .giveConnectionBack])
        #expect(machine.retryTimePassed() == [])
        #expect(machine.resume() == [.startClock, .enterLine])
    }

    @Test func `who may not load ends as soon as it may not`() {
        var machine = running
        let forbidden = InProcessTransfer.Ending.networkForbidden(.cellularNetwork)
        let effects: [Machine.Effect] = [.stopClock, .stop, .giveConnectionBack, .end(forbidden)]
        #expect(machine.stop(forbidden) == effects)
        #expect(machine.heldBack() == [])
    }

    // MARK: - The end

    @Test func `DL-18: a task that never ran can be cancelled`() {
        var machine = Machine()
        let cancelled = InProcessTransfer.Ending.cancelled(producingResumeData: false)
        #expect(machine.stop(cancelled) == [.stopClock, .stop, .end(cancelled)])
        #expect(machine.resume() == [])
    }

    @Test func `a task that is cancelled while it loads stops first`() {
        let cancelled = InProcessTransfer.Ending.cancelled(producingResumeData: true)
        let effects: [Machine.Effect] = [.stopClock, .stop, .giveConnectionBack, .end(cancelled)]
        var machine = running
        #expect(machine.stop(cancelled) == effects)
        machine = running
        _ = machine.suspend(isLeaving: false)
        #expect(machine.stop(cancelled) == effects)
        machine = running
        _ = machine.retries(after: .seconds(1))
        #expect(machine.stop(cancelled) == [.stopClock, .stop, .end(cancelled)])
    }

    @Test func `the time for the whole resource runs out in line, too`() {
        var machine = Machine()
        _ = machine.resume()
        #expect(machine.stop(.timedOut) == [.stopClock, .leaveLine, .stop, .end(.timedOut)])
    }

    // MARK: - Resume data

    @Test func `a task does not run before its file is its own`() {
        var machine = Machine(isPreparing: true)
        #expect(machine.resume() == [.startClock])
        #expect(machine.suspend(isLeaving: true) == [.stopClock, .stop])
        #expect(machine.resume() == [.startClock])
        #expect(machine.leaveForLink() == [])
        #expect(machine.relinked() == [])
        #expect(machine.prepared(isUsable: true) == [.enterLine])
        #expect(machine.admitted() == [.waitForNetwork])
    }

    @Test func `RD-10: a file that is gone fails the task when it is resumed`() {
        var suspended = Machine(isPreparing: true)
        #expect(suspended.prepared(isUsable: false) == [])
        #expect(suspended.resume() == [.end(.content)])
        #expect(suspended.resume() == [])

        var resumed = Machine(isPreparing: true)
        _ = resumed.resume()
        #expect(resumed.prepared(isUsable: false) == [.stopClock, .end(.content)])
    }

    @Test func `a cancelled task waits for its file before it ends`() {
        let cancelled = InProcessTransfer.Ending.cancelled(producingResumeData: true)
        for isUsable in [true, false] {
            var machine = Machine(isPreparing: true)
            _ = machine.resume()
            #expect(machine.stop(cancelled) == [.stopClock])
            #expect(machine.resume() == [])
            #expect(machine.prepared(isUsable: isUsable) == [.end(cancelled)])
        }
    }
}
