import DesktopCore

/// What the app says about times and failures.
package enum Texts {
    /// Such as "4:05".
    package static func time(_ duration: Duration) -> String {
        let seconds = max(0, duration.components.seconds)
        let padding = seconds % 60 < 10 ? "0" : ""
        return "\(seconds / 60):\(padding)\(seconds % 60)"
    }

    static func refused(status: Int) -> String {
        status == 429 || status >= 500
            ? localized("The catalog is not available now (%1$@). Try again later.", String(status))
            : localized("The catalog does not know how to answer this (%1$@).", String(status))
    }

    static var unreadable: String { localized("The catalog's answer could not be read.") }
}
