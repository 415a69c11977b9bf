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
        var text = text
        guard let parsed = text.withUTF8({ Self.parsed($0, currentYear: year) }) else { return nil }
        self = parsed
    }

    package static func < (left: HTTPDate, right: HTTPDate) -> Bool {
        left.secondsSince1970 < right.secondsSince1970
    }

    private static func parsed(
        _ bytes: UnsafeBufferPointer<UInt8>,
        currentYear: Int64
    ) -> HTTPDate? {
        var reader = Reader(bytes)
        guard let weekday = reader.name(in: weekdays) else { return nil }
        let date: HTTPDate? =
            if reader.skip(", ") {
                fixdate(&reader)
            } else if reader.skip(" ") {
                asctime(&reader)
            } else if reader.skip(longEndings[weekday]), reader.skip(", ") {
                rfc850(&reader, currentYear: currentYear)
            } else {
                nil
            }
        return reader.isAtEnd ? date : nil
    }

    private static func fixdate(_ reader: inout Reader) -> HTTPDate? {
        guard let day = reader.number(digits: 2), reader.skip(" "),
            let month = reader.name(in: months), reader.skip(" "),
            let year = reader.number(digits: 4), reader.skip(" "),
            let time = reader.time(), reader.skip(" GMT")
        else { return nil }
        return HTTPDate(year: year, month: Int64(month + 1), day: day, time: time)
    }

    private static func rfc850(_ reader: inout Reader, currentYear: Int64) -> HTTPDate? {
        guard let day = reader.number(digits: 2), reader.skip("-"),
            let month = reader.name(in: months), reader.skip("-"),
            let shortYear = reader.number(digits: 2), reader.skip(" "),
            let time = reader.time(), reader.skip(" GMT")
        else { return nil }
        // More than 50 years ahead means the century before.
        var year = currentYear - currentYear % 100 + shortYear
        if year > currentYear + 50 { year -= 100 }
        return HTTPDate(year: year, month: Int64(month + 1), day: day, time: time)
    }

    private static func asctime(_ reader: inout Reader) -> HTTPDate? {
        guard let month = reader.name(in: months), reader.skip(" "),
            // A day of one digit is padded with a space.
            let day = reader.number(digits: reader.skip(" ") ? 1 : 2), reader.skip(" "),
            let time = reader.time(), reader.skip(" "),
            let year = reader.number(digits: 4)
        else { return nil }
        return HTTPDate(year: year, month: Int64(month + 1), day: day, time: time)
    }

    private init?(year: Int64, month: Int64, day: Int64, time: Int64) {
        guard day >= 1, day <= Self.dayCount(ofMonth: month, year: year) else { return nil }
        let days = Self.daysSince1970(year: year, month: month, day: day)
        self.init(secondsSince1970: days * 86_400 + time)
    }

    private static func dayCount(ofMonth month: Int64, year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Names of three letters, one behind the other.
    private static let weekdays: StaticString = "MonTueWedThuFriSatSun"
    private static let months: StaticString = "JanFebMarAprMayJunJulAugSepOctNovDec"
    /// What follows the short names of the days in the long ones.
    private static let longEndings: [StaticString] = [
        "day", "sday", "nesday", "rsday", "day", "urday", "day",
    ]
}

/// Reads the bytes of a date from the first to the last.
private struct Reader {
    private var rest: Slice<UnsafeBufferPointer<UInt8>>

    init(_ bytes: UnsafeBufferPointer<UInt8>) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    /// Skips a text; returns whether it was there.
    mutating func skip(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { text in
            guard rest.starts(with: text) else { return false }
            rest = rest.dropFirst(text.count)
            return true
        }
    }

    /// Reads one of the names of three letters; returns its place among them.
    mutating func name(in names: StaticString) -> Int? {
        guard rest.count >= 3 else { return nil }
        let found = names.withUTF8Buffer { names in
            stride(from: 0, to: names.count, by: 3).first { index in
                (0..<3).allSatisfy { names[index + $0] == rest[rest.startIndex + $0] }
            }
        }
        guard let found else { return nil }
        rest = rest.dropFirst(3)
        return found / 3
    }

    /// Reads a number of so many digits.
    mutating func number(digits count: Int) -> Int64? {
        guard rest.count >= count else { return nil }
        var number: Int64 = 0
        for byte in rest.prefix(count) {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        rest = rest.dropFirst(count)
        return number
    }

    /// Reads a time of day; returns the seconds since midnight.
    mutating func time() -> Int64? {
        guard let hour = number(digits: 2), skip(":"), let minute = number(digits: 2), skip(":"),
            let second = number(digits: 2),
            // 60 is a leap second.
            hour < 24, minute < 60, second <= 60
        else { return nil }
        return (hour * 60 + minute) * 60 + second
    }
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
