import Foundation
import Testing

@testable import FerryCommand

/// Times as people read them.
@Suite(.timeLimit(.minutes(1))) struct DateTextTests {
    @Test func `a time of another day has the weekday, one of another week the date`() async {
        await #expect(processExitsWith: .success) {
            setenv("TZ", "UTC0", 1)
            // Monday.
            let now = Date(timeIntervalSince1970: 1_790_000_000)
            let texts = [-86_400, -3600, 0, 71_999, 72_000, 604_799, 604_800, 31_536_000].map {
                (now + $0).text(now: now)
            }
            let expected = [
                "2026-09-20 14:13:20", "13:13:20", "14:13:20", "10:13:19", "Tue 10:13:20",
                "Mon 14:13:19", "2026-09-28 14:13:20", "2027-09-21 14:13:20",
            ]
            exit(texts == expected ? 0 : 1)
        }
    }

    @Test(arguments: [
        ("UTC-5", "19:13:20", "Mon 19:13"), ("EST5EDT,M3.2.0,M11.1.0", "10:13:20", "Mon 10:13"),
        ("FAR-12", "02:13:20", "Tue 02:13"),
    ])
    func `a time zone may be a rule`(zone: String, time: String, weekly: String) async {
        await #expect(processExitsWith: .success) { [zone, time, weekly] in
            setenv("TZ", zone, 1)
            let date = Date(timeIntervalSince1970: 1_790_000_000)
            exit(date.text(now: date) == time && date.timeOfWeek == weekly ? 0 : 1)
        }
    }

    @Test(arguments: [Date.distantPast, .distantFuture, Date(timeIntervalSince1970: 1e300)])
    func `a time that no calendar reaches ends nothing`(date: Date) {
        #expect(!date.text(now: Date(timeIntervalSince1970: 0)).isEmpty)
    }
}
