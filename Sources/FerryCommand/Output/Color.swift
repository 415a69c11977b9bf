/// A color of a terminal, for the state of a transfer, by its number in SGR (ECMA-48).
enum Color: Int, Sendable {
    case red = 31
    case green = 32
    case yellow = 33

    /// Returns whether a command's output has colors.
    ///
    /// - Parameters:
    ///   - environment: The environment: NO_COLOR (no-color.org) comes before CLICOLOR_FORCE, and that before CLICOLOR.
    ///   - isTerminal: Whether the output is a terminal.
    /// - Returns: Whether it has.
    static func isWanted(in environment: [String: String], isTerminal: Bool) -> Bool {
        func isSet(_ name: String) -> Bool { environment[name].map { !$0.isEmpty } ?? false }
        if isSet("NO_COLOR") { return false }
        if isSet("CLICOLOR_FORCE"), environment["CLICOLOR_FORCE"] != "0" { return true }
        return isTerminal && environment["CLICOLOR"] != "0" && environment["TERM"] != "dumb"
    }

    /// The paragraph of a command's help about colors.
    static let discussion =
        "On a terminal the state has a color. NO_COLOR=1 or CLICOLOR=0 in the environment means none, CLICOLOR_FORCE=1 one also "
        + "where there is no terminal."

    /// Returns a line in which a part has this color.
    ///
    /// - Parameters:
    ///   - part: The characters of the part; those behind the end of the line are left out.
    ///   - line: The line.
    /// - Returns: The line, which is no wider.
    func apply(to part: Range<Int>, of line: String) -> String {
        guard
            let start = line.index(
                line.startIndex,
                offsetBy: part.lowerBound,
                limitedBy: line.endIndex
            )
        else { return line }
        let end =
            line.index(start, offsetBy: part.count, limitedBy: line.endIndex) ?? line.endIndex
        guard start < end else { return line }
        return "\(line[..<start])\u{1B}[\(rawValue)m\(line[start..<end])\u{1B}[0m\(line[end...])"
    }
}
