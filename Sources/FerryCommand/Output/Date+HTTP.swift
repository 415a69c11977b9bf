import Foundation

extension Date {
    /// A moment as HTTP writes it, such as `Sun, 06 Nov 1994 08:49:37 GMT`; nil for anything else (RFC 9110 §5.6.7).
    ///
    /// - Parameter text: The text.
    init?(httpText text: String) {
        guard let date = Self.httpFormat.date(from: text) else { return nil }
        self = date
    }

    /// The moment as HTTP writes it, to the second.
    var httpText: String { Self.httpFormat.string(from: self) }

    private static var httpFormat: DateFormatter {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format
    }
}
