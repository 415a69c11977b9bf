@preconcurrency import Dispatch
import Foundation
@preconcurrency import Glibc

/// A reader of what is appended to a log file, also after the file was rotated.
///
/// It waits in inotify(7) between two lines.
final class LogFollower {
    private let path: String
    private let directory: String
    private var file: Int32 = -1
    private var partialLine: [UInt8] = []

    /// Creates a follower that begins at the current end of a file.
    ///
    /// - Parameter path: The log file.
    init(path: String) {
        self.path = path
        directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
        reopen()
        lseek(file, 0, SEEK_END)
    }

    deinit {
        if file >= 0 { close(file) }
    }

    /// Calls `body` with each appended text of whole lines, until the task is cancelled.
    ///
    /// - Parameter body: Receives the lines.
    /// - Throws: The error that ends the command.
    func run(_ body: (String) -> Void) async throws(FileError) {
        let notices = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard notices >= 0 else { throw FileError(call: "inotify_init1", path: path, errno: errno) }
        let mask = UInt32(IN_MODIFY | IN_CREATE | IN_MOVED_TO)
        guard inotify_add_watch(notices, directory, mask) >= 0 else {
            let error = FileError(call: "inotify_add_watch", path: directory, errno: errno)
            close(notices)
            throw error
        }
        // Lines that were appended before the watch began.
        catchUp(body)
        for await _ in Self.readiness(of: notices) { catchUp(body) }
    }

    private func catchUp(_ body: (String) -> Void) {
        read(body)
        guard isReplaced else { return }
        // The last lines may have been written after the first read.
        read(body)
        reopen()
        read(body)
    }

    /// Returns a stream with an element whenever there are notices, which it discards; its end closes the descriptor.
    private static func readiness(of notices: Int32) -> AsyncStream<Void> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let source = DispatchSource.makeReadSource(fileDescriptor: notices)
            source.setEventHandler {
                var buffer = [UInt8](repeating: 0, count: 4096)
                while Glibc.read(notices, &buffer, buffer.count) > 0 {}
                continuation.yield()
            }
            source.setCancelHandler { close(notices) }
            continuation.onTermination = { _ in source.cancel() }
            source.activate()
        }
    }

    private func reopen() {
        if file >= 0 { close(file) }
        file = open(path, O_RDONLY | O_CLOEXEC)
    }

    private var isReplaced: Bool {
        var current = stat()
        var own = stat()
        guard stat(path, &current) == 0 else { return false }
        return file < 0 || fstat(file, &own) != 0 || own.st_ino != current.st_ino
            || own.st_dev != current.st_dev
    }

    private func read(_ body: (String) -> Void) {
        guard file >= 0 else { return }
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = Glibc.read(file, &buffer, buffer.count)
            guard count > 0 else { break }
            partialLine += buffer.prefix(count)
        }
        guard let end = partialLine.lastIndex(of: UInt8(ascii: "\n")) else { return }
        body(String(decoding: partialLine[...end], as: UTF8.self))
        partialLine.removeSubrange(...end)
    }
}
