import FerrySystem
import Glibc

/// What tells whether a directory is the one that it was, also after a restart of the machine.
///
/// Where a disk was unmounted its mount point may still be there, empty, and another disk may take its place.
struct DiskIdentity: Hashable, Sendable {
    /// As a part of a file's name.
    let text: String

    /// Looks at a directory.
    init(of directory: Directory) throws(SystemCallError) {
        let number = directory.descriptor
        var status = stat()
        try systemCall("fstat", directory.path) { fstat(number, &status) }
        var disk = statvfs()
        try systemCall("fstatvfs", directory.path) { fstatvfs(number, &disk) }
        // Device numbers change with the order in which disks are found; these are of the disk.
        let mixed = UInt64(disk.f_fsid) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(status.st_ino)
        text = String(mixed, radix: 36)
    }
}
