/// Hours of some days of the week, such as `Mon-Fri 08:00-18:00`.
///
/// Hours that go on after midnight belong to the day on which they begin: `Fri 22:00-06:00` ends on Saturday.
struct WeeklyHours: Hashable, Sendable, CustomStringConvertible {
    private static let names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let longNames = [
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    ]
    private static let day = 86_400

    /// Whether each day is one of them, from Monday.
    private var days = [Bool](repeating: false, count: 7)
    /// The seconds since midnight at which they begin.
    private let begin: Int
    /// The seconds since midnight at which they end; on the next day, if that is not after the beginning.
    private let end: Int

    /// Reads days and hours.
    ///
    /// - Parameters:
    ///   - text: The days, such as `mon-fri`, `sat,sun` or `daily`, in lower case.
    ///   - times: The hours, such as `08:00-18:00`; `nil` for the whole day.
    /// - Throws: ``TimetableError`` that says what is wrong.
    init(days text: String, times: String?) throws(TimetableError) {
        (begin, end) =
            try times.map { (text) throws(TimetableError) in try Self.times(text) }
            ?? (0, Self.day)
        if text == "daily" {
            days = days.map { _ in true }
            return
        }
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let bounds = part.split(separator: "-", omittingEmptySubsequences: false)
            guard bounds.count <= 2, let first = bounds.first, let last = bounds.last else {
                throw TimetableError("'\(part)' does not look like 'Mon-Fri'")
            }
            var day = try Self.dayNumber(first)
            let lastDay = try Self.dayNumber(last)
            days[day] = true
            while day != lastDay {
                day = (day + 1) % 7
                days[day] = true
            }
        }
    }

    private static func dayNumber(_ name: Substring) throws(TimetableError) -> Int {
        let number = longNames.firstIndex { name.count >= 3 && $0.hasPrefix(name) }
        guard let number else {
            throw TimetableError(
                "'\(name)' is no day: write Mon, Tue, Wed, Thu, Fri, Sat, Sun or 'daily'"
            )
        }
        return number
    }

    private static func times(
        _ text: String
    ) throws(TimetableError) -> (begin: Int, end: Int) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let begin = time(parts[0]), let end = time(parts[1]),
            begin < day
        else {
            throw TimetableError("'\(text)' does not look like '08:00-18:00', from 00:00 to 24:00")
        }
        guard begin != end else {
            throw TimetableError("'\(text)' has no length: '00:00-24:00' is the whole day")
        }
        return (begin, end)
    }

    private static func time(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].count), parts[1].count == 2,
            text.allSatisfy({ $0 == ":" || $0.isASCII && $0.isNumber }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), minute < 60
        else { return nil }
        let time = hour * 3600 + minute * 60
        return time <= day ? time : nil
    }

    /// Whether they are all hours of the week.
    var areAll: Bool { isWholeDay && !days.contains(false) }

    private var isWholeDay: Bool { (begin, end) == (0, Self.day) }

    /// The times of day, in seconds since midnight, at which they begin or end.
    var bounds: [Int] { [begin, end % Self.day] }

    /// Returns whether a clock shows one of them.
    func contains(_ reading: LocalClock.Reading) -> Bool {
        if begin < end { return days[reading.day] && begin..<end ~= reading.second }
        return (days[reading.day] && reading.second >= begin)
            || (days[(reading.day + 6) % 7] && reading.second < end)
    }

    /// The days and hours as they are written.
    var description: String {
        isWholeDay ? dayText : "\(dayText) \(Self.text(begin))-\(Self.text(end))"
    }

    private var dayText: String {
        if !days.contains(false) { return "daily" }
        var parts: [String] = []
        // Days in a row may go on from Sunday to Monday.
        for first in 0..<7 where days[first] && !days[(first + 6) % 7] {
            let count = (1..<7).first { !days[(first + $0) % 7] } ?? 7
            let last = Self.names[(first + count - 1) % 7]
            parts.append(count == 1 ? last : "\(Self.names[first])-\(last)")
        }
        return parts.joined(separator: ",")
    }

    private static func text(_ time: Int) -> String {
        let (hour, minute) = (time / 3600, time / 60 % 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }
}
