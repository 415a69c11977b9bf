import FerrySystem
import FerryTransfer
import Foundation
import FoundationNetworking
@preconcurrency import Glibc

/// The file that a download is saved as.
struct SavedFile: Sendable {
    /// What the names of copies that are not complete begin with.
    private static let copyPrefix = ".ferry-"

    /// Its absolute path.
    let path: String
    /// The path of its directory.
    let directory: String
    private let name: String

    /// Reads where a file is to be saved.
    ///
    /// - Parameters:
    ///   - target: The URL of the file.
    ///   - url: The URL that is loaded, for the error.
    /// - Throws: Why the URL is not that of a file.
    init(_ target: URL, from url: URL?) throws(URLError) {
        let path = target.absoluteURL.path(percentEncoded: false)
        guard target.isFileURL, path.hasPrefix("/"), let slash = path.lastIndex(of: "/") else {
            throw URLError(
                .cannotCreateFile,
                url: url,
                reason: "\(target.absoluteString) is no URL of a file: make it with URL(filePath:)."
            )
        }
        self.path = path
        name = String(path[path.index(after: slash)...])
        directory = slash == path.startIndex ? "/" : String(path[..<slash])
        if ["", ".", ".."].contains(name) {
            throw error(.fileIsDirectory, "\(path) is a directory: name the file in it.", url)
        }
    }

    /// Returns why no file can be saved here; the call may take as long as the disk does to answer.
    func problem(from url: URL?) -> URLError? {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            return error(.fileIsDirectory, "\(path) is a directory: name the file in it.", url)
        }
        guard stat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            let reason = "The directory \(directory) of \(name) is missing: make it first."
            return error(.cannotCreateFile, reason, url)
        }
        guard access(directory, W_OK | X_OK) == 0 else {
            let call = SystemCallError(call: "access", errno: errno, subject: directory)
            return error(.cannotCreateFile, "\(call)", url)
        }
        return nil
    }

    /// Its size in bytes; nil without a file.
    ///
    /// The call may take as long as the disk does to answer.
    var byteCount: Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }

    /// Moves a complete file here, in place of another; the call may take as long as the disks do.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - url: The URL that was loaded, for the error.
    /// - Throws: Why it cannot be moved.
    func take(_ file: FinishedFile, from url: URL?) throws(URLError) {
        do throws(SystemCallError) {
            let target = try Directory(opening: directory)
            let source = try Directory(opening: file.directory)
            let origin = file.location.lastPathComponent
            try systemCall("fchmodat", file.path) {
                fchmodat(source.descriptor, origin, permissions, 0)
            }
            if try !rename(origin, in: source, to: target) {
                try copy(origin, in: source, to: target)
            }
            try target.synchronize()
        } catch {
            throw self.error(.cannotWriteToFile, "\(error)", url)
        }
    }

    /// Those of a file that this program makes: read and write for all, less what the umask takes.
    private var permissions: mode_t { 0o666 & ~(ProcessAttributes.currentFileModeMask ?? 0o077) }

    /// Moves the file.
    ///
    /// - Returns: false if the target is on another file system.
    private func rename(
        _ origin: String,
        in source: Directory,
        to target: Directory
    ) throws(SystemCallError) -> Bool {
        do throws(SystemCallError) {
            try source.rename(origin, to: target, as: name, replacing: true)
            return true
        } catch  where error.errno == EXDEV {
            return false
        }
    }

    /// Copies the file to another file system: whoever opens its name finds the old file or the whole new one.
    private func copy(
        _ origin: String,
        in source: Directory,
        to target: Directory
    ) throws(SystemCallError) {
        let copyName = Self.copyPrefix + origin
        // What a process has left that was killed is used again; another process that copies has the lock.
        let copy = try target.open(copyName, .create)
        let number = copy.rawValue
        try systemCall("flock", target.path(of: copyName)) { flock(number, LOCK_EX | LOCK_NB) }
        do throws(SystemCallError) {
            try copy.truncate(to: 0)
            try Self.copyBytes(of: try source.open(origin, .read), to: copy)
            try systemCall("fchmod", target.path(of: copyName)) { fchmod(number, permissions) }
            try copy.synchronize()
            try target.rename(copyName, to: target, as: name, replacing: true)
        } catch {
            try? target.remove(copyName)
            throw error
        }
        try source.remove(origin)
    }

    private static func copyBytes(
        of source: borrowing FileDescriptor,
        to copy: borrowing FileDescriptor
    ) throws(SystemCallError) {
        let (from, to) = (source.rawValue, copy.rawValue)
        var count = 1
        while count > 0 {
            count = try systemCall("sendfile") { sendfile(to, from, nil, 1 << 30) }
        }
    }

    private func error(_ code: URLError.Code, _ reason: String, _ url: URL?) -> URLError {
        URLError(code, url: url, reason: reason).adding(path, forKey: NSFilePathErrorKey)
    }
}
