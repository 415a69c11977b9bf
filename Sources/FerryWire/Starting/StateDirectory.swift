package import FerrySystem

/// The directory of ferryd's queue, which is its user's alone.
package enum StateDirectory {
    /// SQLite opens no file whose path, with the ending of its journal, is longer (`MAX_PATHNAME` in os_unix.c).
    package static let maximumPathByteCount = 512 - "/ferry.sqlite-journal".utf8.count

    /// The file that a daemon locks, with its process's number.
    package static let lockName = "ferryd.lock"

    /// The process that has, or had last, the queue of a directory; `nil` where there is none.
    ///
    /// What the kernel tells of a socket's other end is who has begun to listen, which may have been a client.
    package static func daemon(in directory: Directory) -> Int32? {
        guard let file = try? directory.open(lockName, .read),
            let bytes = try? file.readToEnd(limit: 64)
        else { return nil }
        return Int32(String(decoding: bytes, as: UTF8.self).filter(\.isNumber))
    }

    /// Opens the directory, and makes it where it is missing.
    ///
    /// Clients look at it as ferryd does: what ferryd would refuse gets nothing put into it.
    ///
    /// - Parameter path: An absolute path.
    /// - Returns: The directory.
    /// - Throws: ``DaemonError/unsafeDirectory(path:)``, ``DaemonError/pathTooLong(path:limit:)``,
    ///   ``DaemonError/failed(_:)``.
    package static func open(_ path: String) throws(DaemonError) -> Directory {
        guard path.utf8.count <= maximumPathByteCount else {
            throw .pathTooLong(path: path, limit: maximumPathByteCount)
        }
        let directory: Directory
        do throws(SystemCallError) {
            directory = try Directory(opening: path, creatingPrivate: true)
        } catch {
            throw .failed(error)
        }
        guard directory.isPrivate, BaseDirectories.isPrivateDirectory(path) else {
            throw .unsafeDirectory(path: path)
        }
        return directory
    }
}
