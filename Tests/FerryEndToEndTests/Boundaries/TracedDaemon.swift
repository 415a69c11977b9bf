import FerrySystem
import FerryTestSupport
import Foundation

/// A ferryd whose system calls are counted, and to which something can happen at one of them.
final class TracedDaemon: Sendable {
    /// The file with the calls, complete when the tracer has written that ferryd has ended.
    let callsPath: String
    private let process: TestProcess
    private let complaint = AsyncValue<String>()

    /// Starts it.
    ///
    /// - Parameters:
    ///   - home: Whose ferryd it is.
    ///   - events: Where the tracer tells how it goes.
    ///   - target: What is to happen, if anything.
    /// - Throws: `SystemCallError` when the tracer cannot be started.
    init(in home: TestHome, events: EventPipe, target: BoundaryTarget?) async throws {
        callsPath = home.path + "/calls"
        var environment = home.environment
        environment["FERRY_READY_FD"] = "3"
        var ends: [Int32] = [0, 0]
        try systemCall("pipe") { pipe(&ends) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let reading = ends[0]
        let arguments =
            [callsPath, events.path, home.path] + (target?.arguments ?? [])
            + ["--", TestHome.executable("ferryd")] + BoundaryRun.daemonArguments
        process = try await TestProcess(
            TestHome.executable("system-call-tracer"),
            arguments,
            environment: environment,
            output: STDERR_FILENO,
            error: STDERR_FILENO,
            others: [3: ends[1]]
        )
        close(ends[1])
        Thread.detachNewThread { [complaint] in
            let handle = FileHandle(fileDescriptor: reading, closeOnDealloc: true)
            let text = (try? handle.readToEnd()) ?? Data()
            complaint.set(String(decoding: text, as: UTF8.self))
        }
    }

    /// What ferryd has complained of by the time that it serves, or has ended.
    func complaintOnceStarted() async -> String { await complaint.value }

    /// Waits for the end of the tracer, and of all that it follows.
    func ended() async -> ProcessExit { await process.ended() }
}

/// Keeps programs from starting another ferryd before the test has looked at what the last one left.
final class StartGate: Sendable {
    private let descriptor: Int32

    /// Puts the gate before every start of ferryd in a home.
    init(in home: TestHome, daemonArguments: [String]) throws {
        let path = home.path + "/gate"
        try systemCall("mkfifo", path) { mkfifo(path, 0o600) }
        descriptor = try systemCall("open", path) { Foundation.open(path, O_RDWR | O_CLOEXEC) }
        let words = ([TestHome.executable("ferryd")] + daemonArguments).map { "'\($0)'" }
        let script = """
            #!/bin/sh
            read line <'\(path)'
            exec \(words.joined(separator: " ")) "$@"

            """
        try Data(script.utf8).write(to: URL(filePath: home.path + "/ferryd"))
        chmod(home.path + "/ferryd", 0o700)
    }

    deinit { close(descriptor) }

    /// Lets all pass from now on.
    func open() {
        // Each start takes one line, and there are never as many as this.
        let lines = [UInt8](repeating: 10, count: 1000)
        _ = write(descriptor, lines, lines.count)
    }
}
