import FerryHTTP
import Testing

@testable import Ferry
@testable import FerryTransfer

@Suite("Decisions of a download in process", .timeLimit(.minutes(5)))
struct InProcessStateMachineTests {
    private typealias Machine = InProcessDownload.StateMachine

    private let cancelled = TransferError(code: .cancelled, message: "")
    private let lost = TransferError(code: .connectionLost, message: "")
    private let late = TransferError(code: .resourceTimedOut, message: "")
    private let result = DownloadResult(
        response: HTTPResponseHead(status: 200, fields: [], url: "http://a/"),
        currentRequest: TransferRequest(url: "http://a/"),
        byteCount: 3
    )

    private var running: Machine {
        var machine = Machine(isAdopting: false)
        _ = machine.resume()
        _ = machine.admitted()
        return machine
    }

    @Test func `a task waits in line, runs and hands over its file`() {
        var machine = Machine(isAdopting: false)
        #expect(machine.resume() == [.startClock, .enterLine])
        #expect(machine.resume() == [])
        #expect(machine.admitted() == [.start])
        #expect(machine.finished(result) == [.stopClock, .giveConnectionBack, .publish(result)])
        #expect(machine.failed(lost) == [])
        #expect(machine.cancel(cancelled, producingResumeData: true) == [])
    }

    @Test func `DL-16: a suspended task has neither connection nor clock`() {
        var machine = running
        #expect(machine.suspend() == [.stopClock, .stop, .giveConnectionBack])
        #expect(machine.suspend() == [])
        #expect(machine.resume() == [.startClock, .enterLine])
        #expect(machine.suspend() == [.stopClock, .leaveLine])
        #expect(machine.admitted() == [])
    }

    @Test func `a task that is suspended between two attempts makes no other until it is resumed`()
    {
        var machine = running
        #expect(
            machine.failed(lost, retriesAfter: .seconds(1))
                == [.giveConnectionBack, .backOff(.seconds(1))]
        )
        #expect(machine.suspend() == [.stopClock, .endBackOff])
        #expect(machine.retryTimePassed() == [])
        #expect(machine.resume() == [.startClock, .enterLine])
    }

    @Test func `DL-16: a data task that is suspended has no clock either`() {
        var machine = DataTransfer.StateMachine()
        #expect(machine.resume(isJoining: false) == [.startClock, .enterLine])
        #expect(machine.suspend(isLeaving: false) == [.stopClock, .leaveLine])
        #expect(machine.resume(isJoining: false) == [.startClock, .enterLine])
        #expect(machine.admitted() == [.start])
        #expect(machine.suspend(isLeaving: false) == [.stopClock, .updateFlow])
        #expect(machine.resume(isJoining: false) == [.startClock, .updateFlow])
        #expect(machine.finished() == [.stopClock, .giveConnectionBack, .end])
    }

    // MARK: - Shared loads

    private var sharing: Machine {
        var machine = Machine(isAdopting: false)
        _ = machine.resume(isJoining: true)
        return machine
    }

    @Test func `P15: who joins a load needs no connection, and has none to give back`() {
        var machine = Machine(isAdopting: false)
        #expect(machine.resume(isJoining: true) == [.startClock, .start])
        #expect(machine.isSharing)
        #expect(machine.suspend() == [.stopClock, .stop])
        #expect(machine.resume() == [.startClock, .enterLine])
        machine = sharing
        #expect(machine.finished(result) == [.stopClock, .publish(result)])
        machine = sharing
        #expect(machine.failed(lost) == [.stopClock, .fail(lost, keepsFile: true)])
    }

    @Test func `P15: who is left alone gets in line`() {
        var machine = sharing
        #expect(machine.released() == [.stop, .enterLine])
        #expect(machine.admitted() == [.start])
        #expect(machine.finished(result) == [.stopClock, .giveConnectionBack, .publish(result)])
        machine = running
        #expect(machine.released() == [], "who has a connection is not left alone")
    }

    @Test func `P15: who gets another one's connection gives it back`() {
        var machine = sharing
        machine.inheritConnection()
        #expect(!machine.isSharing)
        #expect(machine.suspend() == [.stopClock, .stop, .giveConnectionBack])
        #expect(machine.suspend() == [])
    }

    // MARK: - The end

    @Test func `DL-18: a task that never ran can be cancelled`() {
        var machine = Machine(isAdopting: false)
        #expect(
            machine.cancel(cancelled, producingResumeData: false)
                == [.stopClock, .fail(cancelled, keepsFile: false)]
        )
        #expect(machine.resume() == [])
    }

    @Test func `RD-4: a failure keeps what is there`() {
        var machine = running
        #expect(
            machine.failed(lost)
                == [.stopClock, .giveConnectionBack, .fail(lost, keepsFile: true)]
        )
        #expect(machine.timeRanOut(late) == [])
    }

    @Test func `the time for the whole resource runs out in line, too`() {
        var machine = Machine(isAdopting: false)
        _ = machine.resume()
        #expect(
            machine.timeRanOut(late) == [.stopClock, .leaveLine, .fail(late, keepsFile: true)]
        )
    }

    @Test func `a task does not run before its file is its own`() {
        var machine = Machine(isAdopting: true)
        #expect(machine.resume() == [.startClock])
        #expect(machine.suspend() == [.stopClock])
        #expect(machine.resume() == [.startClock])
        #expect(machine.adopted(nil) == [.enterLine])
        #expect(machine.admitted() == [.start])
    }

    @Test func `RD-10: a file that is gone fails the task when it is resumed`() {
        let missing = TransferError(code: .fileMissing, message: "")
        var suspended = Machine(isAdopting: true)
        #expect(suspended.adopted(missing) == [])
        #expect(suspended.resume() == [.fail(missing, keepsFile: false)])

        var resumed = Machine(isAdopting: true)
        _ = resumed.resume()
        #expect(resumed.adopted(missing) == [.stopClock, .fail(missing, keepsFile: false)])
    }

    @Test func `a cancelled task waits for its file before it ends`() {
        var machine = Machine(isAdopting: true)
        _ = machine.resume()
        #expect(machine.cancel(cancelled, producingResumeData: true) == [.stopClock])
        #expect(machine.resume() == [])
        #expect(machine.adopted(nil) == [.fail(cancelled, keepsFile: true)])
    }
}
