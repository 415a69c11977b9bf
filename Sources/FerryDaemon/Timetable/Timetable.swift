import FerryStore
import FerrySystem
import FoundationEssentials

/// The user's rules about the hours of the week: how fast all transfers may be then, and when discretionary work may run.
///
/// A rule holds while the local clock shows one of its hours on one of its days. An hour that is skipped when summer
/// time begins does not come, and one that is repeated when it ends comes twice. All rules that hold count: the lowest
/// rate for each direction, and all hours for discretionary work together.
struct Timetable: Hashable, Sendable {
    /// The rules, in the order of the file.
    var rules: [TimetableRule] = []

    /// Whether what applications begin in the background is as urgent as other work, by the user's word (BG-22).
    var isBackgroundUrgent: Bool { rules.contains { $0.effect == .backgroundIsUrgent } }

    /// Whether what holds depends on the time of day.
    var dependsOnTime: Bool { rules.contains { $0.hours?.areAll == false } }

    /// The rules for discretionary work alone.
    var hoursForDiscretionaryWork: Timetable {
        Timetable(rules: rules.filter { $0.effect == .discretionary })
    }

    /// Returns what holds at a moment, and until when.
    ///
    /// - Parameters:
    ///   - date: The moment.
    ///   - clock: The local clock.
    /// - Returns: What holds.
    func period(at date: Date, by clock: LocalClock) -> Period {
        let start = LocalClock.second(of: date)
        var period = period(clock.reading(at: start))
        guard dependsOnTime else { return period }
        // Every day has its midnight, so that no step is longer than a day.
        let seconds = Set(rules.compactMap(\.hours).flatMap(\.bounds)).union([0]).sorted()
        var moment = start
        while moment - start < Self.horizon {
            moment = clock.next(after: moment, among: seconds)
            guard self.period(clock.reading(at: moment)) == period else {
                period.until = Date(timeIntervalSince1970: Double(moment))
                break
            }
        }
        return period
    }

    /// The time, in seconds, after which nothing changes that has not before: summer time may skip a rule for a week.
    private static let horizon = 22 * 86_400

    private func period(_ reading: LocalClock.Reading) -> Period {
        var period = Period()
        var hasHours = false
        var isWithinHours = false
        for rule in rules {
            let holds = rule.holds(reading)
            switch rule.effect {
            case .limit(let rates):
                if holds { period.rates = period.rates.lowest(with: rates) }
            case .discretionary:
                hasHours = true
                if holds { isWithinHours = true }
            case .backgroundIsUrgent: break
            }
        }
        period.isOutsideHours = hasHours && !isWithinHours
        return period
    }

    /// What holds for a time.
    struct Period: Hashable, Sendable {
        /// The limits for all transfers together.
        var rates = SharedRates()
        /// Whether discretionary work has to wait.
        var isOutsideHours = false
        /// When something else holds; `nil` for never.
        var until: Date?

        /// The conditions of the machine that follow.
        var conditions: Conditions { isOutsideHours ? .outsideHours : [] }
    }
}
