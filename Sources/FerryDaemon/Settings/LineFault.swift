/// A line of a person's file that cannot be used, or the reason why the whole file cannot be.
struct LineFault: Hashable, Sendable {
    /// The line's number, from 1; `nil` for the whole file.
    var line: Int?
    /// What the line says; `nil` for the whole file.
    var text: String?
    /// What is wrong, why, and what to do.
    var reason: String

    /// Returns the file, the line and what is wrong with it.
    func text(in file: String) -> String {
        let place = [file, line.map { "\($0)" }].compactMap { $0 }.joined(separator: ":")
        return [place, text.map { "'\($0)'" }, reason].compactMap { $0 }.joined(separator: ": ")
    }
}
