import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

/// What the machine makes of the user's timetable: its time begins on a Friday at eight o'clock.
@Suite(.timeLimit(.minutes(1))) struct HoursTests {
    private let hour = 3600.0
    private let limit = SharedRates(receive: 512_000, send: 512_000)

    private func timetable(_ rules: String...) throws -> Timetable {
        Timetable(rules: try rules.map { try TimetableRule($0) })
    }

    private func set(_ timetable: Timetable, on bench: inout MachineBench) {
        bench.input { $0.timetableChanged(to: timetable) }
    }

    /// The limits of all transfers that were set, in order.
    private func limits(_ bench: MachineBench) -> [SharedRates] {
        bench.effects.compactMap { effect in
            if case .limitRates(let rates, session: nil) = effect { rates } else { nil }
        }
    }

    @Test func `without rules there is no timer, and nothing is done`() {
        var bench = MachineBench()
        bench.forgetEffects()
        set(Timetable(), on: &bench)
        #expect(bench.effects == [])
        #expect(bench.timers[.hours] == nil)
    }

    @Test func `a limit holds in its hours, and no longer`() throws {
        var bench = MachineBench()
        bench.forgetEffects()
        set(try timetable("Fri 09:00-10:00 512k"), on: &bench)
        #expect(limits(bench) == [])
        #expect(bench.timers[.hours] == moment(hour))
        bench.wait(hour)
        #expect(limits(bench) == [limit])
        #expect(bench.machine.ratesInForce == limit)
        bench.wait(hour)
        #expect(limits(bench) == [limit, SharedRates()])
        #expect(bench.timers[.hours] == moment(7 * 24 * hour + hour))
    }

    @Test func `a person's limit holds as well: the lower one counts`() throws {
        var bench = MachineBench()
        set(try timetable("daily 1M down 200k up"), on: &bench)
        bench.forgetEffects()
        let own = SharedRates(receive: 300_000, send: nil)
        #expect(bench.person { $0.setRates(own, from: $1) } == .done)
        #expect(limits(bench) == [SharedRates(receive: 300_000, send: 200_000)])
        #expect(bench.machine.rates == own)
        set(Timetable(), on: &bench)
        #expect(limits(bench).last == own)
    }

    @Test func `a timetable without limits takes none away and sets none`() throws {
        var bench = MachineBench()
        bench.forgetEffects()
        set(try timetable("daily discretionary", "background urgent"), on: &bench)
        #expect(limits(bench) == [])
        #expect(bench.machine.hours.timetable.isBackgroundUrgent)
    }

    @Test func `outside the hours for discretionary work the machine is in that condition`() throws
    {
        var bench = MachineBench()
        set(try timetable("daily 22:00-06:00 discretionary", "Fri 12:00-13:00 1k"), on: &bench)
        #expect(bench.machine.hours.period.conditions == .outsideHours)
        #expect(bench.machine.hours.endOfWait(after: moment(0)) == moment(14 * hour))
        bench.wait(14 * hour)
        #expect(bench.machine.hours.period.conditions == [])
        bench.wait(8 * hour)
        #expect(bench.machine.hours.period.conditions == .outsideHours)
    }

    @Test(arguments: [2.0, -1.0, 23.5]) func `when the clock is set, its hours hold at once`(
        hours: Double
    ) throws {
        var bench = MachineBench()
        set(try timetable("Fri 10:00-11:00 512k", "Sat 07:00-08:00 1k"), on: &bench)
        var clock = bench.machine.clock
        let isSet = clock.record(wall: moment(hours * hour), sinceBoot: 0)
        #expect(isSet)
        bench.input { [clock] in $0.clockSet(clock) }
        let wanted: SharedRates =
            switch hours {
            case 2: limit
            case 23.5: SharedRates(receive: 1000, send: 1000)
            default: SharedRates()
            }
        #expect(bench.machine.ratesInForce == wanted)
        // The machine's own time goes on as before.
        let end = hours == 2 ? hour : hours == -1 ? 3 * hour : hour / 2
        #expect(bench.timers[.hours] == moment(end))
        bench.wait(end)
        #expect(bench.machine.ratesInForce == (hours == -1 ? limit : SharedRates()))
    }

    @Test func `a timer that the clock has overtaken is set again`() throws {
        var bench = MachineBench()
        set(try timetable("Fri 09:00-10:00 512k"), on: &bench)
        bench.input { $0.timerFired(.hours) }
        #expect(bench.timers[.hours] == moment(hour))
    }

    @Test func `when the time zone changes, the local hours hold`() throws {
        let zone = SettableZone()
        var bench = MachineBench(localClock: zone.clock)
        set(try timetable("Fri 17:00-18:00 512k"), on: &bench)
        #expect(bench.machine.ratesInForce == SharedRates())
        zone.offset = 9 * 3600
        bench.input { $0.followHours() }
        #expect(bench.machine.ratesInForce == limit)
    }

    @Test func `a daemon that starts in limited hours limits from the start`() throws {
        var bench = MachineBench()
        let timetable = try timetable("Fri 08:00-09:00 512k", "Sat discretionary")
        let machine = DaemonStateMachine(
            policy: .bench,
            nextTaskID: 1,
            clock: bench.machine.clock,
            localClock: .utc
        )
        bench.machine = machine
        bench.forgetEffects()
        bench.input {
            $0.start(applications: [], sessions: [], timetable: timetable)
        }
        #expect(limits(bench) == [limit])
        #expect(bench.machine.hours.period.conditions == .outsideHours)
        #expect(bench.timers[.hours] == moment(hour))
    }

    @Test func `a transfer that the timetable slows down is no trickle`() throws {
        var bench = MachineBench(.limits(total: 1, host: 1))
        set(try timetable("daily 100"), on: &bench)
        let client = bench.open()
        let slow = bench.start(client, 1)
        let next = bench.start(client, 2)
        bench.wait(2 * hour)
        #expect(Set(bench.transfers.keys) == [slow])
        set(Timetable(), on: &bench)
        bench.wait(hour)
        #expect(bench.transfers[next] != nil)
    }

    @Test func `a machine that stops sets no timers`() throws {
        var bench = MachineBench()
        bench.input { machine in machine.stopDaemon(call: nil) }
        bench.forgetEffects()
        set(try timetable("Fri 09:00-10:00 512k"), on: &bench)
        #expect(bench.effects == [])
    }
}
