import FerrySystem
import Glibc

/// A system bus of a test's own, with a systemd-logind that grants inhibitors and announces what it is told.
package final class FakeLogind: Sendable {
    /// `inhibit WHAT WHO MODE WHY` for each inhibitor that was taken, `released`, for another mode than `delay` followed
    /// by that, for each that was closed; `left`, `returned` and `restarted` when it has done what it was told.
    package let events: EventPipe
    /// What `DBUS_SYSTEM_BUS_ADDRESS` is to be.
    package let address: String
    private let process: TestProcess
    private let commands: FileDescriptor

    /// Starts it; it ends with its home.
    ///
    /// - Parameters:
    ///   - home: The test's home.
    ///   - longestDelay: By how many seconds an inhibitor delays what is announced.
    /// - Throws: `SystemCallError`, or ``TestServerError`` when it does not start.
    package init(in home: TestHome, longestDelay: Int = 5) async throws {
        events = try await EventPipe(in: home, named: "logind")
        let output = try events.writer()
        let error = try events.writer()
        var ends: [Int32] = [-1, -1]
        try systemCall("pipe") { pipe(&ends) }
        let input = FileDescriptor(owning: ends[0])
        commands = FileDescriptor(owning: ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        process = try await TestProcess(
            // Debian's own, for which its packages are.
            "/usr/bin/python3",
            [
                TestPython.file("Servers/FakeLogind/logind.py"), "\(home.path)/system-bus",
                "\(longestDelay)",
            ],
            environment: home.environment,
            output: output.rawValue,
            error: error.rawValue,
            others: [0: input.rawValue],
            endsWithTests: true
        )
        _ = consume output
        _ = consume error
        _ = consume input
        let end = "logind.py has ended"
        Task { [process, events] in
            _ = await process.ended()
            events.write(end)
        }
        let line = await events.next { $0.hasPrefix("address ") || $0 == end }
        guard line != end else {
            throw TestServerError(
                program: "logind.py",
                output: events.lines.joined(separator: "\n")
            )
        }
        address = String(line.dropFirst("address ".count))
    }

    /// Emits a signal of the manager's.
    package func emit(_ signal: String, _ start: Bool) { command("\(signal) \(start)") }

    /// Has it refuse inhibitors of a mode from now on.
    package func refuse(_ mode: String) async {
        command("refuse \(mode)")
        _ = await events.next("refuses")
    }

    /// Has it leave the bus.
    package func leave() { command("logind leave") }

    /// Has it come back, without what it has granted and announced.
    package func comeBack() { command("logind return") }

    /// Has the bus end and start again, with a new logind.
    package func restartBus() { command("bus restart") }

    private func command(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        try? bytes.withUnsafeBytes { try commands.writeAll($0) }
    }

    /// Ends the bus and the logind.
    package func stop() async { await process.killed() }
}
