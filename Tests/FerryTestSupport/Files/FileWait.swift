import FerrySystem
import Glibc

/// Returns when a condition holds of the files in a directory.
///
/// The condition is evaluated at once, and after each change in the directory: a file that is made, written, moved or
/// removed.
///
/// - Parameters:
///   - directory: The directory, which must exist.
///   - holds: The condition.
/// - Throws: An error of inotify, or that of the condition; `CancellationError`.
@LoopActor package func waitForFiles(
    in directory: String,
    until holds: @Sendable () throws -> Bool
) async throws {
    let queue = try systemCall("inotify_init1") { inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC)) }
    defer { close(queue) }
    let changes = IN_CREATE | IN_MODIFY | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE
    _ = try systemCall("inotify_add_watch", directory) {
        inotify_add_watch(queue, directory, UInt32(changes))
    }
    let (turns, turn) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let watch = try EventLoop.shared.watch(queue, for: .readable) { _ in
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while read(queue, buffer.baseAddress, buffer.count) > 0 {}
        }
        turn.yield()
    }
    defer { watch.cancel() }
    var iterator = turns.makeAsyncIterator()
    while try !holds() {
        guard await iterator.next() != nil else { throw CancellationError() }
    }
}
