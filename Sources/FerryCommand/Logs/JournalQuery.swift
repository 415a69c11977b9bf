@preconcurrency import Glibc

/// The journalctl(1) command that shows ferryd's lines.
struct JournalQuery: Hashable, Sendable {
    /// Only lines about this transfer; nil for all.
    var number: Int?
    /// The maximum number of lines.
    var lineCount: Int
    /// Whether to wait for more.
    var follows: Bool
    /// The user whose ferryd it is.
    var user: UInt32

    /// The command's words.
    var words: [String] {
        var words = [
            "journalctl", "--no-pager", "--output=short-iso", "--lines=\(lineCount)",
            "SYSLOG_IDENTIFIER=ferryd", "_UID=\(user)",
        ]
        if let number { words.append("FERRY_TASK=\(number)") }
        if follows { words.append("--follow") }
        return words
    }

    /// Replaces this process with the command.
    ///
    /// - Returns: The error if that failed.
    func replaceProcess() -> FileError {
        var arguments = words.map { strdup($0) }
        arguments.append(nil)
        execvp(words[0], arguments)
        return FileError(call: "execvp", path: words[0], errno: errno)
    }
}
