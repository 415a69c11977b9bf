package import Foundation

/// How numbers are written.
package enum Figures {
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
}
