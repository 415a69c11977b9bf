import CFerryLinux
import Glibc

/// The identity of a file and of its state, which shows whether the file has changed since.
package struct FileIdentity: Hashable, Sendable, Codable {
    /// The file system's number.
    package var device: UInt64
    /// The file's number in its file system.
    package var inode: UInt64
    /// The number of its names.
    package var linkCount: UInt64
    /// The size in bytes.
    package var size: Int64
    /// When the content last changed, in nanoseconds since 1970.
    package var modified: Int64
    /// When the file last changed in any way, in nanoseconds since 1970.
    package var changed: Int64

    /// Makes an identity from its parts.
    package init(
        device: UInt64,
        inode: UInt64,
        linkCount: UInt64 = 1,
        size: Int64,
        modified: Int64,
        changed: Int64
    ) {
        self.device = device
        self.inode = inode
        self.linkCount = linkCount
        self.size = size
        self.modified = modified
        self.changed = changed
    }

    init(_ status: stat) {
        self.init(
            device: UInt64(status.st_dev),
            inode: UInt64(status.st_ino),
            linkCount: UInt64(status.st_nlink),
            size: Int64(status.st_size),
            modified: Self.nanoseconds(status.st_mtim),
            changed: Self.nanoseconds(status.st_ctim)
        )
    }

    /// Returns the identity of a regular file without opening it, which needs no descriptor.
    ///
    /// - Parameter path: The path, with a zero at the end.
    /// - Returns: The identity.
    /// - Throws: `stat`; with `EISDIR` or `EOPNOTSUPP` if it is not a regular file.
    package static func ofRegularFile(at path: [CChar]) throws(SystemCallError) -> FileIdentity {
        var status = stat()
        try systemCall("stat") { stat(path, &status) }
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFREG else {
            throw SystemCallError(call: "stat", errno: kind == S_IFDIR ? EISDIR : EOPNOTSUPP)
        }
        return FileIdentity(status)
    }

    /// Returns whether the file has its earlier content.
    ///
    /// A program may set the time of the last modification to any value, but not that of the last change. The
    /// latter, however, also changes with the file's names, and a file that is deleted while it is open keeps
    /// its content.
    ///
    /// - Parameter earlier: The earlier identity.
    /// - Returns: Whether it is the same file, with no sign that it was written to.
    package func hasContent(of earlier: FileIdentity) -> Bool {
        device == earlier.device && inode == earlier.inode && size == earlier.size
            && modified == earlier.modified
            && (changed == earlier.changed || linkCount != earlier.linkCount)
    }

    /// Returns the identity as the system would report it now.
    ///
    /// - Parameters:
    ///   - boot: When it was taken: after a restart of the system, a file system may have another number.
    ///   - now: The identity of the file that is now in its place.
    /// - Returns: The identity to compare with `now`.
    package func carriedOver(from boot: BootIdentifier, to now: FileIdentity) -> FileIdentity {
        var identity = self
        if boot != .current { identity.device = now.device }
        return identity
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        // Wraps in a distant year, in which two times still differ.
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}

/// The status of a file.
package struct FileStatus: Hashable, Sendable {
    /// The size in bytes.
    package var size: Int64
    /// The file system's number; with ``inode`` it identifies the file.
    package var device: UInt64
    /// The file's number in its file system.
    package var inode: UInt64
    /// The user who owns the file.
    package var owner: UInt32
    /// The permission bits, such as 0o600.
    package var permissions: UInt32
    /// Whether it is a regular file, not a directory, link, socket or device.
    package var isRegularFile: Bool
    /// Whether it is a directory.
    package var isDirectory: Bool
    /// When the content last changed, in seconds since 1970.
    package var modificationTime: Int64
    /// When the file last changed in any way, a new name included, in seconds since 1970.
    package var changeTime: Int64

    init(_ status: stat) {
        size = Int64(status.st_size)
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        owner = status.st_uid
        permissions = status.st_mode & 0o7777
        isRegularFile = status.st_mode & S_IFMT == S_IFREG
        isDirectory = status.st_mode & S_IFMT == S_IFDIR
        modificationTime = Int64(status.st_mtim.tv_sec)
        changeTime = Int64(status.st_ctim.tv_sec)
    }
}
