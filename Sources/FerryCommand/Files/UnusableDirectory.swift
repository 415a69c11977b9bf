import Foundation
@preconcurrency import Glibc

/// Nothing can be saved in a directory that was asked for.
struct UnusableDirectory: Error, CustomStringConvertible {
    /// The directory.
    let path: String
    /// The reason.
    let errno: Int32

    /// What happened, and what to do about it.
    var description: String {
        "nothing can be saved in '\(path)': \(String(cString: strerror(errno))); "
            + "choose another with --directory"
    }

    /// Makes a directory, with those above it, unless it is there.
    ///
    /// - Parameter path: The directory.
    /// - Throws: The error of a directory that cannot be made or written to.
    static func check(_ path: String) throws(Self) {
        try? FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true
        )
        // With the point a file is told from a directory.
        guard access("\(path)/.", W_OK | X_OK) != 0 else { return }
        // Foundation's errors do not say why; the kernel does.
        if Glibc.errno == ENOENT, mkdir(path, 0o777) == 0 { return }
        throw Self(path: path, errno: Glibc.errno)
    }
}
