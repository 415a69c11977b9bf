import Foundation
@preconcurrency import Glibc

/// A directory in which nothing can be saved.
struct UnusableDirectory: Error, CustomStringConvertible {
    /// The directory.
    let path: String
    /// The reason.
    let errno: Int32

    /// A description of the problem and its remedy.
    var description: String {
        "nothing can be saved in '\(path)': \(String(cString: strerror(errno))); "
            + "choose another with --directory"
    }

    /// Creates a directory and its parents, unless it exists.
    ///
    /// - Parameter path: The directory.
    /// - Throws: The error of a directory that cannot be created or written to.
    static func check(_ path: String) throws(Self) {
        try? FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true
        )
        // The dot distinguishes a directory from a file.
        guard access("\(path)/.", W_OK | X_OK) != 0 else { return }
        // Foundation's errors do not say why; the kernel does.
        if Glibc.errno == ENOENT, mkdir(path, 0o777) == 0 { return }
        throw Self(path: path, errno: Glibc.errno)
    }
}
