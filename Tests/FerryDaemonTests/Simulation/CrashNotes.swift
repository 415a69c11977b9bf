@preconcurrency import Glibc

/// Says which histories were under way when a trap ends the process, which reports nothing else.
enum CrashNotes {
    private static let lineLength = 64
    private static let lineCount = 8
    private static let signals = [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT]
    // The handler only writes what lies ready: in a crash nothing else can be relied upon.
    nonisolated(unsafe) private static let lines = UnsafeMutableBufferPointer<UInt8>.allocate(
        capacity: lineLength * lineCount
    )
    nonisolated(unsafe) private static let earlier = UnsafeMutableBufferPointer<sigaction>.allocate(
        capacity: 65
    )

    /// Has the notes written when the process crashes, ahead of what a crash does anyway.
    static let install: Void = {
        lines.initialize(repeating: UInt8(ascii: "\n"))
        earlier.initialize(repeating: sigaction())
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { number in
            _ = write(STDERR_FILENO, CrashNotes.lines.baseAddress, CrashNotes.lines.count)
            // The instruction is executed again and ends in what was there before.
            sigaction(number, &CrashNotes.earlier[Int(number)], nil)
        }
        for number in signals { sigaction(number, &action, &earlier[Int(number)]) }
    }()

    /// Notes what a worker goes through from now on.
    static func note(_ seed: UInt64, worker: Int) {
        let text = "Again with: make simulate SEED=\(seed)"
        let line = lines.extracting(worker * lineLength..<(worker + 1) * lineLength)
        let blanks = repeatElement(UInt8(ascii: " "), count: lineLength - text.utf8.count - 1)
        _ = line.update(fromContentsOf: Array(text.utf8) + blanks + [UInt8(ascii: "\n")])
    }
}
