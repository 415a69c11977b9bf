import CFerryLinux
import Glibc

/// A user's file, which may be on a file system that does not answer, such as that of a dead server.
///
/// Any call on it may never return, including closing it. Calls are therefore made by the threads that belong
/// to the file's owner, and never by the loop's thread, which all owners need.
package final class UserFile: Sendable {
    /// The queue for calls on the file.
    package let queue: BlockingQueue
    /// The open file's descriptor number, for passing it on without a call to the file system.
    package let number: Int32
    private let onClose: (@Sendable () -> Void)?

    /// Takes over an open file.
    ///
    /// - Parameters:
    ///   - descriptor: The file.
    ///   - queue: The queue for calls on the file.
    ///   - onClose: Called by a thread of the queue when the file is closed, some time after its last use.
    package init(
        _ descriptor: consuming FileDescriptor,
        on queue: BlockingQueue,
        onClose: (@Sendable () -> Void)? = nil
    ) {
        number = descriptor.release()
        self.queue = queue
        self.onClose = onClose
    }

    deinit {
        queue.perform { [number, onClose] in
            _ = Glibc.close(number)
            onClose?()
        }
    }

    /// Makes calls on the file, which may never return.
    ///
    /// - Precondition: The caller is not on the loop.
    package func withDescriptor<T, E: Error>(
        _ body: (borrowing FileDescriptor) throws(E) -> T
    ) throws(E) -> T {
        LoopActor.assertMayBlock()
        // The descriptor is lent: this object still owns it.
        let file = FileDescriptor(owning: number)
        let result: Result<T, E>
        do throws(E) {
            result = .success(try body(file))
        } catch {
            result = .failure(error)
        }
        _ = file.release()
        return try result.get()
    }

    /// Whether the whole file is in memory, on tmpfs or ramfs; the call may take a long time, or never return.
    package var isInMemory: Bool {
        LoopActor.assertMayBlock()
        return TargetDirectory.inMemory.contains(CFerryLinux_fileSystemType(number))
    }

    /// Reads bytes that are in memory, which the loop may do, too: the call does not wait for a disk or a server.
    ///
    /// - Parameters:
    ///   - buffer: The destination.
    ///   - offset: The offset in the file.
    ///   - isInMemory: Whether the whole file is; tmpfs does not tell what is.
    /// - Returns: How many, 0 at the end of the file; `nil` if they are not in memory, or the file system cannot tell, as
    ///   that of a server.
    package func readFromMemory(
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int64,
        ofFileInMemory isInMemory: Bool
    ) -> Int? {
        let (bytes, count) = (buffer.baseAddress, buffer.count)
        return try? systemCall("preadv2") {
            isInMemory
                ? pread(number, bytes, count, Int(offset))
                : CFerryLinux_preadNoWait(number, bytes, count, offset)
        }
    }

    /// Returns the identity of the file and of its state.
    package func identity() throws(SystemCallError) -> FileIdentity {
        try withDescriptor { (file) throws(SystemCallError) in try file.identity() }
    }

    /// Opens a file for reading; for a path that is not a file, the call does not wait.
    ///
    /// - Throws: `open`.
    package static func open(
        _ path: String,
        on queue: BlockingQueue
    ) throws(SystemCallError) -> UserFile {
        LoopActor.assertMayBlock()
        let file = FileDescriptor(
            owning: try systemCall("open", path) {
                Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
            }
        )
        return UserFile(file, on: queue)
    }
}
