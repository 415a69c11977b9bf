import FerrySystem
import FoundationEssentials

/// A clock that shows local time.
struct LocalClock: Sendable {
    /// What it shows.
    struct Reading: Hashable, Sendable {
        /// The day of the week, from 0 for Monday.
        var day: Int
        /// The seconds since midnight, as shown: 7200 at two o'clock, whatever was skipped or repeated before.
        var second: Int
    }

    /// The machine's clock.
    static let machine = LocalClock(offset: LocalTime.offset)

    private let offset: @Sendable (Int) -> Int

    /// Creates a clock.
    ///
    /// - Parameter offset: Returns by how many seconds it is ahead of UTC at a number of seconds since 1970.
    init(offset: @escaping @Sendable (Int) -> Int) { self.offset = offset }

    /// Returns the number of seconds since 1970; a timer that fires a hundredth of a second early is on time.
    static func second(of date: Date) -> Int {
        Int((date.timeIntervalSince1970 + 0.01).rounded(.down))
    }

    /// Returns what it shows at a date.
    func reading(at date: Date) -> Reading { reading(at: Self.second(of: date)) }

    /// Returns what it shows at a number of seconds since 1970.
    func reading(at moment: Int) -> Reading {
        let local = moment + offset(moment)
        let second = local.remainder(modulo: 86_400)
        // The first day of 1970 was a Thursday.
        return Reading(day: ((local - second) / 86_400 + 3).remainder(modulo: 7), second: second)
    }

    /// Returns the next moment at which it shows one of some times of day, or jumps.
    ///
    /// - Parameters:
    ///   - moment: The number of seconds since 1970.
    ///   - seconds: The times of day, in seconds since midnight, in ascending order, with 0 as the first.
    /// - Returns: The number of seconds since 1970.
    func next(after moment: Int, among seconds: [Int]) -> Int {
        let shown = reading(at: moment).second
        let wait = (seconds.first { $0 > shown } ?? 86_400) - shown
        return jump(after: moment, upTo: moment + wait) ?? moment + wait
    }

    /// Returns the first moment at which it has jumped; `nil` if it shows the same offset at both ends.
    private func jump(after start: Int, upTo end: Int) -> Int? {
        let before = offset(start)
        guard offset(end) != before else { return nil }
        var (low, high) = (start, end)
        while high - low > 1 {
            let middle = (low + high) / 2
            if offset(middle) == before { low = middle } else { high = middle }
        }
        return high
    }
}

extension Int {
    /// Returns the remainder that is not negative.
    fileprivate func remainder(modulo divisor: Int) -> Int {
        let remainder = self % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }
}
