import FoundationEssentials

extension Date {
    /// Reads the date of a cookie, however badly it is written; nil if it is not a date.
    ///
    /// RFC 6265 §5.1.1: the first word that looks like a time is the time, the first that begins with a
    /// month's name the month, and so on, whatever is between them. Time zones are ignored.
    init?(cookieDate text: some StringProtocol) {
        var parts = CookieDateParts()
        for word in text.utf8.split(whereSeparator: { CookieDateParts.isDelimiter($0) }) {
            parts.take(String(decoding: word, as: UTF8.self))
        }
        guard let date = parts.date else { return nil }
        self = date
    }
}

/// The parts of a cookie's date that were found.
private struct CookieDateParts {
    private var time: [Int]?
    private var day: Int?
    private var month: Int?
    private var year: Int?

    /// Takes a word as the first missing part that it can be.
    mutating func take(_ word: String) {
        if time == nil, let found = Self.time(word) {
            time = found
        } else if day == nil, let found = Self.number(word, digits: 1...2) {
            day = found
        } else if month == nil, let found = Self.month(word) {
            month = found
        } else if year == nil, let found = Self.number(word, digits: 2...4) {
            year = found
        }
    }

    /// The date; nil if a part is missing or the date does not exist.
    var date: Date? {
        guard let time, let day, let month, var year, time[0] < 24, time[1] < 60, time[2] < 60
        else { return nil }
        if (70...99).contains(year) { year += 1900 }
        if (0...69).contains(year) { year += 2000 }
        guard year >= 1601 else { return nil }
        let components = DateComponents(
            calendar: Self.calendar,
            timeZone: .gmt,
            year: year,
            month: month,
            day: day,
            hour: time[0],
            minute: time[1],
            second: time[2]
        )
        return components.isValidDate ? components.date : nil
    }

    private static let calendar = Calendar(identifier: .gregorian)

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2f, 0x3b...0x40, 0x5b...0x60, 0x7b...0x7e: true
        default: false
        }
    }

    /// Hours, minutes and seconds of one or two digits each, followed by anything.
    private static func time(_ word: String) -> [Int]? {
        let parts = word.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].utf8.allSatisfy(\.isDigit),
            parts[1].utf8.allSatisfy(\.isDigit)
        else { return nil }
        let numbers = parts.compactMap { number($0, digits: 1...2) }
        return numbers.count == 3 ? numbers : nil
    }

    /// The number that a word begins with; nil if it has more or fewer digits.
    private static func number(_ word: some StringProtocol, digits: ClosedRange<Int>) -> Int? {
        let number = word.utf8.prefix(while: \.isDigit)
        guard digits.contains(number.count) else { return nil }
        return Int(String(decoding: number, as: UTF8.self))
    }

    private static func month(_ word: String) -> Int? {
        let name = word.prefix(3).lowercased()
        return months.firstIndex(of: name).map { $0 + 1 }
    }
}
