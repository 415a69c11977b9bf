import Foundation
@preconcurrency import Glibc

/// Moves a finished file to its destination, without ever replacing another.
///
/// When the name is taken, it tries `name.1`, `name.2` and so on. The result is on disk when it returns, because
/// ferryd then deletes its own copy.
///
/// Other users may be able to write to the file's directory. Only the file that was checked is moved: it belongs to
/// the user and has no other name.
struct Placement {
    /// The directory as a path, for messages.
    private let path: String
    private let directory: Int32

    /// Moves a file.
    ///
    /// - Parameters:
    ///   - source: The path of the file; it is gone afterwards.
    ///   - directory: The directory to move it to; created when it is missing.
    ///   - name: The wanted name.
    ///   - permissions: The file's permissions there.
    /// - Returns: The file's new path, and its size in bytes.
    /// - Throws: ``FileError`` when the file could not be moved; it then stays where it was.
    static func move(
        _ source: String,
        to directory: String,
        as name: FileName,
        permissions: mode_t
    ) throws(FileError) -> (path: String, byteCount: Int64) {
        let placement = try Placement(directory: directory)
        defer { close(placement.directory) }
        // Something put in the file's place must neither lead elsewhere nor block.
        let file = try Self.open(source, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        defer { close(file) }
        var status = stat()
        try Self.call("fstat", source) { fstat(file, &status) }
        guard placement.isOwn(file, status, as: name) else {
            throw FileError(call: "open", path: source, errno: EPERM)
        }
        try Self.call("fchmod", source) { fchmod(file, permissions) }
        let final = try placement.link(source, file: file, as: name)
        try Self.call("fsync", directory) { fsync(placement.directory) }
        unlink(source)
        let path = directory == "/" ? "/\(final)" : "\(directory)/\(final)"
        return (path, Int64(status.st_size))
    }

    private init(directory: String) throws(FileError) {
        path = directory
        try? FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: true
        )
        self.directory = try Self.open(directory, O_RDONLY | O_DIRECTORY)
    }

    /// Whether a file belongs to the user and has no other names than those that an earlier process has given it.
    private func isOwn(_ file: Int32, _ status: stat, as name: FileName) -> Bool {
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else { return false }
        return status.st_nlink == 1 || status.st_nlink == 2 && isPlaced(file, as: name)
    }

    private func isPlaced(_ file: Int32, as name: FileName) -> Bool {
        var number = 0
        var status = stat()
        while fstatat(directory, name.numbered(number), &status, AT_SYMLINK_NOFOLLOW) == 0 {
            if isSameFile(file, as: name.numbered(number)) { return true }
            number += 1
        }
        return false
    }

    private func link(_ source: String, file: Int32, as name: FileName) throws(FileError) -> String
    {
        do {
            return try linkFirstFree(source, file: file, as: name)
        } catch let error where [EXDEV, EPERM, EOPNOTSUPP, EMLINK].contains(error.errno) {
            return try copy(source, file: file, as: name)
        }
    }

    /// Gives the file a second name; link(2) fails if the name exists, so nothing is replaced.
    private func linkFirstFree(
        _ source: String,
        file: Int32,
        as name: FileName
    ) throws(FileError) -> String {
        var number = 0
        while true {
            let candidate = name.numbered(number)
            do {
                try Self.call("link", "\(path)/\(candidate)") {
                    linkat(AT_FDCWD, source, directory, candidate, 0)
                }
                try require(file, as: candidate, from: source)
                return candidate
            } catch let error where error.errno == EEXIST {
                // An earlier process may have come this far and died before it reported that.
                if isSameFile(file, as: candidate) { return candidate }
                number += 1
            }
        }
    }

    /// Verifies that the name belongs to the file that was checked, and removes it otherwise.
    private func require(
        _ file: Int32,
        as name: String,
        from source: String
    ) throws(FileError) {
        if isSameFile(file, as: name) { return }
        unlinkat(directory, name, 0)
        throw FileError(call: "link", path: source, errno: ESTALE)
    }

    private func isSameFile(_ file: Int32, as name: String) -> Bool {
        var own = stat()
        var other = stat()
        return fstat(file, &own) == 0 && fstatat(directory, name, &other, AT_SYMLINK_NOFOLLOW) == 0
            && own.st_dev == other.st_dev && own.st_ino == other.st_ino
    }

    /// Copies the file to another file system, or one without hard links; the copy gets its name at the end.
    private func copy(_ source: String, file: Int32, as name: FileName) throws(FileError) -> String
    {
        // The name is the same for each attempt with a source, so that killed attempts leave nothing behind in the end.
        let temporary = ".ferry-\(URL(fileURLWithPath: source).lastPathComponent)"
        let copyPath = "\(path)/\(temporary)"
        unlinkat(directory, temporary, 0)
        let copy = try create(temporary)
        var status = stat()
        try Self.call("fstat", source) { fstat(file, &status) }
        defer { close(copy) }
        do {
            try copyBytes(from: file, to: copy, path: copyPath)
            try Self.call("fchmod", copyPath) { fchmod(copy, status.st_mode & 0o777) }
            try Self.call("fsync", copyPath) { fsync(copy) }
            return try renameToFirstFree(temporary, as: name)
        } catch {
            unlinkat(directory, temporary, 0)
            throw error
        }
    }

    private func copyBytes(from source: Int32, to copy: Int32, path: String) throws(FileError) {
        var offset: off_t = 0
        while true {
            let count = try Self.call("sendfile", path) { sendfile(copy, source, &offset, 1 << 30) }
            if count == 0 { return }
        }
    }

    /// Reserves the name with an empty file first: of two processes that want it, only one can create it.
    private func renameToFirstFree(
        _ temporary: String,
        as name: FileName
    ) throws(FileError) -> String {
        var number = 0
        while true {
            let candidate = name.numbered(number)
            do {
                close(try create(candidate))
            } catch let error where error.errno == EEXIST {
                number += 1
                continue
            }
            do {
                try Self.call("rename", "\(path)/\(candidate)") {
                    renameat(directory, temporary, directory, candidate)
                }
                return candidate
            } catch {
                unlinkat(directory, candidate, 0)
                throw error
            }
        }
    }

    private func create(_ name: String) throws(FileError) -> Int32 {
        try Self.call("open", "\(path)/\(name)") {
            openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        }
    }

    private static func open(_ path: String, _ flags: Int32) throws(FileError) -> Int32 {
        try call("open", path) { Glibc.open(path, flags | O_CLOEXEC) }
    }

    @discardableResult
    private static func call<Result: FixedWidthInteger>(
        _ name: String,
        _ path: String,
        _ body: () -> Result
    ) throws(FileError) -> Result {
        while true {
            let result = body()
            if result >= 0 { return result }
            if errno != EINTR { throw FileError(call: name, path: path, errno: errno) }
        }
    }
}

/// The reason why a file could not be moved to its destination.
struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The system call that failed.
    let call: String
    /// The file or directory concerned.
    let path: String
    /// The reason.
    let errno: Int32

    /// A description for people.
    var description: String {
        "\(path): \(String(cString: strerror(errno))) (\(call))"
    }
}
