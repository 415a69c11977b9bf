import Glibc

/// A moment as HTTP writes it, to the second (RFC 9110 §5.6.7).
package struct HTTPDate: Hashable, Sendable, Comparable {
    /// Seconds since 1970-01-01 00:00:00 UTC.
    package let secondsSince1970: Int64

    /// Makes a date from seconds since 1970, or the nearest one that HTTP has a year for.
    ///
    /// So differences of dates from a file or a clock never overflow.
    package init(secondsSince1970: Int64) {
        self.secondsSince1970 = min(max(secondsSince1970, Self.first), Self.last)
    }

    /// The beginning of the year 0.
    private static let first: Int64 = -62_167_219_200
    /// The leap second, should there be one, at the end of the year 9999.
    private static let last: Int64 = 253_402_300_800

    /// Parses any of the three formats that a recipient must accept; `nil` for anything else.
    ///
    /// - Parameters:
    ///   - text: `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or
    ///     `Sun Nov  6 08:49:37 1994`.
    ///   - year: The current year, to which a year of two digits is related.
    package init?(_ text: String, currentYear year: Int64 = HTTPDate.currentYear) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        let parsed: HTTPDate? =
            switch words.count {
            case 6 where words[2].isEmpty: Self.asctime(words)
            case 5: Self.asctime(words)
            case 6: Self.fixdate(words)
            case 4: Self.rfc850(words, currentYear: year)
            default: nil
            }
        guard let parsed else { return nil }
        self = parsed
    }

    package static func < (left: HTTPDate, right: HTTPDate) -> Bool {
        left.secondsSince1970 < right.secondsSince1970
    }

    private static func fixdate(_ words: [Substring]) -> HTTPDate? {
        guard words[0].last == ",", shortDays.contains(words[0].dropLast()),
            let day = number(words[1], digits: 2), let month = month(words[2]),
            let year = number(words[3], digits: 4), words[5] == "GMT"
        else { return nil }
        return HTTPDate(year: year, month: month, day: day, time: words[4])
    }

    private static func rfc850(_ words: [Substring], currentYear: Int64) -> HTTPDate? {
        let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
        guard words[0].last == ",", longDays.contains(words[0].dropLast()), parts.count == 3,
            let day = number(parts[0], digits: 2), let month = month(parts[1]),
            let shortYear = number(parts[2], digits: 2), words[3] == "GMT"
        else { return nil }
        // More than 50 years ahead means the century before.
        var year = currentYear - currentYear % 100 + shortYear
        if year > currentYear + 50 { year -= 100 }
        return HTTPDate(year: year, month: month, day: day, time: words[2])
    }

    private static func asctime(_ words: [Substring]) -> HTTPDate? {
        // A day of one digit is padded with a space, which splits into an empty word.
        let isPadded = words.count == 6
        let rest = isPadded ? Array(words[3...]) : Array(words[2...])
        guard shortDays.contains(words[0]), let month = month(words[1]),
            let day = number(rest[0], digits: isPadded ? 1 : 2),
            let year = number(rest[2], digits: 4)
        else { return nil }
        return HTTPDate(year: year, month: month, day: day, time: rest[1])
    }

    private init?(year: Int64, month: Int64, day: Int64, time: Substring) {
        let parts = time.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let hour = Self.number(parts[0], digits: 2),
            let minute = Self.number(parts[1], digits: 2),
            let second = Self.number(parts[2], digits: 2),
            // 60 is a leap second.
            hour < 24, minute < 60, second <= 60,
            day >= 1, day <= Self.dayCount(ofMonth: month, year: year)
        else { return nil }
        let days = Self.daysSince1970(year: year, month: month, day: day)
        self.init(secondsSince1970: ((days * 24 + hour) * 60 + minute) * 60 + second)
    }

    private static func number(_ text: Substring, digits: Int) -> Int64? {
        text.utf8.count == digits ? Int64(httpDigits: text) : nil
    }

    private static func month(_ name: Substring) -> Int64? {
        months.firstIndex(of: name).map { Int64($0 + 1) }
    }

    private static func dayCount(ofMonth month: Int64, year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static let shortDays: Set<Substring> = [
        "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun",
    ]
    private static let longDays: Set<Substring> = [
        "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
    ]
    private static let months: [Substring] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}

extension HTTPDate {
    /// The present moment.
    package static var now: HTTPDate { HTTPDate(secondsSince1970: Int64(time(nil))) }

    /// The present year, in UTC.
    package static var currentYear: Int64 { now.year }

    /// The year in UTC.
    package var year: Int64 {
        var day = secondsSince1970 / 86_400
        if secondsSince1970 % 86_400 < 0 { day -= 1 }
        let (era, dayOfEra) = Self.era(ofDay: day + Self.daysFromEraToEpoch)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        // A year of this count begins in March: January and February belong to the next.
        return yearOfEra + era * 400 + (dayOfYear >= 306 ? 1 : 0)
    }

    /// The number of days from 1970-01-01 to a day of the Gregorian calendar.
    ///
    /// Years are counted from March, so that the leap day is a year's last; 400 of them are an
    /// era, after which the calendar repeats.
    static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        let marchYear = month <= 2 ? year - 1 : year
        let marchMonth = (month + 9) % 12
        // January of the year 0 belongs to the era before.
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * marchMonth + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - daysFromEraToEpoch
    }

    /// The days from 0000-03-01 to 1970-01-01.
    private static let daysFromEraToEpoch: Int64 = 719_468

    private static func era(ofDay day: Int64) -> (era: Int64, dayOfEra: Int64) {
        let era = (day >= 0 ? day : day - 146_096) / 146_097
        return (era, day - era * 146_097)
    }
}
