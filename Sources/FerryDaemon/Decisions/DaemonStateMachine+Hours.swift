import FerryStore
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// The user's timetable, and what of it holds now.
    struct Hours: Sendable {
        /// The timetable.
        private(set) var timetable = Timetable()
        /// What holds, and until when.
        private(set) var period = Timetable.Period()
        private let clock: LocalClock

        /// Creates an empty timetable.
        init(clock: LocalClock) { self.clock = clock }

        /// The user has another timetable.
        mutating func change(to timetable: Timetable) { self.timetable = timetable }

        /// Finds what holds at a time of day.
        mutating func follow(_ wall: Date) { period = timetable.period(at: wall, by: clock) }

        /// Returns when discretionary work that waits may run again; `nil` if its hours never come.
        func endOfWait(after wall: Date) -> Date? {
            timetable.hoursForDiscretionaryWork.period(at: wall, by: clock).until
        }

        /// Returns whether a rule holds at a time of day.
        func holds(_ rule: TimetableRule, at wall: Date) -> Bool {
            rule.holds(clock.reading(at: wall))
        }
    }

    /// The limits of all transfers together at any hour: for each direction the person's, else that of the settings.
    var ratesAtAnyHour: SharedRates {
        SharedRates(
            receive: rates.receive ?? standardRates.receive,
            send: rates.send ?? standardRates.send
        )
    }

    /// The limits of all transfers together: for each direction the lower of those at any hour and the timetable's.
    var ratesInForce: SharedRates { ratesAtAnyHour.lowest(with: hours.period.rates) }

    /// The user has another timetable.
    mutating func timetableChanged(to timetable: Timetable) {
        hours.change(to: timetable)
        followHours()
    }

    /// What holds by the timetable may be something else: time has passed, or the clock or its zone has changed.
    mutating func followHours() {
        guard !isStopping else { return }
        let (before, ratesBefore) = (hours.period, ratesInForce)
        hours.follow(clock.wall(at: now))
        let period = hours.period

        // A timer that has fired too early, because the clock was set, is gone.
        if before.until != nil || period.until != nil { planHours() }
        if ratesInForce != ratesBefore { turn.add(.limitRates(ratesInForce, session: nil)) }
        if (period.rates, period.conditions) != (before.rates, before.conditions) {
            turn.add(.log(.info, "by the timetable: \(period)", task: nil))
        }
        hoursChanged(isOutside: period.isOutsideHours)
    }

    /// Plans to look again when something else holds; without rules for some hours there is no timer.
    mutating func planHours() {
        turn.add(.setTimer(.hours, hours.period.until.map(clock.moment(ofWall:))))
    }
}

extension Timetable.Period: CustomStringConvertible {
    /// What holds, for the log.
    var description: String {
        let work = isOutsideHours ? "discretionary work waits" : "discretionary work may run"
        return "\(rates.logText); \(work)"
    }
}
