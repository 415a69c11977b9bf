import FerryStore
import FerrySystem
import FoundationEssentials
import Testing

@testable import FerryDaemon

/// What holds by a timetable at a moment, and until when.
@Suite(.timeLimit(.minutes(5))) struct TimetableTests {
    private func timetable(_ rules: String...) throws -> Timetable {
        Timetable(rules: try rules.map { try TimetableRule($0) })
    }

    private func date(_ text: String) throws -> Date {
        try Date(text + ":00Z", strategy: .iso8601)
    }

    /// The moments, after one, at which something else holds, up to another.
    private func changes(
        _ timetable: Timetable,
        from start: String,
        to end: String,
        by clock: LocalClock = .utc
    ) throws -> [String] {
        var moment = try date(start)
        let end = try date(end)
        var changes: [String] = []
        while let next = timetable.period(at: moment, by: clock).until, next <= end {
            #expect(next > moment)
            let period = timetable.period(at: next, by: clock)
            let isLimited = period.rates != SharedRates() || period.isOutsideHours
            changes.append(next.formatted(.iso8601).dropLast(4) + (isLimited ? " +" : " -"))
            moment = next
        }
        return changes
    }

    // MARK: Hours

    @Test(arguments: [
        ("2026-03-27T07:59", false), ("2026-03-27T08:00", true), ("2026-03-27T17:59", true),
        ("2026-03-27T18:00", false), ("2026-03-28T12:00", false), ("2026-03-30T08:00", true),
    ])
    func `a rule holds from its first minute to before its last, on its days`(
        time: String,
        holds: Bool
    ) throws {
        let timetable = try timetable("Mon-Fri 08:00-18:00 512k")
        let period = timetable.period(at: try date(time), by: .utc)
        let limit = SharedRates(receive: 512_000, send: 512_000)
        #expect(period.rates == (holds ? limit : SharedRates()))
        #expect(!period.isOutsideHours)
    }

    @Test func `a rule of working days begins and ends on each of them`() throws {
        #expect(
            try changes(
                timetable("Mon-Fri 08:00-18:00 1k"),
                from: "2026-03-26T12:00",
                to: "2026-03-30T12:00"
            ) == [
                "2026-03-26T18:00 -", "2026-03-27T08:00 +", "2026-03-27T18:00 -",
                "2026-03-30T08:00 +",
            ]
        )
    }

    @Test func `hours over midnight belong to the day on which they begin`() throws {
        #expect(
            try changes(
                timetable("Fri 22:00-06:00 1k"),
                from: "2026-03-26T00:00",
                to: "2026-04-03T12:00"
            ) == ["2026-03-27T22:00 +", "2026-03-28T06:00 -"]
        )
        let atMidnight = try timetable("Fri 22:00-00:00 1k")
        #expect(
            try changes(atMidnight, from: "2026-03-26T00:00", to: "2026-04-03T12:00")
                == ["2026-03-27T22:00 +", "2026-03-28T00:00 -"]
        )
    }

    @Test func `days go on from Sunday to Monday`() throws {
        #expect(
            try changes(
                timetable("Sat-Mon 1k"),
                from: "2026-03-26T00:00",
                to: "2026-04-04T12:00"
            ) == ["2026-03-28T00:00 +", "2026-03-31T00:00 -", "2026-04-04T00:00 +"]
        )
    }

    @Test(arguments: ["daily 512k", "daily 00:00-24:00 512k", "Mon-Sun discretionary"])
    func `what holds at any hour never changes`(rule: String) throws {
        let period = try timetable(rule).period(at: try date("2026-03-26T00:00"), by: .utc)
        #expect(period.until == nil)
        #expect(!period.isOutsideHours)
    }

    @Test func `without rules nothing holds, and nothing changes`() throws {
        let period = Timetable().period(at: try date("2026-03-26T00:00"), by: .utc)
        #expect(period == Timetable.Period())
    }

    // MARK: Several rules

    @Test func `the lowest rate counts for each direction, in any order`() throws {
        let rules = ["daily 1M down 200k up", "Thu 500k", "Fri 1k"]
        let date = try date("2026-03-26T12:00")
        for rules in [rules, rules.reversed()] {
            let timetable = Timetable(rules: try rules.map { try TimetableRule($0) })
            let period = timetable.period(at: date, by: .utc)
            #expect(period.rates == SharedRates(receive: 500_000, send: 200_000))
        }
    }

    @Test func `all hours for discretionary work count together; without any it may always run`()
        throws
    {
        let night = try timetable("daily 22:00-02:00 discretionary", "Sat-Sun discretionary")
        for (time, waits) in [
            ("2026-03-26T21:59", true), ("2026-03-26T22:00", false), ("2026-03-27T01:59", false),
            ("2026-03-27T02:00", true), ("2026-03-28T12:00", false),
        ] {
            let period = night.period(at: try date(time), by: .utc)
            #expect(period.isOutsideHours == waits, "\(time)")
            #expect(period.conditions == (waits ? .outsideHours : []))
        }
        let limited = try timetable("daily 1k", "background urgent")
        #expect(!limited.period(at: try date("2026-03-26T12:00"), by: .utc).isOutsideHours)
    }

    // MARK: Summer time

    @Test func `hours that are skipped do not come`() throws {
        #expect(
            try changes(
                timetable("daily 02:00-03:00 1k"),
                from: "2026-03-28T00:00",
                to: "2026-03-30T12:00",
                by: .berlin
            ) == [
                "2026-03-28T01:00 +", "2026-03-28T02:00 -", "2026-03-30T00:00 +",
                "2026-03-30T01:00 -",
            ]
        )
    }

    @Test func `a rule that begins in skipped hours begins when they are over`() throws {
        #expect(
            try changes(
                timetable("daily 02:30-04:00 1k"),
                from: "2026-03-28T12:00",
                to: "2026-03-29T12:00",
                by: .berlin
            ) == ["2026-03-29T01:00 +", "2026-03-29T02:00 -"]
        )
    }

    @Test func `hours that are repeated come twice`() throws {
        #expect(
            try changes(
                timetable("daily 02:15-02:45 1k"),
                from: "2026-10-24T12:00",
                to: "2026-10-25T12:00",
                by: .berlin
            ) == [
                "2026-10-25T00:15 +", "2026-10-25T00:45 -", "2026-10-25T01:15 +",
                "2026-10-25T01:45 -",
            ]
        )
        #expect(
            try changes(
                timetable("daily 02:00-03:00 1k"),
                from: "2026-10-24T12:00",
                to: "2026-10-25T12:00",
                by: .berlin
            ) == ["2026-10-25T00:00 +", "2026-10-25T02:00 -"]
        )
    }

    @Test func `a night in which the clock changes is longer or shorter`() throws {
        let night = try timetable("Sat 22:00-06:00 1k")
        #expect(
            try changes(night, from: "2026-03-28T12:00", to: "2026-03-29T12:00", by: .berlin)
                == ["2026-03-28T21:00 +", "2026-03-29T04:00 -"]
        )
        #expect(
            try changes(night, from: "2026-10-24T12:00", to: "2026-10-25T12:00", by: .berlin)
                == ["2026-10-24T20:00 +", "2026-10-25T05:00 -"]
        )
    }

    @Test func `a rule whose only hour of a week is skipped holds in the next week`() throws {
        let rule = try timetable("Sun 02:00-03:00 1k")
        let period = rule.period(at: try date("2026-03-23T00:00"), by: .berlin)
        #expect(period.until == (try date("2026-04-05T00:00")))
    }

    @Test func `where the clock shows half hours, it is what it shows that counts`() throws {
        let kolkata = LocalClock { _ in 19_800 }
        #expect(
            try changes(
                timetable("daily 00:00-06:00 1k"),
                from: "2026-03-26T12:00",
                to: "2026-03-27T12:00",
                by: kolkata
            ) == ["2026-03-26T18:30 +", "2026-03-27T00:30 -"]
        )
    }

    @Test func `a timer that comes a moment too early is on time`() throws {
        let timetable = try timetable("daily 08:00-18:00 1k")
        let early = try date("2026-03-26T08:00").addingTimeInterval(-0.001)
        #expect(timetable.period(at: early, by: .utc).until == (try date("2026-03-26T18:00")))
    }

    /// A look at every minute finds the same as the search for the next change.
    @Test func `nothing changes before the time that is told, and something then`() throws {
        var random = SeededRandom(seed: 7)
        let start = try date("2026-03-20T00:00")
        for _ in 0..<40 {
            let timetable = try Self.sample(using: &random)
            let offset = Double(Int.random(in: 0..<20_000, using: &random)) * 60
            let date = start.addingTimeInterval(offset)
            let period = timetable.period(at: date, by: .berlin)
            let end = period.until ?? date.addingTimeInterval(9 * 86_400)
            var moment = date
            while moment < end {
                #expect(timetable.period(at: moment, by: .berlin).until == period.until)
                moment += Double(Int.random(in: 1..<600, using: &random)) * 60
            }
            guard let until = period.until else { continue }
            let minuteBefore = timetable.period(at: until.addingTimeInterval(-60), by: .berlin)
            #expect(minuteBefore.until == until)
            let next = timetable.period(at: until, by: .berlin)
            #expect((next.rates, next.isOutsideHours) != (period.rates, period.isOutsideHours))
        }
    }

    private static func sample(using random: inout SeededRandom) throws -> Timetable {
        let days = ["Mon", "Tue-Thu", "Fri-Mon", "Sun", "daily"]
        let effects = ["1k", "2k down", "discretionary"]
        return Timetable(
            rules: try (0..<Int.random(in: 1..<4, using: &random)).map { _ in
                let hours = (0..<2).map { _ in Int.random(in: 0..<24, using: &random) }
                let day = days.randomElement(using: &random) ?? "daily"
                let effect = effects.randomElement(using: &random) ?? "1k"
                return try TimetableRule("\(day) \(hours[0]):00-\(hours[1]):30 \(effect)")
            }
        )
    }
}

extension LocalClock {
    /// A clock that shows UTC.
    static let utc = LocalClock { _ in 0 }

    /// A clock in Berlin in 2026, when summer time lasts from the 29th of March to the 25th of October, one o'clock UTC.
    static let berlin = LocalClock { moment in
        1_774_746_000..<1_792_890_000 ~= moment ? 7200 : 3600
    }
}
