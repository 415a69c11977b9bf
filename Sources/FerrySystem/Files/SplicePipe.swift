import CFerryLinux
import Glibc

/// A pipe through which the kernel moves bytes from a socket to a file, past this process's memory.
///
/// One who fills it also empties it, at once; it is not for two threads.
package final class SplicePipe {
    /// How many bytes are in the pipe.
    package private(set) var count = 0
    /// How many bytes fit, at most.
    package let capacity: Int

    private let reading: FileDescriptor
    private let writing: FileDescriptor

    /// Creates a pipe of 1 MiB, or of what this user is allowed.
    ///
    /// - Throws: `pipe2`, with `EMFILE` or `ENFILE` where there are too many descriptors.
    package init() throws(SystemCallError) {
        var ends: [Int32] = [0, 0]
        try systemCall("pipe2") { CFerryLinux_pipe2(&ends, O_CLOEXEC | O_NONBLOCK) }
        reading = FileDescriptor(owning: ends[0])
        writing = FileDescriptor(owning: ends[1])
        // Refused beyond /proc/sys/fs/pipe-user-pages-soft: then a smaller pipe does, too.
        let granted = fcntl(ends[1], CFerryLinux_F_SETPIPE_SZ, Int32(1 << 20))
        let size = granted > 0 ? granted : fcntl(ends[1], CFerryLinux_F_GETPIPE_SZ)
        capacity = max(Int(size), Int(PIPE_BUF))
    }

    /// Takes up to `limit` bytes out of a socket.
    ///
    /// - Returns: How many came, 0 at the end of the stream; `nil` when there are none by now.
    /// - Throws: `splice`, with what the socket's connection has met.
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

    /// Puts up to `limit` bytes of what is in the pipe into a file.
    ///
    /// - Returns: How many bytes the file took, at least 1 unless the pipe is empty.
    /// - Throws: `splice` or `pwrite`, such as `ENOSPC`; bytes that were not taken stay in the pipe.
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

    /// For file systems that cannot splice.
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
