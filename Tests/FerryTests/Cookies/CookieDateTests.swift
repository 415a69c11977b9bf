import Foundation
import Testing

@testable import Ferry

@Suite("Dates of cookies", .timeLimit(.minutes(5)))
struct CookieDateTests {
    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994", "06-Nov-1994 08:49:37", "1994 november 6 8:49:37",
        "08:49:37 6 nov 94", "Sun, 06 Nov 1994 08:49:37 +0200", "6th Novembre 1994/08:49:37.500",
        "08:49:37z;6_Nov(1994)", "Sun, 06 Nov 1994 08:49:37 GMT 07 Dec 2001 10:00:00",
    ])
    func `RFC 6265 §5.1.1: a date is read however it is written`(text: String) {
        #expect(Date(cookieDate: text)?.timeIntervalSince1970 == 784_111_777)
    }

    @Test(arguments: [(69, 2069), (70, 1970), (99, 1999), (0, 2000)])
    func `RFC 6265 §5.1.1: a year of two digits is of the age of computers`(
        short: Int,
        long: Int
    ) {
        let digits = short < 10 ? "0\(short)" : "\(short)"
        let date = Date(cookieDate: "01 Jan \(digits) 00:00:00")
        #expect(date != nil)
        #expect(date == Date(cookieDate: "01 Jan \(long) 00:00:00"))
    }

    @Test(arguments: [
        "", "tomorrow", "06 Nov 1994", "08:49:37 GMT", "06 Nov 1994 24:00:00",
        "06 Nov 1994 08:60:37", "06 Nov 1994 08:49:60", "30 Feb 1994 08:49:37",
        "29 Feb 1995 08:49:37", "00 Nov 1994 08:49:37", "32 Nov 1994 08:49:37",
        "06 Nov 1600 08:49:37", "06 Nov 19945 08:49:37", "06 Nov 1994 008:49:37",
        "006 Nov 1994 08:49:37", "06 Nov 1994 08:49",
    ])
    func `RFC 6265 §5.1.1: what is no date is none`(text: String) {
        #expect(Date(cookieDate: text) == nil)
    }

    @Test func `a leap day is a day`() {
        #expect(Date(cookieDate: "29 Feb 2000 00:00:00")?.timeIntervalSince1970 == 951_782_400)
    }
}
