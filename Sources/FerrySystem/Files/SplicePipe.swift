import CFerryLinux
import Glibc

/// A pipe through which the kernel moves bytes from a socket to a file, bypassing this process's memory.
///
/// The code that fills it also empties it, at once; two threads must not share it.
package final class SplicePipe {
    /// The number of bytes in the pipe.
    package private(set) var count = 0
    /// The maximum number of bytes in the pipe.
    package let capacity: Int

    private let reading: FileDescriptor
    private let writing: FileDescriptor

    /// Creates a pipe of 1 MiB, or of the size that this user is allowed.
    ///
    /// - Throws: `pipe2`, with `EMFILE` or `ENFILE` if there are too many descriptors.
    package init() throws(SystemCallError) {
        var ends: [Int32] = [0, 0]
        try systemCall("pipe2") { CFerryLinux_pipe2(&ends, O_CLOEXEC | O_NONBLOCK) }
        reading = FileDescriptor(owning: ends[0])
        writing = FileDescriptor(owning: ends[1])
        // The kernel refuses beyond /proc/sys/fs/pipe-user-pages-soft; a smaller pipe is then enough.
        let granted = fcntl(ends[1], CFerryLinux_F_SETPIPE_SZ, Int32(1 << 20))
        let size = granted > 0 ? granted : fcntl(ends[1], CFerryLinux_F_GETPIPE_SZ)
        capacity = max(Int(size), Int(PIPE_BUF))
    }

    /// Moves up to `limit` bytes from a socket into the pipe.
    ///
    /// - Returns: The number of bytes moved, 0 at the end of the stream; `nil` if none are available now.
    /// - Throws: `splice`, with the error of the socket's connection.
    package func fill(from socket: Int32, upTo limit: Int64) throws(SystemCallError) -> Int? {
        let room = Int(min(limit, Int64(capacity - count)))
        do throws(SystemCallError) {
            let moved = try systemCall("splice") {
                CFerryLinux_splice(socket, nil, writing.rawValue, nil, room, Self.flags)
            }
            count += moved
            return moved
        } catch let error where error.errno == EAGAIN {
            return nil
        }
    }

    /// Moves up to `limit` bytes from the pipe into a file.
    ///
    /// - Returns: The number of bytes that the file took, at least 1 unless the pipe is empty.
    /// - Throws: `splice` or `pwrite`, such as `ENOSPC`; after a failure of `splice`, bytes that
    ///   were not taken stay in the pipe.
    package func empty(
        into file: borrowing FileDescriptor,
        at offset: Int64,
        limit: Int = .max
    ) throws(SystemCallError) -> Int {
        let wanted = min(count, limit)
        guard wanted > 0 else { return 0 }
        let descriptor = file.rawValue
        var position = offset
        do throws(SystemCallError) {
            let moved = try systemCall("splice") {
                CFerryLinux_splice(reading.rawValue, nil, descriptor, &position, wanted, Self.flags)
            }
            guard moved > 0 else { throw SystemCallError(call: "splice", errno: EIO) }
            count -= moved
            return moved
        } catch let error where error.errno == EINVAL {
            return try copy(into: file, at: offset, limit: wanted)
        }
    }

    /// Copies the bytes, for file systems that cannot splice.
    private func copy(
        into file: borrowing FileDescriptor,
        at offset: Int64,
        limit: Int
    ) throws(SystemCallError) -> Int {
        let size = min(limit, 64 * 1024)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        defer { buffer.deallocate() }
        let taken = try reading.read(into: buffer)
        guard taken > 0 else { throw SystemCallError(call: "read", errno: EIO) }
        count -= taken
        try file.writeAll(UnsafeRawBufferPointer(rebasing: buffer[..<taken]), at: offset)
        return taken
    }

    private static let flags = CFerryLinux_SPLICE_F_MOVE | CFerryLinux_SPLICE_F_NONBLOCK
}
