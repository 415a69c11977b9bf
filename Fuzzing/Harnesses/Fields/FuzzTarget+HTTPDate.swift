import Glibc

@testable import FerryHTTP
@testable import FerryTransfer

extension FuzzTarget {
    /// A date is what the C library makes of it, and a delay until then is no less than nothing.
    static let httpDate = FuzzTarget("http-date", upTo: 96) { input throws(Finding) in
        let text = input.text
        if let date = HTTPDate(text, currentYear: 2026) { try check(date, text) }
        try checkDelay(text)
    }

    /// From 0000-01-01 to the leap second at the end of 9999.
    private static let range: ClosedRange<Int64> = -62_167_219_200...253_402_300_800

    private static func check(_ date: HTTPDate, _ text: String) throws(Finding) {
        let seconds = date.secondsSince1970
        try expect(range.contains(seconds), "\(text) is \(seconds)")
        let parts = parts(of: date)
        try expectSame(date.year, Int64(parts.tm_year) + 1900, "the year of \(text)")
        let written = written(parts)
        try expectSame(HTTPDate(written, currentYear: 2026), date, "\(text) written as \(written)")
        // A leap second is written as the one behind it, and the day of the week is not looked at.
        if text.utf8.count == written.utf8.count, !text.contains(":60") {
            try expect(text.dropFirst(3) == written.dropFirst(3), "\(text) is read as \(written)")
        }
    }

    private static func parts(of date: HTTPDate) -> tm {
        var time = time_t(date.secondsSince1970)
        var parts = tm()
        gmtime_r(&time, &parts)
        return parts
    }

    private static func written(_ date: tm) -> String {
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        let time = [date.tm_hour, date.tm_min, date.tm_sec].map { padded($0, to: 2) }
        return "\(days[Int(date.tm_wday)]), \(padded(date.tm_mday, to: 2))"
            + " \(months[Int(date.tm_mon)]) \(padded(date.tm_year + 1900, to: 4))"
            + " \(time.joined(separator: ":")) GMT"
    }

    private static func padded(_ number: Int32, to count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }

    private static func checkDelay(_ text: String) throws(Finding) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        var fields = [HTTPField(name: "Retry-After", value: String(lines[0]))]
        if lines.count > 1 { fields.append(HTTPField(name: "Date", value: String(lines[1]))) }
        let head = HTTPResponseHead(status: 503, fields: fields, url: "https://example.com/")
        let now = HTTPDate(secondsSince1970: 1_784_000_000)
        guard let asked = RetryAfter(head: head, now: now)?.seconds else { return }
        try expect(asked.isFinite && asked >= 0, "the delay is \(asked)")
        var generator = SystemRandomNumberGenerator()
        let error = TransferError(code: .serverUnavailable, message: "", retryAfter: asked)
        let decision = RetryPolicy().decision(for: error, failureCount: 1, using: &generator)
        guard case .retry(let delay) = decision else {
            throw Finding(description: "nothing is tried again")
        }
        try expect(delay >= .seconds(min(asked, 1e9)), "\(asked) is asked for, and \(delay) waited")
    }
}
