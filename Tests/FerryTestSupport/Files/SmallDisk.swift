package import FerrySystem
import Glibc

/// A file system in memory with little room, unmounted when it is no longer needed.
package final class SmallDisk: Sendable {
    /// Whether this process may mount one.
    package static let canBeMade = (try? SmallDisk(byteCount: 1 << 16)) != nil

    /// Its root, open.
    package let directory: Directory

    /// Where it is mounted.
    package var path: String { directory.path }

    /// Makes a file system of a size.
    package init(byteCount: Int) throws {
        let path = try TemporaryDirectory.make()
        do {
            try systemCall("mount", path) {
                mount("tmpfs", path, "tmpfs", 0, "size=\(byteCount),mode=0700")
            }
        } catch {
            rmdir(path)
            throw error
        }
        directory = try Directory(opening: path)
    }

    deinit {
        // What is still open does not mind.
        umount2(path, Int32(MNT_DETACH))
        rmdir(path)
    }

    /// Writes until there is no room.
    package func fill() throws {
        let ballast = try directory.open("ballast", .create)
        let block = [UInt8](repeating: 0, count: 4096)
        do {
            while true { try block.withUnsafeBytes { try ballast.writeAll($0) } }
        } catch let error as SystemCallError where error.errno == ENOSPC {
            return
        }
    }

    /// Mounts it again, so that it can be written or only be read.
    package func setWritable(_ isWritable: Bool) throws {
        let flags = UInt(MS_REMOUNT) | (isWritable ? 0 : UInt(MS_RDONLY))
        let path = path
        try systemCall("mount", path) { mount("tmpfs", path, "tmpfs", flags, nil) }
    }

    /// Makes the room again.
    package func empty() { unlink(path + "/ballast") }
}
