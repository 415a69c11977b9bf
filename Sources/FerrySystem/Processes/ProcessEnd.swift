import CFerryLinux

/// The end of a process, which need not be a child of this one.
@LoopActor
package final class ProcessEnd {
    private let descriptor: FileDescriptor
    private var watch: Watch?

    /// Identifies a process, so that another one that has its number later is not mistaken for it; nil if there is no
    /// such process.
    ///
    /// - Parameter process: The process's identifier.
    package nonisolated init?(of process: Int32) {
        let raw = CFerryLinux_pidfd_open(process)
        guard raw >= 0 else { return nil }
        descriptor = FileDescriptor(owning: raw)
    }

    /// Waits until the process has ended and has released its files and locks.
    ///
    /// - Throws: `epoll_ctl`, if the end cannot be watched.
    package func wait() async throws(SystemCallError) {
        let result: Result<Void, SystemCallError> = await withCheckedContinuation { continuation in
            do throws(SystemCallError) {
                watch = try EventLoop.shared.watch(descriptor.rawValue, for: .readable) { _ in
                    self.watch?.cancel()
                    self.watch = nil
                    continuation.resume(returning: .success(()))
                }
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
        try result.get()
    }
}
