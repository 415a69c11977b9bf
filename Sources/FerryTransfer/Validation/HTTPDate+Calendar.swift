import Glibc

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
