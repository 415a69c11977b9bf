import CFerryLinux
import Glibc

/// A directory that is the target of a file, as the place where the file grows.
package enum TargetDirectory {
    /// The reason why a file cannot grow there.
    package enum Refusal: Error, Hashable, Sendable {
        /// The directory is on the file system that files grow on by default.
        case isNotElsewhere
        /// The directory is on a file system that may not answer, or that has no hard links.
        case isNotOfThisMachine
        /// Other users may write there, or can redirect its path: files there could be read and replaced.
        case isNotSafe
        /// The directory is missing, or cannot be opened.
        case call(SystemCallError)
    }

    /// Opens a directory if a file may grow there; the call may take a long time, or never return.
    ///
    /// - Parameters:
    ///   - path: The directory.
    ///   - other: The directory in which files grow otherwise.
    /// - Returns: The directory.
    /// - Throws: The reason why a file cannot grow there.
    package static func open(
        _ path: String,
        apartFrom other: Directory
    ) throws(Refusal) -> Directory {
        LoopActor.assertMayBlock()
        let path = try realPath(of: path)
        let directory = try calling { () throws(SystemCallError) in try Directory(opening: path) }
        var (own, others) = (stat(), stat())
        guard fstat(directory.descriptor, &own) == 0, fstat(other.descriptor, &others) == 0 else {
            throw .call(SystemCallError(call: "fstat", errno: errno, subject: path))
        }
        guard own.st_dev != others.st_dev else { throw .isNotElsewhere }
        guard isOfThisMachine(directory) else { throw .isNotOfThisMachine }
        guard try leadsSafely(path, to: directory) else { throw .isNotSafe }
        return directory
    }

    /// Reopens a directory that a file grows in; the call may take a long time, or never return.
    ///
    /// The path may lead to another directory now: another disk may be mounted.
    ///
    /// - Throws: The reason why the file cannot continue to grow there.
    package static func reopen(_ path: String) throws(Refusal) -> Directory {
        LoopActor.assertMayBlock()
        let directory = try calling { () throws(SystemCallError) in try Directory(opening: path) }
        guard isOfThisMachine(directory) else { throw .isNotOfThisMachine }
        guard try leadsSafely(path, to: directory) else { throw .isNotSafe }
        return directory
    }

    /// Returns the path without links, which other users might redirect.
    private static func realPath(of path: String) throws(Refusal) -> String {
        guard let real = realpath(path, nil) else {
            throw .call(SystemCallError(call: "realpath", errno: errno, subject: path))
        }
        defer { free(real) }
        return String(cString: real)
    }

    /// Returns whether the file system is local, so that it answers.
    ///
    /// The event loop writes bytes as they arrive, which requires a file system that answers: a server's may
    /// not, nor a program's (FUSE).
    private static func isOfThisMachine(_ directory: Directory) -> Bool {
        local.contains(CFerryLinux_fileSystemType(directory.descriptor))
    }

    /// The numbers of file systems that are on a disk or in the memory of this machine, and have hard links
    /// (statfs(2)).
    static let local: Set<UInt32> = inMemory.union([
        0xEF53,  // ext2, ext3, ext4
        0x5846_5342,  // XFS
        0x9123_683E,  // Btrfs
        0xF2F5_2010,  // F2FS
        0x2FC1_2FC1,  // ZFS
        0xCA45_1A4E,  // bcachefs
        0x3153_464A,  // JFS
        0x5265_4973,  // ReiserFS
        0x3434,  // NILFS
        0x794C_7630,  // overlayfs
    ])

    /// The numbers of those that are in memory.
    static let inMemory: Set<UInt32> = [
        0x0102_1994,  // tmpfs
        0x8584_58F6,  // ramfs
    ]

    static func calling<T>(
        _ body: () throws(SystemCallError) -> T
    ) throws(Refusal) -> T {
        do throws(SystemCallError) {
            return try body()
        } catch {
            throw .call(error)
        }
    }
}

extension TargetDirectory {
    /// Returns whether a path leads to a directory, and no other user can put another file into it or another
    /// directory in its way.
    ///
    /// Each directory of the path is checked as it is opened, in one that only its owner and root can change.
    static func leadsSafely(
        _ path: String,
        to target: Directory
    ) throws(Refusal) -> Bool {
        try calling { () throws(SystemCallError) in
            var directory = FileDescriptor(owning: try open("/", in: AT_FDCWD))
            var status = try self.status(of: directory)
            for component in path.split(separator: "/") {
                guard isOfTrusted(status), !isWritableByOthers(status) || isSticky(status) else {
                    return false
                }
                directory = FileDescriptor(
                    owning: try open(String(component), in: directory.rawValue)
                )
                status = try self.status(of: directory)
            }
            var known = stat()
            try systemCall("fstat", path) { fstat(target.descriptor, &known) }
            // The owner of a directory may rename other users' files in it, even if it is sticky.
            return isOfTrusted(status) && !isWritableByOthers(status)
                && status.st_dev == known.st_dev && status.st_ino == known.st_ino
        }
    }

    private static func open(_ name: String, in parent: Int32) throws(SystemCallError) -> Int32 {
        try systemCall("openat", name) {
            openat(parent, name, CFerryLinux_O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        }
    }

    private static func status(
        of directory: borrowing FileDescriptor
    ) throws(SystemCallError) -> stat {
        var status = stat()
        let number = directory.rawValue
        try systemCall("fstat") { fstat(number, &status) }
        return status
    }

    private static func isOfTrusted(_ status: stat) -> Bool {
        status.st_uid == geteuid() || status.st_uid == 0
    }

    /// Returns whether other users may write, including by an access control list: its mask is in the group's
    /// bits (acl(5)).
    private static func isWritableByOthers(_ status: stat) -> Bool {
        status.st_mode & (S_IWGRP | S_IWOTH) != 0
    }

    /// Returns whether only the owner of an entry, of the directory, or root can rename it.
    private static func isSticky(_ status: stat) -> Bool { status.st_mode & S_ISVTX != 0 }
}
