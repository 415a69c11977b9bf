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
    let directory: String
    private let name: String

    /// Checks where a file is to be saved.
    ///
    /// - Parameters:
    ///   - target: The URL of the file.
    ///   - url: The URL that is loaded, for the error.
    /// - Throws: Why no file can be saved there.
    init(_ target: URL, from url: URL?) throws(URLError) {
        let path = target.standardizedFileURL.path(percentEncoded: false)
        guard target.isFileURL, path.hasPrefix("/") else {
            throw URLError(
                .cannotCreateFile,
                url: url,
                reason: "\(target.absoluteString) is no URL of a file: make it with URL(filePath:)."
            )
        }
        self.path = path
        name = target.lastPathComponent
        directory = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR || name == "/" {
            throw error(.fileIsDirectory, "\(path) is a directory: name the file in it.", url)
        }
        guard stat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw error(
                .cannotCreateFile,
                "The directory \(directory) of \(name) is missing: make it first.",
                url
            )
        }
    }

    /// Whether there is a file.
    var exists: Bool { access(path, F_OK) == 0 }

    /// Its size in bytes; -1 without a file.
    var byteCount: Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : -1
    }

    /// Moves a complete file here, in place of another; the call may take as long as the disks do.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - url: The URL that was loaded, for the error.
    /// - Throws: Why it cannot be moved; it then stays where it was.
    func take(_ file: FinishedFile, from url: URL?) throws(URLError) {
        do {
            let target = try Directory(opening: directory)
            let source = try Directory(opening: file.directory)
            let origin = file.location.lastPathComponent
            try setPermissions(of: origin, in: source)
            if try !rename(origin, in: source, to: target) { try copy(file, to: target) }
            try target.synchronize()
        } catch {
            let reason = (error as? SystemCallError)?.description ?? error.localizedDescription
            throw self.error(.cannotWriteToFile, reason, url)
        }
    }

    /// Gives the file the permissions that it would have if this program had made it.
    private func setPermissions(of name: String, in directory: Directory) throws(SystemCallError) {
        let mask = ProcessAttributes.currentFileModeMask ?? 0o077
        try systemCall("fchmodat", directory.path(of: name)) {
            fchmodat(directory.descriptor, name, 0o666 & ~mask, 0)
        }
    }

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
    private func copy(_ file: FinishedFile, to target: Directory) throws {
        // A copy that a process has left when it was killed is replaced.
        let name = Self.copyPrefix + file.location.lastPathComponent
        try target.remove(name)
        do {
            try FileManager.default.copyItem(atPath: file.path, toPath: target.path(of: name))
            let copy = try target.open(name, .read)
            try systemCall("fsync", target.path(of: name)) { fsync(copy.rawValue) }
            try target.rename(name, to: target, as: self.name, replacing: true)
        } catch {
            try? target.remove(name)
            throw error
        }
        file.remove()
    }

    private func error(_ code: URLError.Code, _ reason: String, _ url: URL?) -> URLError {
        URLError(code, url: url, reason: reason).adding(path, forKey: NSFilePathErrorKey)
    }
}
