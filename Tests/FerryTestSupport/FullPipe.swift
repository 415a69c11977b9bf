import FerrySystem
import Glibc
import Synchronization

/// A pipe in which there is no room.
package final class FullPipe: Sendable {
    /// The end that blocks.
    package let writer: Int32
    private let reader: Int32
    private let filling: Int
    private let isReaderOpen = Mutex(true)

    /// Makes a pipe and fills it.
    package init() throws {
        // For good: a thread of a test that is over may still write.
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [0, 0]
        try systemCall("pipe") { pipe(&ends) }
        (reader, writer) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(writer, F_SETFL, O_NONBLOCK)
        // A page at a time and then byte by byte, so that not one more fits.
        let zeros = [UInt8](repeating: 0, count: 4096)
        var filled = 0
        for size in [4096, 1] {
            var count = write(writer, zeros, size)
            while count > 0 {
                filled += count
                count = write(writer, zeros, size)
            }
        }
        filling = filled
        _ = fcntl(writer, F_SETFL, 0)
    }

    deinit {
        closeReader()
        Glibc.close(writer)
    }

    /// Sets how the end for writing waits.
    package func setNonBlocking(_ isNonBlocking: Bool) {
        _ = fcntl(writer, F_SETFL, isNonBlocking ? O_NONBLOCK : 0)
    }

    /// Reads what it was filled with and then everything until a text that ends with `ending`.
    ///
    /// It waits on a thread of its own: those that the tests share are as few as processors.
    @LoopActor
    package func text(until ending: String) async throws -> String {
        try await BlockingQueue(label: "full pipe").run { [self] in try read(until: ending) }
    }

    private func read(until ending: String) throws -> String {
        var rest = filling
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while !bytes.reversed().starts(with: ending.utf8.reversed()) {
            let count = try systemCall("read") { Glibc.read(reader, &buffer, buffer.count) }
            guard count > 0 else { break }
            let skipped = min(rest, count)
            rest -= skipped
            bytes += buffer[skipped..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Closes the end for reading, which wakes whoever waits to write.
    package func closeReader() {
        let isOpen = isReaderOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if isOpen { Glibc.close(reader) }
    }
}
