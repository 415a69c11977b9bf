import FerrySystem
import FerryWire
import Foundation
@preconcurrency import Glibc

/// The log of the files that were taken while no command followed them.
struct FileLog: Sendable {
    private static let maximumByteCount: off_t = 1 << 20

    /// The path of the log; one older part is beside it, with `.1` at its end.
    let path: String
    private let now: @Sendable () -> Date

    /// The log of the current user.
    ///
    /// - Parameters:
    ///   - environment: The process's environment.
    ///   - now: The time.
    init(environment: [String: String], now: @escaping @Sendable () -> Date) {
        path = BaseDirectories(environment: environment).stateHome + "/ferry/files.log"
        self.now = now
    }

    /// Writes a line.
    ///
    /// Errors are ignored: they must not keep a file from its destination.
    ///
    /// - Parameters:
    ///   - url: The requested URL.
    ///   - outcome: The outcome for its file.
    func write(url: URL?, _ outcome: Outcome) {
        switch outcome {
        case .saved(let path, _): write(url: url, "saved as \(path)")
        case .failed(let reason): write(url: url, "failed: \(reason.message)")
        case .unchanged(let path): write(url: url, "left \(path) as it is")
        case .sent: write(url: url, "sent")
        case .completed, .gone: write(url: url, "over")
        }
    }

    /// Writes a line.
    ///
    /// - Parameters:
    ///   - url: The requested URL.
    ///   - result: What happened to its file.
    func write(url: URL?, _ result: String) {
        let time = LocalTime.text(of: now())
        let line = "\(time) \(url?.shown ?? "-") \(result)".printable + "\n"
        let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        defer { close(file) }
        let bytes = Array(line.utf8)
        // One append, so that the lines of two processes do not mix.
        _ = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
        var status = stat()
        if fstat(file, &status) == 0, status.st_size > Self.maximumByteCount {
            rename(path, "\(path).1")
        }
    }
}

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
