import Glibc

/// An identifier that shows whether a directory is the same as before, even after a restart of the machine.
///
/// After a disk is unmounted, its empty mount point may remain, and another disk may take its place.
package struct DiskIdentity: Hashable, Sendable {
    /// The identifier, as part of a file's name.
    package let text: String

    /// Creates the identifier of a directory.
    package init(of directory: Directory) throws(SystemCallError) {
        let number = directory.descriptor
        var status = stat()
        try systemCall("fstat", directory.path) { fstat(number, &status) }
        var disk = statvfs()
        try systemCall("fstatvfs", directory.path) { fstatvfs(number, &disk) }
        // Device numbers change with the order in which disks are found; these values belong to the disk.
        let mixed = UInt64(disk.f_fsid) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(status.st_ino)
        text = String(mixed, radix: 36)
    }
}
