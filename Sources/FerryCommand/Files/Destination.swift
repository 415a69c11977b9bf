import FerrySystem
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
    /// The group that `ferry get` ran with; nil for that of the process that saves the file.
    var group: UInt32?
    /// The directory as it was then; nil if that is not known.
    var known: KnownDirectory?
    /// When the file was asked for, in seconds since 1970; nil if that is not known.
    var asked: Int64?
    /// What becomes of a file that has its name; nil to keep both.
    var precedence: Precedence?
    /// When the command began, in nanoseconds since 1970 by the clock that file systems have (CLOCK_REALTIME_COARSE);
    /// nil if that is not known.
    var begun: Int64?
    /// Whether it has the time at which the server's was last changed; nil for no.
    var keepsTime: Bool?
    /// Whether it is named after the URL that redirects led to; nil for no.
    var followsName: Bool?
    /// Whether the content of an error is saved; nil for no.
    var keepsErrors: Bool?
    /// Whether it gets its URL and its media type as extended attributes; nil for no.
    var keepsOrigin: Bool?
    /// The file that the server's has to be newer than; nil if it is loaded in any case.
    var newerThan: String?
    /// The command that runs afterwards, as ``EndCommand`` reads it; nil for none.
    var exec: String?
    /// What the complete file waits for; nil if nothing is in its way.
    var obstacle: String?

    /// What becomes of a file that has the name of a download already.
    enum Precedence: String, Hashable, Codable, Sendable {
        /// Both are kept, the new one under another name.
        case both
        /// It is replaced.
        case new
        /// It stays, and nothing is downloaded.
        case old
        /// It is replaced if the server's is newer.
        case newer
    }

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
    ///   - group: The file's group, if that is known.
    ///   - known: The directory as it is now, if that is known.
    ///   - asked: When the file was asked for, in seconds since 1970, if that is known.
    init(
        directory: String,
        name: String?,
        permissions: UInt32,
        group: UInt32? = nil,
        known: KnownDirectory? = nil,
        asked: Int64? = nil
    ) {
        self.asked = asked
        self.directory = directory
        self.name = name
        self.permissions = permissions
        self.group = group
        self.known = known
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
        let parents = missingParents(of: path)
        try? FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true
        )
        // What is saved there is not to be lost with the directory in a power cut.
        for parent in parents { try? Directory(opening: parent).synchronize() }
        // The dot distinguishes a directory from a file.
        guard access("\(path)/.", W_OK | X_OK) != 0 else { return }
        // Foundation's errors do not say why; the kernel does.
        if Glibc.errno == ENOENT, mkdir(path, 0o777) == 0 { return }
        throw Self(path: path, errno: Glibc.errno)
    }

    /// Returns the directories in which others of a path are missing.
    private static func missingParents(of path: String) -> [String] {
        var parents: [String] = []
        var child = path
        var status = stat()
        while stat(child, &status) != 0, let slash = child.lastIndex(of: "/"), child != "/" {
            child = slash == child.startIndex ? "/" : String(child[..<slash])
            parents.append(child)
        }
        return parents
    }
}

/// A name that the user chose and that no file in the directory can have.
struct UnusableName: Error, CustomStringConvertible {
    /// The directory.
    let directory: String
    /// The name.
    let name: String
    /// The reason.
    let reason: String

    /// A description of the problem and its remedy.
    var description: String {
        "no file in '\(directory)' can be named '\(name)': \(reason); choose another name with --output"
    }

    /// Checks a name before anything is loaded for it.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - path: The directory.
    ///   - names: The names that its file system takes; nil to ask it.
    /// - Throws: The error of a name that the file system refuses.
    static func check(
        _ name: String,
        in path: String,
        names: FileSystemNames? = nil
    ) throws(Self) {
        guard let directory = try? Directory(opening: path) else { return }
        let names = names ?? FileSystemNames(of: directory.descriptor)
        if let reason = names.refusal(of: name) {
            throw Self(directory: path, name: name, reason: reason)
        }
        // Linux's own file systems take every other name. Of the rest, only the attempt tells.
        guard names.reading != .bytes else { return }
        do throws(FileError) {
            let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
            let number = try FileError.of("open", "\(path)/\(name)") {
                openat(directory.descriptor, name, flags, 0o600)
            }
            close(number)
            unlinkat(directory.descriptor, name, 0)
        } catch {
            guard error.outlook == .refusedName || error.errno == ENOENT else { return }
            throw Self(
                directory: path,
                name: name,
                reason: String(cString: strerror(error.errno))
            )
        }
    }
}
