import Glibc

/// An exclusive lock on a file, held until it is released or the process ends.
package struct FileLock: ~Copyable, Sendable {
    private let file: FileDescriptor

    deinit {
        // A child between fork and exec has the file open, too: closing alone would not release the lock.
        flock(file.rawValue, LOCK_UN)
    }

    /// Takes the lock.
    ///
    /// - Parameters:
    ///   - name: The file to lock; it is created if it is missing.
    ///   - directory: The file's directory.
    ///   - waiting: Whether to wait for another holder.
    /// - Throws: `flock` with `EWOULDBLOCK` when another process holds it and `waiting` is false.
    package init(
        _ name: String,
        in directory: Directory,
        waiting: Bool
    ) throws(SystemCallError) {
        let opened = try directory.open(name, .create)
        let descriptor = opened.rawValue
        try systemCall("flock", directory.path(of: name)) {
            flock(descriptor, waiting ? LOCK_EX : LOCK_EX | LOCK_NB)
        }
        file = opened
    }

    /// Writes a description of the lock's holder into the file, for people and for messages.
    package borrowing func describeHolder(_ text: String) throws(SystemCallError) {
        try file.truncate(to: 0)
        let bytes = Array(text.utf8)
        let descriptor = file.rawValue
        try systemCall("pwrite") { pwrite(descriptor, bytes, bytes.count, 0) }
    }

    /// Releases the lock.
    package consuming func release() {}
}
