import Foundation
import Testing

@testable import FerryWire

/// The times of logs, and rates as people write them.
@Suite(.timeLimit(.minutes(1))) struct TextTests {
    @Test(arguments: [
        ("UTC0", "2026-09-21T14:13:20.250+00:00"), ("UTC-5:30", "2026-09-21T19:43:20.250+05:30"),
        ("EST5EDT,M3.2.0,M11.1.0", "2026-09-21T10:13:20.250-04:00"),
        ("FAR-14", "2026-09-22T04:13:20.250+14:00"),
    ])
    func `USE-15: a log has the time where the user is`(zone: String, text: String) async {
        await #expect(processExitsWith: .success) { [zone, text] in
            setenv("TZ", zone, 1)
            let date = Date(timeIntervalSince1970: 1_790_000_000.25)
            let whole = text.replacing(".250", with: "")
            exit(
                LocalTime.text(of: date, milliseconds: true) == text
                    && LocalTime.text(of: date) == whole ? 0 : 1
            )
        }
    }

    @Test(arguments: [Date.distantPast, .distantFuture, Date(timeIntervalSince1970: -1e300)])
    func `USE-15: a time that no calendar reaches ends nothing`(date: Date) {
        #expect(!LocalTime.text(of: date, milliseconds: true).isEmpty)
    }

    @Test(arguments: [
        "500k", "2M", "1.5MiB", "1.5M", "20KiB", "512k", "1G", "1GiB", "999", "1", "0.5G", "64KiB",
        "12.3k", "300k", "1000G",
    ])
    func `USE-15: a rate is shown in the unit in which it was typed`(text: String) throws {
        let rate = try #require(ByteRate.parse(text))
        let shown = ByteRate.text(rate)
        #expect(ByteRate.parse(shown) == rate)
        // The shortest text may be in a smaller unit, as half a gigabyte is.
        #expect(shown == text || text == "0.5G" && shown == "500M")
    }

    @Test func `USE-15: whatever a rate is, its text is read as the same rate`() {
        var rate: Int64 = 1
        while rate < 400_000_000_000_000 {
            for candidate in [rate, rate + 1, rate / 1000 * 1000, rate / 1024 * 1024]
            where candidate > 0 {
                #expect(ByteRate.parse(ByteRate.text(candidate)) == candidate)
            }
            rate = rate * 7 / 3 + 1
        }
    }
}
