import FerrySystem
import Glibc
import Testing

/// A file system in memory with little room, unmounted when it is no longer needed.
final class SmallDisk: Sendable {
    /// Whether this process may mount one.
    static let canBeMade: Bool = {
        guard geteuid() == 0 else { return false }
        return (try? SmallDisk(byteCount: 1 << 16)) != nil
    }()

    let path: String

    init(byteCount: Int) throws {
        var template = Array("/tmp/ferry-disk-XXXXXX".utf8CString)
        let created = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }
        }
        path = String(cString: try #require(created))
        let arguments = ["mount", "-t", "tmpfs", "-o", "size=\(byteCount)", "tmpfs", path]
        let isMounted = Self.run(arguments)
        if !isMounted { rmdir(path) }
        try #require(isMounted)
    }

    deinit {
        _ = Self.run(["umount", "-l", path])
        rmdir(path)
    }

    /// Writes until there is no room.
    func fill() throws {
        let ballast = try Directory(opening: path).open("ballast", .create)
        let block = [UInt8](repeating: 0, count: 4096)
        do {
            while true { try block.withUnsafeBytes { try ballast.writeAll($0) } }
        } catch let error as SystemCallError where error.errno == ENOSPC {
            return
        }
    }

    /// Makes the room again.
    func empty() { unlink(path + "/ballast") }

    private static func run(_ arguments: [String]) -> Bool {
        var process = pid_t()
        var pointers = arguments.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        pointers.append(nil)
        guard posix_spawnp(&process, arguments[0], nil, nil, pointers, nil) == 0 else {
            return false
        }
        var status: Int32 = 0
        return waitpid(process, &status, 0) == process && status == 0
    }
}
