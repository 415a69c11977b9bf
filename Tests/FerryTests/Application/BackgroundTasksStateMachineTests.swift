import FerrySystem
import FerryTestSupport
import Testing

@testable import Ferry

@Suite(.timeLimit(.minutes(5))) struct BackgroundTasksStateMachineTests {
    private typealias Machine = BackgroundTasks.StateMachine
    private typealias Identifier = Application.BackgroundTaskIdentifier

    private var machine = Machine()

    private mutating func begin() -> Identifier {
        var identifier = Identifier.invalid
        _ = machine.after { identifier = $0.begin() }
        return identifier
    }

    // MARK: Tasks

    @Test mutating func `the first task listens, the last one's end stops that`() {
        var (first, second) = (Identifier.invalid, Identifier.invalid)
        #expect(machine.after { first = $0.begin() } == [.startListening])
        #expect(machine.after { second = $0.begin() }.isEmpty)
        #expect(first != second)
        #expect(machine.after { $0.end(first, now: at(1)) }.isEmpty)
        #expect(machine.after { $0.end(second, now: at(2)) } == [.stopListening])
        #expect(machine.after { _ = $0.begin() } == [.startListening])
    }

    @Test mutating func `ending what has ended, or has never begun, changes nothing`() {
        let (first, second) = (begin(), begin())
        #expect(machine.after { $0.end(.invalid, now: at(0)) }.isEmpty)
        #expect(machine.after { $0.end(Identifier(rawValue: 77), now: at(0)) }.isEmpty)
        #expect(machine.after { $0.end(first, now: at(0)) }.isEmpty)
        #expect(machine.after { $0.end(first, now: at(0)) }.isEmpty)
        #expect(machine.after { $0.end(second, now: at(0)) } == [.stopListening])
        #expect(machine.after { $0.end(second, now: at(0)) }.isEmpty)
    }

    @Test mutating func `identifiers are valid and not used again`() {
        var identifiers: Set<Identifier> = [.invalid]
        for _ in 0..<100 {
            let identifier = begin()
            #expect(identifiers.insert(identifier).inserted)
            _ = machine.after { $0.end(identifier, now: at(0)) }
        }
    }

    @Test mutating func `there is no end to the time while nobody asks`() {
        #expect(machine.remaining(now: at(0)) == nil)
        _ = begin()
        #expect(machine.remaining(now: at(1000)) == nil)
    }

    // MARK: SIGTERM

    @Test mutating func `tasks that end in time let the process end in order`() {
        let task = begin()
        #expect(machine.after { $0.terminate(by: .terminate, now: at(10)) } == [.setTimer(at(15))])
        #expect(machine.remaining(now: at(11)) == .seconds(7))
        #expect(machine.after { $0.end(task, now: at(11)) } == [.setTimer(at(14)), .prepareToEnd])
        #expect(
            machine.after { $0.prepared() } == [.cancelTimer, .stopListening, .end(.terminate)]
        )
    }

    @Test mutating func `tasks that do not end in time are told once, then end in order`() {
        let (first, second) = (begin(), begin())
        _ = machine.after { $0.terminate(by: .terminate, now: at(0)) }
        #expect(machine.after { $0.end(first, now: at(1)) }.isEmpty)
        #expect(
            machine.after { $0.timerFired(now: at(5)) } == [.expire([second]), .setTimer(at(8))]
        )
        #expect(machine.remaining(now: at(6)) == .seconds(2))
        #expect(machine.after { $0.end(second, now: at(7)) } == [.prepareToEnd])
        #expect(
            machine.after { $0.prepared() } == [.cancelTimer, .stopListening, .end(.terminate)]
        )
    }

    @Test mutating func `tasks that never end do not hold the process`() {
        let task = begin()
        _ = machine.after { $0.terminate(by: .terminate, now: at(0)) }
        _ = machine.after { $0.timerFired(now: at(5)) }
        #expect(
            machine.after { $0.timerFired(now: at(8)) } == [
                .report([task]), .stopListening, .end(.terminate),
            ]
        )
        #expect(machine.after { $0.end(task, now: at(9)) }.isEmpty)
    }

    @Test mutating func `preparations that never end do not hold the process`() {
        let task = begin()
        _ = machine.after { $0.terminate(by: .terminate, now: at(0)) }
        _ = machine.after { $0.end(task, now: at(1)) }
        #expect(machine.after { $0.timerFired(now: at(4)) } == [.stopListening, .end(.terminate)])
        #expect(machine.after { $0.prepared() }.isEmpty)
    }

    @Test mutating func `a second request calls the handlers at once, a third changes nothing`() {
        let task = begin()
        _ = machine.after { $0.terminate(by: .terminate, now: at(0)) }
        #expect(
            machine.after { $0.terminate(by: .terminate, now: at(1)) } == [
                .expire([task]), .setTimer(at(4)),
            ]
        )
        #expect(machine.after { $0.terminate(by: .terminate, now: at(2)) }.isEmpty)
        _ = machine.after { $0.end(task, now: at(3)) }
        #expect(machine.after { $0.terminate(by: .terminate, now: at(3)) }.isEmpty)
    }

    @Test mutating func `the end of a login session, by two signals, is one request`() {
        let task = begin()
        #expect(machine.after { $0.terminate(by: .terminate, now: at(0)) } == [.setTimer(at(5))])
        #expect(machine.after { $0.terminate(by: .hangUp, now: at(0)) }.isEmpty)
        #expect(machine.after { $0.timerFired(now: at(5)) } == [.expire([task]), .setTimer(at(8))])
        #expect(machine.after { $0.end(task, now: at(6)) } == [.prepareToEnd])
        #expect(
            machine.after { $0.prepared() } == [.cancelTimer, .stopListening, .end(.terminate)]
        )
    }

    @Test mutating func `a process that has lost its terminal ends by that signal`() {
        let task = begin()
        #expect(machine.after { $0.terminate(by: .hangUp, now: at(0)) } == [.setTimer(at(5))])
        _ = machine.after { $0.end(task, now: at(6)) }
        #expect(machine.after { $0.prepared() } == [.cancelTimer, .stopListening, .end(.hangUp)])
    }

    @Test mutating func `a request that comes when the last task has just ended is passed on`() {
        let task = begin()
        _ = machine.after { $0.end(task, now: at(0)) }
        #expect(machine.after { $0.terminate(by: .terminate, now: at(0)) } == [.end(.terminate)])
    }

    /// How a process ends that SIGTERM has asked to.
    enum Ending: CaseIterable {
        case inOrder
        case withoutPreparation
        case withTasks
        case afterTheLastTask
    }

    /// Has the process end by SIGTERM.
    ///
    /// - Returns: The last effect.
    private mutating func end(_ ending: Ending) -> Machine.Effect? {
        let task = begin()
        if ending == .afterTheLastTask { _ = machine.after { $0.end(task, now: at(0)) } }
        let effects = machine.after { $0.terminate(by: .terminate, now: at(0)) }
        switch ending {
        case .inOrder:
            _ = machine.after { $0.end(task, now: at(1)) }
            return machine.after { $0.prepared() }.last
        case .withoutPreparation:
            _ = machine.after { $0.end(task, now: at(1)) }
            return machine.after { $0.timerFired(now: at(4)) }.last
        case .withTasks:
            _ = machine.after { $0.timerFired(now: at(5)) }
            return machine.after { $0.timerFired(now: at(8)) }.last
        case .afterTheLastTask:
            return effects.last
        }
    }

    @Test(arguments: Ending.allCases)
    mutating func `what has asked a program to end that goes on counts no more`(ending: Ending) {
        let last = end(ending)
        #expect(last == .end(.terminate))
        // The program's own handler has decided to go on. Then it loses its terminal.
        let task = begin()
        #expect(machine.after { $0.terminate(by: .hangUp, now: at(100)) } == [.setTimer(at(105))])
        // None of the two signals of a login session that ends is a second one of its kind.
        #expect(machine.after { $0.terminate(by: .terminate, now: at(100)) }.isEmpty)
        #expect(
            machine.after { $0.timerFired(now: at(105)) } == [.expire([task]), .setTimer(at(108))]
        )
    }

    @Test(arguments: Ending.allCases)
    mutating func `a program that goes on and loses its terminal then ends by that signal`(
        ending: Ending
    ) {
        _ = end(ending)
        let task = begin()
        _ = machine.after { $0.terminate(by: .hangUp, now: at(100)) }
        _ = machine.after { $0.end(task, now: at(101)) }
        #expect(machine.after { $0.prepared() } == [.cancelTimer, .stopListening, .end(.hangUp)])
    }

    @Test mutating func `a task that begins during the grace period shares it`() {
        let first = begin()
        _ = machine.after { $0.terminate(by: .terminate, now: at(0)) }
        var second = Identifier.invalid
        let effects = machine.after { second = $0.begin() }
        #expect(effects.isEmpty)
        _ = machine.after { $0.end(first, now: at(1)) }
        #expect(
            machine.after { $0.timerFired(now: at(5)) } == [.expire([second]), .setTimer(at(8))]
        )
    }

    @Test mutating func `no task begins when the time has run out`() {
        let task = begin()
        _ = machine.after { $0.terminate(by: .terminate, now: at(0)) }
        _ = machine.after { $0.timerFired(now: at(5)) }
        #expect(begin() == .invalid)
        _ = machine.after { $0.end(task, now: at(6)) }
        #expect(begin() == .invalid)
        _ = machine.after { $0.prepared() }
        // The program's own handler may have decided to go on.
        #expect(machine.after { _ = $0.begin() } == [.startListening])
    }

    @Test mutating func `a timer that is early is set again`() {
        _ = begin()
        _ = machine.after { $0.terminate(by: .terminate, now: at(0)) }
        #expect(machine.after { $0.timerFired(now: at(4.9)) } == [.setTimer(at(5))])
    }

    @Test mutating func `the limits are the app's`() {
        machine.setGrace(.seconds(60))
        machine.setExpiration(.seconds(20))
        let task = begin()
        #expect(machine.after { $0.terminate(by: .terminate, now: at(0)) } == [.setTimer(at(60))])
        #expect(machine.remaining(now: at(0)) == .seconds(80))
        #expect(
            machine.after { $0.timerFired(now: at(60)) } == [.expire([task]), .setTimer(at(80))]
        )
    }

    // MARK: logind

    @Test(arguments: [Inhibitors.Preparation.shutdown, .sleep])
    mutating func `an announcement leaves the handlers the time that they need`(
        preparation: Inhibitors.Preparation
    ) {
        let task = begin()
        let effects = machine.after { $0.prepare(for: preparation, delay: .seconds(5), now: at(0)) }
        #expect(effects == [.setTimer(at(2))])
        #expect(machine.remaining(now: at(1)) == .seconds(4))
        #expect(machine.after { $0.timerFired(now: at(2)) } == [.expire([task])])
        #expect(machine.remaining(now: at(3)) == .seconds(2))
        #expect(begin() == .invalid)
        #expect(machine.after { $0.end(task, now: at(3)) } == [.flush])
        #expect(machine.after { $0.flushed() } == [.stopListening])
    }

    @Test mutating func `an announcement without enough time calls the handlers at once`() {
        _ = begin()
        let effects = machine.after { $0.prepare(for: .shutdown, delay: .seconds(1), now: at(0)) }
        #expect(effects == [.setTimer(at(0))])
    }

    @Test mutating func `tasks that end in time are made durable before logind goes on`() {
        let task = begin()
        _ = machine.after { $0.prepare(for: .sleep, delay: .seconds(5), now: at(0)) }
        #expect(machine.after { $0.end(task, now: at(1)) } == [.flush])
        let next = begin()
        #expect(next != .invalid)
        #expect(machine.after { $0.flushed() }.isEmpty)
        #expect(machine.after { $0.end(next, now: at(1)) } == [.flush])
        #expect(machine.after { $0.flushed() } == [.cancelTimer, .stopListening])
    }

    @Test mutating func `a task that outlives sleep is not told again, until the next request`() {
        let task = begin()
        _ = machine.after { $0.prepare(for: .sleep, delay: .seconds(5), now: at(0)) }
        _ = machine.after { $0.timerFired(now: at(2)) }
        #expect(machine.after { $0.proceed(after: .sleep) }.isEmpty)
        #expect(machine.remaining(now: at(3)) == nil)
        let later = begin()
        #expect(
            machine.after { $0.terminate(by: .terminate, now: at(100)) } == [.setTimer(at(105))]
        )
        #expect(
            machine.after { $0.timerFired(now: at(105)) } == [.expire([later]), .setTimer(at(108))]
        )
        _ = machine.after { $0.end(task, now: at(106)) }
        #expect(machine.after { $0.end(later, now: at(106)) } == [.prepareToEnd])
    }

    @Test mutating func `sleep that does not come takes the limit back`() {
        _ = begin()
        _ = machine.after { $0.prepare(for: .sleep, delay: .seconds(5), now: at(0)) }
        #expect(machine.after { $0.proceed(after: .shutdown) }.isEmpty)
        #expect(machine.after { $0.proceed(after: .sleep) } == [.cancelTimer])
        #expect(machine.after { $0.proceed(after: .sleep) }.isEmpty)
    }

    @Test mutating func `a logind that is lost takes the limit back`() {
        _ = begin()
        _ = machine.after { $0.prepare(for: .shutdown, delay: .seconds(5), now: at(0)) }
        #expect(machine.after { $0.proceed(after: nil) } == [.cancelTimer])
    }

    @Test mutating func `of two limits the earlier one holds`() {
        let task = begin()
        #expect(machine.after { $0.terminate(by: .terminate, now: at(0)) } == [.setTimer(at(5))])
        let effects = machine.after { $0.prepare(for: .shutdown, delay: .seconds(4), now: at(0)) }
        #expect(effects == [.setTimer(at(1))])
        #expect(machine.after { $0.timerFired(now: at(1)) } == [.expire([task]), .setTimer(at(5))])
        #expect(machine.after { $0.timerFired(now: at(5)) } == [.setTimer(at(8))])
        #expect(machine.remaining(now: at(5)) == .zero)
        #expect(machine.after { $0.end(task, now: at(6)) } == [.prepareToEnd])
    }

    @Test mutating func `SIGTERM while the daemon is told of everything ends the process`() {
        let task = begin()
        _ = machine.after { $0.prepare(for: .shutdown, delay: .seconds(5), now: at(0)) }
        _ = machine.after { $0.end(task, now: at(1)) }
        #expect(
            machine.after { $0.terminate(by: .terminate, now: at(1)) } == [
                .setTimer(at(4)), .prepareToEnd,
            ]
        )
        #expect(machine.after { $0.flushed() }.isEmpty)
        #expect(
            machine.after { $0.prepared() } == [.cancelTimer, .stopListening, .end(.terminate)]
        )
    }
}

private let start = ContinuousClock.now

private func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }
