import FerryTestSupport
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(5))) struct RateLimitStateMachineTests {
    typealias Machine = RateLimit.StateMachine

    /// Flows that always have bytes to let pass, a piece at a time, over simulated time.
    private struct World {
        var machine: Machine
        var now = ContinuousClock.now
        var timer: ContinuousClock.Instant?
        var passed: [UInt64: Int] = [:]
        let weights: [UInt64: Double]
        let piece: Int

        init(rate: Int64?, piece: Int, weights: [UInt64: Double]) {
            machine = Machine(bytesPerSecond: rate, at: now)
            self.weights = weights
            self.piece = piece
        }

        mutating func perform(_ effects: [Machine.Effect]) {
            for effect in effects {
                switch effect {
                case .admit(let flow): run(flow.number)
                case .setTimer(let date): timer = date
                }
            }
        }

        /// Lets pieces pass until the flow has to wait.
        mutating func run(_ flow: UInt64) {
            var count = 0
            repeat {
                passed[flow, default: 0] += piece
                machine.passed(piece, by: .flow(flow), weight: weights[flow] ?? 1, at: now)
                count += 1
            } while !machine.isExhausted(at: now) && count < 10_000
            perform(machine.after { $0.wait(.flow(flow), at: now) })
        }

        mutating func advance(_ duration: Duration) {
            let end = now + duration
            while let date = timer, date <= end {
                now = max(now, date)
                timer = nil
                perform(machine.after { $0.timerFired(at: now) })
            }
            now = end
        }
    }

    @Test(arguments: [1_000, 65_536, 1_000_000])
    func `as many bytes pass as the limit allows`(rate: Int64) {
        var world = World(rate: rate, piece: 4096, weights: [1: 1])
        world.run(1)
        world.advance(.seconds(60))
        let expected = Double(rate) * 60
        let count = Double(world.passed[1] ?? 0)
        #expect(count <= expected + Double(rate) / 10 + 8192)
        #expect(count >= expected - 8192)
    }

    @Test(arguments: [1.0, 60, 86_400])
    func `TEST-11: a pause saves up a tenth of a second's bytes, and no more`(pause: Double) {
        let start = ContinuousClock.now
        var machine = Machine(bytesPerSecond: 1000, at: start)
        let end = start + .seconds(pause)
        machine.passed(100, by: .flow(1), weight: 1, at: end)
        let isExhausted = machine.isExhausted(at: end)
        #expect(!isExhausted)
        machine.passed(1, by: .flow(1), weight: 1, at: end)
        let isExhaustedNow = machine.isExhausted(at: end)
        #expect(isExhaustedNow)
    }

    @Test func `what is owed to a limit is forgotten with it`() {
        let now = ContinuousClock.now
        var machine = Machine(bytesPerSecond: 1, at: now)
        machine.passed(1_000_000, by: .flow(1), weight: 1, at: now)
        _ = machine.after { $0.wait(.flow(1), at: now) }
        let effects = machine.after { $0.setRate(1000, at: now) }
        #expect(effects == [.setTimer(nil), .admit(.flow(1))])
        let isExhausted = machine.isExhausted(at: now)
        #expect(!isExhausted)
    }

    @Test func `equal flows get equal shares`() {
        var world = World(rate: 100_000, piece: 16_384, weights: [1: 1, 2: 1, 3: 1])
        for flow in world.weights.keys.sorted() { world.run(flow) }
        world.advance(.seconds(100))
        let total = world.passed.values.reduce(0, +)
        #expect(abs(Double(total) - 10_000_000) < 100_000)
        for count in world.passed.values {
            #expect(abs(Double(count) * 3 / Double(total) - 1) < 0.05)
        }
    }

    @Test func `a heavier flow gets more, as its weight says`() {
        var world = World(rate: 100_000, piece: 4096, weights: [1: 4, 2: 1])
        world.run(1)
        world.run(2)
        world.advance(.seconds(100))
        let share = Double(world.passed[1] ?? 0) / Double(world.passed[2] ?? 1)
        #expect((3.6...4.4).contains(share))
    }

    @Test func `the connections of one transfer have one share together`() {
        let now = ContinuousClock.now
        var machine = Machine(bytesPerSecond: 1000, at: now)
        let first = RateFlow.Identifier(transfer: 1, number: 1)
        let second = RateFlow.Identifier(transfer: 1, number: 2)
        machine.passed(2000, by: first, weight: 1, at: now)
        _ = machine.after { $0.wait(first, at: now) }
        _ = machine.after { $0.wait(second, at: now) }
        _ = machine.after { $0.wait(.flow(3), at: now) }
        let effects = machine.after { $0.timerFired(at: now + .seconds(2)) }
        #expect(effects.last == .admit(.flow(3)))
    }

    @Test func `what one flow leaves the others have`() {
        var world = World(rate: 100_000, piece: 4096, weights: [1: 1, 2: 1])
        world.run(1)
        world.run(2)
        world.advance(.seconds(10))
        world.perform(world.machine.after { $0.leave(.flow(2)) })
        let before = world.passed[1] ?? 0
        world.advance(.seconds(10))
        #expect((world.passed[1] ?? 0) - before >= 950_000)
    }

    @Test func `who comes later does not catch up on what it has not had`() {
        var world = World(rate: 100_000, piece: 4096, weights: [1: 1, 2: 1])
        world.run(1)
        world.advance(.seconds(100))
        let before = world.passed[1] ?? 0
        world.run(2)
        world.advance(.seconds(10))
        #expect((world.passed[1] ?? 0) - before >= 400_000)
    }

    @Test func `without a limit nobody waits, and a new one holds at once`() {
        let now = ContinuousClock.now
        var machine = Machine(bytesPerSecond: nil, at: now)
        machine.passed(1 << 40, by: .flow(1), weight: 1, at: now)
        let isExhaustedFirst = machine.isExhausted(at: now)
        #expect(!isExhaustedFirst)
        let limited = machine.after { $0.setRate(1000, at: now) }
        #expect(limited == [])
        machine.passed(5000, by: .flow(1), weight: 1, at: now)
        let isExhausted = machine.isExhausted(at: now)
        #expect(isExhausted)
        let waits = machine.after { $0.wait(.flow(1), at: now) }
        #expect(waits == [.setTimer(now + .seconds(5))])
        let freed = machine.after { $0.setRate(nil, at: now) }
        #expect(freed == [.setTimer(nil), .admit(.flow(1))])
    }

    @Test func `a limit below one byte per second is one`() {
        #expect(Machine(bytesPerSecond: 0, at: .now).bytesPerSecond == 1)
    }

    @Test func `who may go on and does not holds up the others for a moment only`() {
        let now = ContinuousClock.now
        var machine = Machine(bytesPerSecond: 1000, at: now)
        machine.passed(1000, by: .flow(1), weight: 1, at: now)
        _ = machine.after { $0.wait(.flow(1), at: now) }
        _ = machine.after { $0.wait(.flow(2), at: now) }
        let due = now + .seconds(1)
        let first = machine.after { $0.timerFired(at: due) }
        #expect(first == [.setTimer(due + .milliseconds(20)), .admit(.flow(2))])
        let second = machine.after { $0.timerFired(at: due + .milliseconds(20)) }
        #expect(second == [.setTimer(nil), .admit(.flow(1))])
    }
}

extension RateFlow.Identifier {
    /// The only flow of a transfer.
    fileprivate static func flow(_ number: UInt64) -> Self {
        Self(transfer: number, number: number)
    }
}
