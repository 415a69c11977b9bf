import Foundation

/// The lines of a log file and of the older parts beside it.
struct LogLines {
    private let path: String
    private let number: Int?

    /// The lines of a log.
    ///
    /// - Parameters:
    ///   - path: The file; its older parts end in `.1`, `.2` and so on.
    ///   - number: Only lines about this transfer; nil for all.
    init(path: String, number: Int?) {
        self.path = path
        self.number = number
    }

    /// The last lines, oldest first.
    ///
    /// - Parameter count: The maximum number of lines.
    /// - Returns: The lines.
    /// - Throws: An error when the newest file cannot be read.
    func last(_ count: Int) throws -> [String] {
        var lines = try matching(in: URL(fileURLWithPath: path)).suffix(count)
        var part = 1
        while lines.count < count {
            guard let older = try? matching(in: URL(fileURLWithPath: "\(path).\(part)")) else {
                break
            }
            lines = older.suffix(count - lines.count) + lines
            part += 1
        }
        return Array(lines)
    }

    /// Returns the matching lines of a text.
    ///
    /// - Parameter text: Whole lines.
    /// - Returns: Those lines.
    func matching(_ text: String) -> [String] {
        text.split(separator: "\n").map(String.init).filter { line in
            // Time, level, then `task 12:` where the line is about one.
            number.map { line.split(separator: " ").dropFirst(2).starts(with: ["task", "\($0):"]) }
                ?? true
        }
    }

    private func matching(in url: URL) throws -> [String] {
        matching(String(decoding: try Data(contentsOf: url), as: UTF8.self))
    }
}
