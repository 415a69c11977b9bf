package import Foundation

/// What the app says about numbers and failures.
package enum Texts {
    /// The customs for numbers; a language without a country is enough.
    package static let locale = Locale.current

    /// Such as "12.3% of 1.1 MB".
    package static func progress(
        received: Int64,
        of total: Int64,
        locale: Locale = locale
    ) -> String {
        let size = bytes(total, locale: locale)
        let share = Double(received) / Double(max(total, 1))
        let style = FloatingPointFormatStyle<Double>.Percent(locale: locale)
        return localized("%1$@ of %2$@", share.formatted(style.precision(.fractionLength(1))), size)
    }

    /// Such as "1.1 MB".
    package static func bytes(_ count: Int64, locale: Locale = locale) -> String {
        count.formatted(.byteCount(style: .file, spellsOutZero: false).locale(locale))
    }

    /// Such as "4:05".
    package static func time(_ duration: Duration) -> String {
        let seconds = max(0, duration.components.seconds)
        let padding = seconds % 60 < 10 ? "0" : ""
        return "\(seconds / 60):\(padding)\(seconds % 60)"
    }

    static func refused(status: Int) -> String {
        localized("The catalog answered with status %1$@.", String(status))
    }

    static var unreadable: String { localized("The catalog's answer could not be read.") }
}
