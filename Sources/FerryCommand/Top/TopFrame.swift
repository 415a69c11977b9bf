/// What `ferry top` shows: its lines, from the top of the terminal on.
struct TopFrame: Hashable, Sendable {
    /// How a part of a line looks.
    enum Style: Hashable, Sendable {
        case plain, strong, faint
        /// The headings of the columns, and the keys.
        case bar
        /// The transfer that keys act on.
        case selected
        case running, waiting, failed
    }

    /// A part of a line.
    struct Span: Hashable, Sendable {
        var text: String
        var style: Style
    }

    var lines: [[Span]] = []

    /// Its text.
    var text: String {
        lines.map { $0.map(\.text).joined().withoutSpacesAtEnd }.joined(separator: "\n")
    }

    mutating func add(_ text: String, _ style: Style = .plain) {
        lines.append([Span(text: text, style: style)])
    }
}
