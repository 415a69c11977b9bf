/// An address as the log names it: without what may be a secret.
enum LoggedAddress {
    /// What a line holds of it.
    private static let maximumLength = 500

    /// The address without user, password, query and fragment.
    static func of(_ address: String) -> String {
        let end = address.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        let whole = address[..<(end ?? address.endIndex)]
        guard let slashes = whole.firstRange(of: "//") else { return bounded(whole) }
        let authorityEnd = whole[slashes.upperBound...].firstIndex(of: "/") ?? whole.endIndex
        let authority = whole[slashes.upperBound..<authorityEnd]
        guard let at = authority.lastIndex(of: "@") else { return bounded(whole) }
        return bounded(
            whole[..<slashes.upperBound] + authority[authority.index(after: at)...]
                + whole[authorityEnd...]
        )
    }

    private static func bounded(_ text: Substring) -> String {
        let start = text.prefix(maximumLength)
        return start.endIndex == text.endIndex ? String(text) : start + "…"
    }
}
