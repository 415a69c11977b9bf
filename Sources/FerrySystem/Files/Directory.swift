import CFerryLinux
import Glibc

/// An open directory, and the only way to the files in it.
///
/// Every name is a single component, links are never followed, and new files are private to the user: an
/// untrusted name cannot lead out of the directory.
package final class Directory: Sendable {
    /// How a file is opened.
    package enum OpenMode: Hashable, Sendable {
        /// Read an existing file.
        case read
        /// Read an existing file, and do not wait for a writer if it is a named pipe (fifo(7)).
        case readWithoutWaiting
        /// Read and write an existing file.
        case readWrite
        /// Read and write a file that is created when it is missing.
        case create
        /// Read and write a file that must not exist yet (`EEXIST` otherwise).
        case createNew
        /// Write at the end of a file that is created when it is missing.
        case append

        fileprivate var flags: Int32 {
            switch self {
            case .read: O_RDONLY
            case .readWithoutWaiting: O_RDONLY | O_NONBLOCK
            case .readWrite: O_RDWR
            case .create: O_RDWR | O_CREAT
            case .createNew: O_RDWR | O_CREAT | O_EXCL
            case .append: O_WRONLY | O_CREAT | O_APPEND
            }
        }
    }

    /// The path the directory was opened by.
    package let path: String
    /// The directory's descriptor, for calls of the `*at` family.
    package let descriptor: Int32

    /// Opens the directory at `path`.
    ///
    /// - Parameters:
    ///   - path: An absolute path.
    ///   - creatingPrivate: Whether to create the directory and its missing parents, private to the user
    ///     (0700).
    /// - Throws: `mkdir` or `open` with the path.
    package init(opening path: String, creatingPrivate: Bool = false) throws(SystemCallError) {
        if creatingPrivate { try Self.createWithParents(path) }
        self.path = path
        descriptor = try systemCall("open", path) {
            Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
    }

    private init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit { _ = Glibc.close(descriptor) }

    /// Whether the path still leads to the directory, which may have been removed or moved.
    package var isInPlace: Bool {
        var (there, here) = (stat(), stat())
        return stat(path, &there) == 0 && fstat(descriptor, &here) == 0
            && there.st_ino == here.st_ino && there.st_dev == here.st_dev
    }

    /// Whether the directory belongs to this user, and no other user can enter or write it.
    package var isPrivate: Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && BaseDirectories.isPrivate(status)
    }

    /// Opens a file of the directory.
    ///
    /// - Throws: `openat`; with `ELOOP` for a symbolic link, `EINVAL` for a name that is not a
    ///   single component.
    package func open(_ name: String, _ mode: OpenMode) throws(SystemCallError) -> FileDescriptor {
        try check(name)
        return FileDescriptor(
            owning: try systemCall("openat", path(of: name)) {
                // Without the copy that a string argument makes.
                name.withCString {
                    openat(descriptor, $0, mode.flags | O_NOFOLLOW | O_CLOEXEC, 0o600)
                }
            }
        )
    }

    /// Opens a subdirectory, which is private to the user if it is created.
    package func openSubdirectory(
        _ name: String,
        creating: Bool = true
    ) throws(SystemCallError) -> Directory {
        try check(name)
        if creating {
            do {
                try systemCall("mkdirat", path(of: name)) { mkdirat(descriptor, name, 0o700) }
            } catch let error where error.errno == EEXIST {
                // An existing entry is opened below, and rejected if it is not a directory.
            }
        }
        let opened = try systemCall("openat", path(of: name)) {
            openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        }
        return Directory(path: path(of: name), descriptor: opened)
    }

    /// Moves a file to another name or directory of the same file system.
    ///
    /// - Parameters:
    ///   - name: The file.
    ///   - target: The new directory.
    ///   - newName: The name in the new directory.
    ///   - replacing: Whether a file of that name is replaced; otherwise it is an error (`EEXIST`).
    /// - Throws: `renameat2`.
    package func rename(
        _ name: String,
        to target: Directory,
        as newName: String,
        replacing: Bool = false
    ) throws(SystemCallError) {
        try check(name)
        try check(newName)
        let flags = replacing ? 0 : CFerryLinux_RENAME_NOREPLACE
        try systemCall("renameat2", "\(path(of: name)) to \(target.path(of: newName))") {
            CFerryLinux_renameat2(descriptor, name, target.descriptor, newName, flags)
        }
    }

    /// Removes a file; a missing file is not an error.
    package func remove(_ name: String) throws(SystemCallError) {
        try check(name)
        do {
            try systemCall("unlinkat", path(of: name)) { unlinkat(descriptor, name, 0) }
        } catch let error where error.errno == ENOENT {
            return
        }
    }

    /// Returns the status of a file, or `nil` if there is none; links are not followed.
    package func status(of name: String) throws(SystemCallError) -> FileStatus? {
        try check(name)
        var status = stat()
        do {
            try systemCall("fstatat", path(of: name)) {
                name.withCString { fstatat(descriptor, $0, &status, AT_SYMLINK_NOFOLLOW) }
            }
        } catch let error where error.errno == ENOENT {
            return nil
        }
        return FileStatus(status)
    }

    /// Sets the times of a file to now; links are not followed.
    ///
    /// - Throws: `utimensat`; with `ENOENT` for a missing file.
    package func touch(_ name: String) throws(SystemCallError) {
        try check(name)
        try systemCall("utimensat", path(of: name)) {
            utimensat(descriptor, name, nil, AT_SYMLINK_NOFOLLOW)
        }
    }

    /// Returns the names in the directory, in no order, without "." and "..".
    ///
    /// - Throws: `openat`, `fdopendir`, or `readdir` with the path: never a part of the names.
    package func names() throws(SystemCallError) -> [String] {
        let copy = try systemCall("openat", path) {
            openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
        guard let stream = fdopendir(copy) else {
            let code = errno
            _ = Glibc.close(copy)
            throw SystemCallError(call: "fdopendir", errno: code, subject: path)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = try nextEntry(of: stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Returns the next entry; `nil` at the end, which only `errno` tells from an error (readdir(3)).
    private func nextEntry(
        of stream: OpaquePointer
    ) throws(SystemCallError) -> UnsafeMutablePointer<dirent>? {
        errno = 0
        if let entry = readdir(stream) { return entry }
        let code = errno
        guard code == 0 else { throw SystemCallError(call: "readdir", errno: code, subject: path) }
        return nil
    }

    /// Creates a symbolic link, whose text need not lead anywhere.
    package func makeLink(_ name: String, to text: String) throws(SystemCallError) {
        try check(name)
        try systemCall("symlinkat", path(of: name)) { symlinkat(text, descriptor, name) }
    }

    /// Returns the text of a symbolic link; `nil` if there is none with that name.
    package func link(_ name: String) throws(SystemCallError) -> String? {
        try check(name)
        var text = [CChar](repeating: 0, count: Int(PATH_MAX))
        do throws(SystemCallError) {
            let count = try systemCall("readlinkat", path(of: name)) {
                readlinkat(descriptor, name, &text, text.count)
            }
            let bytes = text.prefix(count).map { UInt8(bitPattern: $0) }
            return String(decoding: bytes, as: UTF8.self)
        } catch let error where error.errno == ENOENT || error.errno == EINVAL {
            return nil
        }
    }

    /// Synchronizes the directory's entries with the disk, after which a rename survives a power failure.
    package func synchronize() throws(SystemCallError) {
        try systemCall("fsync", path) { fsync(descriptor) }
    }

    /// Returns the path of a name in the directory, for messages and for calls that take a path.
    package func path(of name: String) -> String { path + "/" + name }

    private func check(_ name: String) throws(SystemCallError) {
        let isComponent =
            !name.isEmpty && name != "." && name != ".."
            && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
        guard isComponent else {
            throw SystemCallError(call: "openat", errno: EINVAL, subject: path(of: name))
        }
    }

    private static func createWithParents(_ path: String) throws(SystemCallError) {
        do {
            try systemCall("mkdir", path) { mkdir(path, 0o700) }
        } catch let error where error.errno == EEXIST {
            return
        } catch let error where error.errno == ENOENT {
            guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { throw error }
            try createWithParents(String(path[..<slash]))
            do {
                try systemCall("mkdir", path) { mkdir(path, 0o700) }
            } catch let error where error.errno == EEXIST {
                // Another process has just created it.
                return
            }
        }
    }
}

extension Directory {
    /// Returns the number of bytes that an ordinary process can still write to the directory's file system.
    ///
    /// Quotas are not considered.
    ///
    /// - Throws: `fstatvfs` with the path.
    package func availableByteCount() throws(SystemCallError) -> Int64 {
        var status = statvfs()
        let descriptor = descriptor
        try systemCall("fstatvfs", path) { fstatvfs(descriptor, &status) }
        let (count, overflows) = Int64(clamping: status.f_bavail)
            .multipliedReportingOverflow(by: Int64(clamping: status.f_frsize))
        return overflows ? .max : count
    }
}

extension Directory {
    /// Returns an extended attribute of the directory; `nil` if it has none with that name, or none at all.
    package func attribute(_ name: String) -> [UInt8]? {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { return nil }
        return try? FileDescriptor(owning: copy).attribute(name)
    }

    /// Creates a file without a name, which is gone when it is closed unless ``link(_:as:)`` gives it one.
    ///
    /// - Parameter permissions: Its permissions, less those of the umask, or as a default access control list has them.
    /// - Returns: The file, which can be read and written.
    /// - Throws: `openat`, with `EOPNOTSUPP`, `EISDIR`, `EINVAL` or `ENOENT` if the file system has no such files.
    package func openUnnamed(permissions: UInt32) throws(SystemCallError) -> FileDescriptor {
        FileDescriptor(
            owning: try systemCall("openat", path) {
                openat(descriptor, ".", CFerryLinux_O_TMPFILE | O_RDWR | O_CLOEXEC, permissions)
            }
        )
    }

    /// Gives a file without a name one that is not taken.
    ///
    /// - Throws: `linkat`, with `EEXIST` if the name is taken.
    package func link(
        _ file: borrowing FileDescriptor,
        as name: String
    ) throws(SystemCallError) {
        try check(name)
        // Without CAP_DAC_READ_SEARCH, open(2) allows only this way.
        let own = "/proc/self/fd/\(file.rawValue)"
        try systemCall("linkat", path(of: name)) {
            linkat(AT_FDCWD, own, descriptor, name, Int32(AT_SYMLINK_FOLLOW))
        }
    }

    /// The path that leads to the directory now: it may have been moved since it was opened.
    ///
    /// It is ``path`` as long as that leads there, or if nothing else does.
    package var presentPath: String {
        if isInPlace { return path }
        var text = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/fd/\(descriptor)", &text, text.count)
        guard count > 0 else { return path }
        let present = String(
            decoding: text.prefix(count).map { UInt8(bitPattern: $0) },
            as: UTF8.self
        )
        var (there, here) = (stat(), stat())
        // A directory that is removed has a path with " (deleted)", which leads nowhere.
        let leadsHere =
            stat(present, &there) == 0 && fstat(descriptor, &here) == 0
            && there.st_ino == here.st_ino && there.st_dev == here.st_dev
        return leadsHere ? present : path
    }
}
