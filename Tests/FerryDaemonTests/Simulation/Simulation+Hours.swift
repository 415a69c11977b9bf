import FerryStore
import FerrySystem
import FoundationEssentials

@testable import FerryDaemon

extension Simulation {
    /// What holds at the present hour.
    var period: Timetable.Period { timetable.period(at: wall, by: zone.clock) }

    /// What has held a moment ago: the timer of this very moment may still have to fire.
    var periodBefore: Timetable.Period { timetable.period(at: wall - 0.1, by: zone.clock) }

    /// The user writes another timetable, or none.
    func changeTimetable() {
        count(.timetableChanged)
        setTimetable(Timetable(rules: (0..<random.number(below: 4)).compactMap { _ in makeRule() }))
    }

    /// The user writes a timetable.
    func setTimetable(_ new: Timetable) {
        timetable = new
        record("the timetable: \(new.rules.map(\.description))")
        guard let daemon, daemon.hasBooted else { return }
        daemon.input { machine in machine.timetableChanged(to: new) }
    }

    /// The time zone is another one.
    func changeZone() {
        zone.offset = random.one(of: [0, 60, -60, 3600])
        record("the time zone is at \(zone.offset)")
        guard let daemon, daemon.hasBooted else { return }
        daemon.input { machine in machine.followHours() }
    }

    /// A rule for some of the minutes that histories take: they begin at eight o'clock.
    private func makeRule() -> TimetableRule? {
        let effect = random.one(of: ["100", "1k down", "50 up", "discretionary"])
        let (begin, end) = (random.number(below: 4), random.number(below: 4))
        let hours = begin == end ? "" : "08:0\(begin)-08:0\(end)"
        return try? TimetableRule("daily \(hours) \(effect)")
    }

    /// The limits are those of the hour, and so is what holds for discretionary work.
    func checkHours(_ daemon: SimulatedDaemon) {
        let machine = daemon.machine
        if machine.hours.timetable != timetable { fail("ferryd has another timetable") }
        let period = period
        if period.rates != SharedRates() { count(.limitedHour) }
        if period.isOutsideHours { count(.discretionaryWait) }
        guard [periodBefore, period].contains(machine.hours.period) else {
            return fail("ferryd is in the hours of \(machine.hours.period), not of \(period)")
        }
        let limits = machine.rates.lowest(with: machine.hours.period.rates)
        if daemon.rates != limits { fail("all may load at \(daemon.rates), not at \(limits)") }
    }
}
