import CFerryLinux
import Glibc

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
