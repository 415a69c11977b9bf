import Glibc

/// An identifier that shows whether a directory is the same as before, even after a restart of the machine.
///
/// After a disk is unmounted, its empty mount point may remain, and another disk may take its place.
package struct DiskIdentity: Hashable, Sendable {
    /// The identifier, as part of a file's name: that of the disk, and of the directory on it.
    package let text: String

    /// The part of an identifier that all directories of a disk have in common.
    package static func disk(in text: String) -> Substring { text.prefix { $0 != "." } }

    /// Creates the identifier of a directory.
    package init(of directory: Directory) throws(SystemCallError) {
        let number = directory.descriptor
        var status = stat()
        try systemCall("fstat", directory.path) { fstat(number, &status) }
        var disk = statvfs()
        try systemCall("fstatvfs", directory.path) { fstatvfs(number, &disk) }
        // Device numbers change with the order in which disks are found; these values belong to the disk.
        text =
            "\(String(UInt64(disk.f_fsid), radix: 36)).\(String(UInt64(status.st_ino), radix: 36))"
    }
}
