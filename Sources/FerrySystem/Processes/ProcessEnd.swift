import CFerryLinux

/// The end of a process, which need not be a child of this one.
@LoopActor
package final class ProcessEnd {
    private let descriptor: FileDescriptor
    private var watch: Watch?

    /// Identifies a process, so that another one that has its number later is not mistaken for it.
    ///
    /// - Parameter process: The process's identifier.
    /// - Throws: `pidfd_open`, with `ESRCH` if there is no such process.
    package nonisolated init(of process: Int32) throws(SystemCallError) {
        descriptor = FileDescriptor(
            owning: try systemCall("pidfd_open") { CFerryLinux_pidfd_open(process) }
        )
    }

    /// Calls a handler when the process has ended and has released its files and locks.
    ///
    /// - Parameter handler: Called once, later, on the loop. The loop keeps this object until then.
    /// - Throws: `epoll_ctl`, if the end cannot be watched.
    package func whenReached(_ handler: @escaping @LoopActor () -> Void) throws(SystemCallError) {
        watch = try EventLoop.shared.watch(descriptor.rawValue, for: .readable) { _ in
            self.watch?.cancel()
            self.watch = nil
            handler()
        }
    }

    /// Waits until the process has ended and has released its files and locks.
    ///
    /// - Throws: `epoll_ctl`, if the end cannot be watched.
    package func wait() async throws(SystemCallError) {
        let result: Result<Void, SystemCallError> = await withCheckedContinuation { continuation in
            do throws(SystemCallError) {
                try whenReached { continuation.resume(returning: .success(())) }
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
        try result.get()
    }
}
