import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(5))) struct HTTPDateTests {
    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
    ])
    func `all three formats of RFC 9110 name the same moment`(text: String) {
        #expect(HTTPDate(text, currentYear: 2026)?.secondsSince1970 == 784_111_777)
    }

    @Test(arguments: [
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
        ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
        ("Wed, 28 Feb 2001 23:59:60 GMT", 983_404_800),
        ("Tue, 19 Jan 2038 03:14:08 GMT", 2_147_483_648),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        ("Thu Jan 15 10:00:00 2026", 1_768_471_200),
        ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200),
        ("Tue, 29 Feb 0000 00:00:00 GMT", -62_162_121_600),
        ("Wed, 01 Mar 0000 00:00:00 GMT", -62_162_035_200),
    ])
    func `a date is the number of seconds since 1970`(text: String, seconds: Int64) {
        #expect(HTTPDate(text)?.secondsSince1970 == seconds)
    }

    @Test(arguments: [
        "", " ", "0", "yesterday",
        "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 +0000",
        "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 nov 1994 08:49:37 GMT",
        "Xyz, 06 Nov 1994 08:49:37 GMT",
        "Sun 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, 31 Apr 1994 08:49:37 GMT",
        "Sun, 29 Feb 1900 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:00 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 06 Nov 1994 8:49:37 GMT",
        "Sun, 06 Nov 1994 08:49 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT ",
        "Sun, 06 Nov 1994  08:49:37 GMT",
        "Sun, +6 Nov 1994 08:49:37 GMT",
        "Sun Nov 6 08:49:37 1994",
        "Sun Nov  06 08:49:37 1994",
        "Sun, 06-Nov-94 08:49:37 GMT",
        "Sunday, 06-Nov-1994 08:49:37 GMT",
    ])
    func `what is no date is refused`(text: String) {
        #expect(HTTPDate(text, currentYear: 2026) == nil)
    }

    @Test(arguments: [
        ("94", 1994), ("26", 2026), ("76", 2076), ("77", 1977), ("00", 2000), ("99", 1999),
    ])
    func `a year of two digits is at most 50 years ahead`(digits: String, year: Int64) throws {
        let date = try #require(
            HTTPDate("Sunday, 06-Nov-\(digits) 08:49:37 GMT", currentYear: 2026)
        )
        #expect(date.year == year)
    }

    @Test func `every day of 800 years has its year, and follows the day before`() {
        var previous = HTTPDate.daysSince1970(year: 1599, month: 12, day: 31)
        for year in Int64(1600)..<2400 {
            for month in Int64(1)...12 {
                for day in 1...Self.dayCount(month: Int(month), year: year) {
                    let days = HTTPDate.daysSince1970(year: year, month: month, day: day)
                    let date = HTTPDate(secondsSince1970: days * 86_400 + 86_399)
                    guard days == previous + 1, date.year == year else {
                        Issue.record("\(day).\(month).\(year) is day \(days) of \(date.year)")
                        return
                    }
                    previous = days
                }
            }
        }
    }

    private static func dayCount(month: Int, year: Int64) -> Int64 {
        if month == 2, year % 400 == 0 || year % 4 == 0 && year % 100 != 0 { return 29 }
        return [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    @Test func `a moment that HTTP has no year for is the nearest that it has one for`() {
        #expect(HTTPDate(secondsSince1970: .min) == HTTPDate("Sat, 01 Jan 0000 00:00:00 GMT"))
        #expect(HTTPDate(secondsSince1970: .max) == HTTPDate("Fri, 31 Dec 9999 23:59:60 GMT"))
        #expect(HTTPDate(secondsSince1970: .min).year == 0)
    }
}
