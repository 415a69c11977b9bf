@preconcurrency import Glibc

/// Why a file could not be put where it belongs.
struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The system call that failed.
    let call: String
    /// The file or directory it was about.
    let path: String
    /// The reason.
    let errno: Int32

    /// What happened, for a person.
    var description: String {
        "\(path): \(String(cString: strerror(errno))) (\(call))"
    }
}
