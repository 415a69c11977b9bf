import FerrySystem
import Glibc

/// The answers that the monitor has given: printed by the event loop, counted off by the main thread.
final class Changes: Sendable {
    private let reader: Int32
    private let writer: Int32

    init() {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { exit(1) }
        (reader, writer) = (ends[0], ends[1])
    }

    /// Prints an answer and lets the main thread go on.
    func notify(_ connectivity: Connectivity) {
        let line = "\(connectivity)\n"
        write(STDOUT_FILENO, line, line.utf8.count)
        write(writer, line, 1)
    }

    /// Waits for the next answer.
    func wait() {
        var byte: UInt8 = 0
        guard read(reader, &byte, 1) == 1 else { exit(1) }
    }
}
