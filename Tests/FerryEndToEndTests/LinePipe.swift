import FerrySystem
import Glibc

/// A pipe that one program writes lines to; it ends when the program does.
final class LinePipe {
    /// The end for the program.
    private(set) var writer: Int32
    private let reader: Int32
    private var bytes: [UInt8] = []

    init() throws {
        var ends: [Int32] = [0, 0]
        try systemCall("pipe") { pipe(&ends) }
        (reader, writer) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit {
        close(reader)
        closeWriter()
    }

    /// Leaves the end for writing to the program that has it.
    func closeWriter() {
        if writer >= 0 { close(writer) }
        writer = -1
    }

    /// Waits for the next line that contains a text; `nil` when the program has ended before.
    func next(containing text: String) throws -> String? {
        while true {
            while let end = bytes.firstIndex(of: 10) {
                let line = String(decoding: bytes[..<end], as: UTF8.self)
                bytes.removeFirst(end + 1)
                if line.contains(text) { return line }
            }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = try systemCall("read") { read(reader, &buffer, buffer.count) }
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
        }
    }
}
