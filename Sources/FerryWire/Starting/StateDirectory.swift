package import FerrySystem

/// The directory of ferryd's queue, which only its user can access.
package enum StateDirectory {
    /// The maximum length of the path: SQLite opens no file whose path, with its journal's suffix, is longer
    /// (`MAX_PATHNAME` in os_unix.c).
    package static let maximumPathByteCount = 512 - "/ferry.sqlite-journal".utf8.count

    /// The file that a daemon locks, which contains its process identifier.
    package static let lockName = "ferryd.lock"

    /// Returns the process that has, or last had, the queue of a directory; `nil` if there is none.
    ///
    /// The kernel's credentials of a socket's peer are those of the process that began to listen, which may have been
    /// a client.
    package static func daemon(in directory: Directory) -> Int32? {
        guard let file = try? directory.open(lockName, .read),
            let bytes = try? file.readToEnd(limit: 64)
        else { return nil }
        return Int32(String(decoding: bytes, as: UTF8.self).filter(\.isNumber))
    }

    /// Opens the directory, and creates it if it is missing.
    ///
    /// Clients check it as ferryd does, and put nothing into a directory that ferryd would refuse.
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
