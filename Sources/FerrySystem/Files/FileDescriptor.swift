import CFerryLinux
import Glibc

/// A file descriptor that closes itself.
package struct FileDescriptor: ~Copyable, Sendable {
    /// The descriptor's number.
    package let rawValue: Int32

    /// Takes over an open descriptor.
    package init(owning rawValue: Int32) { self.rawValue = rawValue }

    deinit { _ = Glibc.close(rawValue) }

    /// Closes the descriptor, and reports an error of closing, such as a delayed write error.
    package consuming func close() throws(SystemCallError) {
        let descriptor = rawValue
        discard self
        // Linux releases the descriptor even if it reports EINTR: it must not be closed again.
        guard Glibc.close(descriptor) == 0 || errno == EINTR else {
            throw SystemCallError(call: "close", errno: errno)
        }
    }

    /// Gives the descriptor away without closing it.
    package consuming func release() -> Int32 {
        let descriptor = rawValue
        discard self
        return descriptor
    }

    /// Returns another descriptor for the same open file, closed on exec.
    package borrowing func duplicate() throws(SystemCallError) -> FileDescriptor {
        let descriptor = rawValue
        return FileDescriptor(
            owning: try systemCall("fcntl") { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }
        )
    }

    /// Reads up to the buffer's size at the current offset; 0 at the end.
    package borrowing func read(
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemCallError) -> Int {
        let descriptor = rawValue
        return try systemCall("read") {
            Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        }
    }

    /// Reads up to the buffer's size at `offset`, leaving the current offset alone; 0 at the end.
    package borrowing func read(
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int64
    ) throws(SystemCallError) -> Int {
        let descriptor = rawValue
        return try systemCall("pread") {
            pread(descriptor, buffer.baseAddress, buffer.count, Int(offset))
        }
    }

    /// Returns the size of a file, by lseek(2), the cheapest call that knows it; the current offset moves to the end.
    package borrowing func size() throws(SystemCallError) -> Int64 {
        let descriptor = rawValue
        return Int64(try systemCall("lseek") { lseek(descriptor, 0, SEEK_END) })
    }

    /// Returns where the first hole of a file is, or its size if it has none; `nil` if its file system cannot tell.
    ///
    /// The current offset moves.
    package borrowing func firstHole() -> Int64? {
        let descriptor = rawValue
        return try? Int64(systemCall("lseek") { lseek(descriptor, 0, CFerryLinux_SEEK_HOLE) })
    }

    /// Writes some bytes at the current offset and returns how many.
    package borrowing func write(
        _ bytes: UnsafeRawBufferPointer
    ) throws(SystemCallError) -> Int {
        let descriptor = rawValue
        return try systemCall("write") {
            Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        }
    }

    /// Writes all bytes at the current offset.
    package borrowing func writeAll(_ bytes: UnsafeRawBufferPointer) throws(SystemCallError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            rest = rest.dropFirst(try write(UnsafeRawBufferPointer(rebasing: rest)))
        }
    }

    /// Writes all bytes at `offset`, leaving the current offset alone.
    package borrowing func writeAll(
        _ bytes: UnsafeRawBufferPointer,
        at offset: Int64
    ) throws(SystemCallError) {
        let descriptor = rawValue
        var rest = bytes[...]
        var position = Int(offset)
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest)
            let count = try systemCall("pwrite") {
                pwrite(descriptor, part.baseAddress, part.count, position)
            }
            rest = rest.dropFirst(count)
            position += count
        }
    }

    /// Returns the whole content from the current offset, which may be at most `limit` bytes.
    package borrowing func readToEnd(limit: Int) throws(SystemCallError) -> [UInt8] {
        var content: [UInt8] = []
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
        defer { chunk.deallocate() }
        while true {
            let count = try read(into: chunk)
            if count == 0 { return content }
            content.append(contentsOf: UnsafeRawBufferPointer(rebasing: chunk[..<count]))
            if content.count > limit { throw SystemCallError(call: "read", errno: EFBIG) }
        }
    }

    /// Synchronizes the file's data, and what is needed to find it, with the disk.
    package borrowing func synchronizeData() throws(SystemCallError) {
        let descriptor = rawValue
        try systemCall("fdatasync", Self.path(of: descriptor)) { fdatasync(descriptor) }
    }

    /// Synchronizes the file's data and all its metadata with the disk.
    package borrowing func synchronize() throws(SystemCallError) {
        let descriptor = rawValue
        try systemCall("fsync", Self.path(of: descriptor)) { fsync(descriptor) }
    }

    /// Returns the kernel's path of the open file, for messages.
    private static func path(of descriptor: Int32) -> String {
        var text = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/fd/\(descriptor)", &text, text.count)
        let bytes = text.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Truncates or extends the file to `size` bytes.
    package borrowing func truncate(to size: Int64) throws(SystemCallError) {
        let descriptor = rawValue
        try systemCall("ftruncate") { ftruncate(descriptor, Int(size)) }
    }

    /// Reserves disk space for the first `byteCount` bytes.
    package borrowing func reserve(_ byteCount: Int64) throws(SystemCallError) {
        let code = posix_fallocate(rawValue, 0, Int(byteCount))
        guard code == 0 else { throw SystemCallError(call: "posix_fallocate", errno: code) }
    }

    /// Returns the status of the file.
    package borrowing func status() throws(SystemCallError) -> FileStatus {
        let descriptor = rawValue
        var status = stat()
        try systemCall("fstat") { fstat(descriptor, &status) }
        return FileStatus(status)
    }

    /// Returns the identity of the file and of its state.
    package borrowing func identity() throws(SystemCallError) -> FileIdentity {
        let descriptor = rawValue
        var status = stat()
        try systemCall("fstat") { fstat(descriptor, &status) }
        return FileIdentity(status)
    }

    /// Makes this file share the content of another one, without a copy.
    ///
    /// - Throws: `ioctl`, with `EOPNOTSUPP`, `EXDEV`, `EINVAL` or `ENOTTY` if that is not possible
    ///   (ioctl_ficlone(2)).
    package borrowing func clone(_ source: borrowing FileDescriptor) throws(SystemCallError) {
        let (descriptor, sourceDescriptor) = (rawValue, source.rawValue)
        try systemCall("ioctl", "FICLONE") { CFerryLinux_clone(descriptor, sourceDescriptor) }
    }

    /// Sets whether reads and writes return `EAGAIN` instead of waiting.
    package borrowing func setNonBlocking(_ isNonBlocking: Bool) throws(SystemCallError) {
        let descriptor = rawValue
        let flags = try systemCall("fcntl") { fcntl(descriptor, F_GETFL) }
        let wanted = isNonBlocking ? flags | O_NONBLOCK : flags & ~O_NONBLOCK
        try systemCall("fcntl") { fcntl(descriptor, F_SETFL, wanted) }
    }

    /// Stores an extended attribute, such as `user.ferry.transfer`.
    ///
    /// - Throws: `fsetxattr` with `ENOTSUP` if the file system has none.
    package borrowing func setAttribute(
        _ name: String,
        _ value: [UInt8]
    ) throws(SystemCallError) {
        let descriptor = rawValue
        // The pointer must not be null even if there is nothing to store.
        let bytes = value.isEmpty ? [0] : value
        try systemCall("fsetxattr", name) {
            CFerryLinux_fsetxattr(descriptor, name, bytes, value.count)
        }
    }

    /// Returns an extended attribute's value, or `nil` if the file has none with that name.
    package borrowing func attribute(_ name: String) throws(SystemCallError) -> [UInt8]? {
        let descriptor = rawValue
        // The kernel's limit for one value, XATTR_SIZE_MAX.
        var value = [UInt8](repeating: 0, count: 65_536)
        do {
            let count = try systemCall("fgetxattr", name) {
                CFerryLinux_fgetxattr(descriptor, name, &value, value.count)
            }
            return Array(value.prefix(count))
        } catch let error where error.errno == ENODATA {
            return nil
        }
    }

    /// Removes an extended attribute.
    ///
    /// - Returns: Whether it existed.
    @discardableResult
    package borrowing func removeAttribute(_ name: String) throws(SystemCallError) -> Bool {
        let descriptor = rawValue
        do {
            try systemCall("fremovexattr", name) { CFerryLinux_fremovexattr(descriptor, name) }
            return true
        } catch let error where error.errno == ENODATA {
            return false
        }
    }
}
