import FerrySystem
import Glibc

/// The text of a file that a person writes, such as the timetable.
///
/// It may be missing, a link, a directory, rubbish, or without end. Reading it may block.
enum PersonalFile {
    /// The size in bytes above which a file is none of these.
    private static let sizeLimit = 1 << 16

    /// Why a file cannot be read.
    struct Failure: Error, Hashable, Sendable {
        /// What is wrong, why, and what to do.
        let message: String
    }

    /// Reads a file.
    ///
    /// - Parameter path: The file's path.
    /// - Returns: The text, or why it cannot be read; `nil` if there is no file.
    static func text(at path: String) -> Result<String, Failure>? {
        do throws(SystemCallError) {
            let file = FileDescriptor(
                owning: try systemCall("open", path) {
                    open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
                }
            )
            guard try file.status().isRegularFile else {
                return failure("it is not a regular file; move it away")
            }
            let bytes = try file.readToEnd(limit: sizeLimit)
            guard let text = String(validating: bytes, as: UTF8.self) else {
                return failure("it is not text in UTF-8; save it in UTF-8")
            }
            return .success(text)
        } catch {
            switch error.errno {
            case ENOENT, ENOTDIR: return nil
            case EFBIG: return failure("it is larger than \(sizeLimit >> 10) KiB, the limit")
            default: return failure("it cannot be read: \(error.reason)")
            }
        }
    }

    /// Returns the lines of a text, without their ends.
    static func lines(of text: String) -> [String] {
        // A character of Swift may be a whole "\r\n".
        var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines.map { String($0.last == "\r" ? $0.dropLast() : $0) }
    }

    private static func failure(_ message: String) -> Result<String, Failure> {
        .failure(Failure(message: message))
    }
}
