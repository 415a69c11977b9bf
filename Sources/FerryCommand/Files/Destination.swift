import Foundation
@preconcurrency import Glibc

/// The destination of a download's file, stored in its task's description.
///
/// The process that ferryd starts for the finished file reads it from there.
struct Destination: Hashable, Codable, Sendable {
    /// The absolute path of the directory.
    var directory: String
    /// The name the user chose; nil to take the server's proposal.
    var name: String?
    /// The file's permissions, according to the umask of the shell that ran `ferry get`.
    var permissions: UInt32

    /// The destination as a task's description.
    var taskDescription: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }

    /// The destination in a task's description; nil when the task is not one of `ferry get`.
    ///
    /// - Parameter taskDescription: The description.
    init?(taskDescription: String?) {
        guard let taskDescription,
            let destination = try? JSONDecoder()
                .decode(Destination.self, from: Data(taskDescription.utf8))
        else { return nil }
        self = destination
    }

    /// A destination.
    ///
    /// - Parameters:
    ///   - directory: The absolute path of the directory.
    ///   - name: The name the user chose, if they did.
    ///   - permissions: The file's permissions.
    init(directory: String, name: String?, permissions: UInt32) {
        self.directory = directory
        self.name = name
        self.permissions = permissions
    }
}

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
