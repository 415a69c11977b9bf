import CFerryLinux
import Glibc

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
