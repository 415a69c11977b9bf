import Glibc

/// A file of the user's, which may lie on a file system that does not answer, such as one of a server that is gone.
///
/// Any call on it may take for ever, closing it included. So each is made by the threads that belong to whoever
/// has brought the file, and never by the loop's, which everybody needs.
package final class UserFile: Sendable {
    /// What calls on the file are made by.
    package let queue: BlockingQueue
    /// The number that the kernel knows the open file by: to pass it on, which asks the file system nothing.
    package let number: Int32

    /// Takes over an open file.
    ///
    /// - Parameters:
    ///   - descriptor: The file.
    ///   - queue: What calls on it are made by.
    package init(_ descriptor: consuming FileDescriptor, on queue: BlockingQueue) {
        number = descriptor.release()
        self.queue = queue
    }

    deinit {
        let number = number
        queue.perform { _ = Glibc.close(number) }
    }

    /// Makes calls on the file, which may take for ever.
    ///
    /// - Precondition: The caller is not the loop.
    package func withDescriptor<T, E: Error>(
        _ body: (borrowing FileDescriptor) throws(E) -> T
    ) throws(E) -> T {
        LoopActor.assertMayBlock()
        // It is lent: this object goes on owning it.
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

    /// Which file it is, and which state of it.
    package func identity() throws(SystemCallError) -> FileIdentity {
        try withDescriptor { (file) throws(SystemCallError) in try file.identity() }
    }

    /// Opens a file for reading; what is no file does not make anybody wait.
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
