package import Foundation

/// How numbers are written.
package enum Figures {
    /// The user's customs for numbers.
    package static let locale = locale(in: ProcessInfo.processInfo.environment)

    /// The customs for numbers that locale(7) finds in a process's environment variables.
    ///
    /// On Linux Foundation's own `Locale.current` is the same for everybody.
    package static func locale(in environment: [String: String]) -> Locale {
        let names = ["LC_ALL", "LC_NUMERIC", "LANG"].compactMap { environment[$0] }
        let name = names.first { !$0.isEmpty } ?? "C"
        // Such as "de_DE.UTF-8@euro".
        let identifier = String(name.prefix { $0 != "." && $0 != "@" })
        let isNobodys = ["C", "POSIX"].contains(identifier)
        return isNobodys ? Locale.current : Locale(identifier: identifier)
    }

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
