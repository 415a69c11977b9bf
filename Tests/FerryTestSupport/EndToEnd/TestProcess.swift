package import FerrySystem
import Glibc

/// A program that a test has started.
package final class TestProcess: Sendable {
    /// The process.
    package let identifier: Int32
    private let exit: AsyncValue<ProcessExit>

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - executable: The absolute path.
    ///   - arguments: The arguments after the program's name.
    ///   - environment: All variables.
    ///   - output: Where standard output goes; `nil` for nowhere.
    ///   - error: Where standard error goes; `nil` for nowhere.
    ///   - others: Further descriptors, by the numbers they are to have.
    ///   - endsWithTests: Whether the kernel kills it when this process has ended, in any way.
    /// - Throws: `SystemCallError` that names the program.
    package init(
        _ executable: String,
        _ arguments: [String] = [],
        environment: [String: String],
        output: Int32? = nil,
        error: Int32? = nil,
        others: [Int32: Int32] = [:],
        endsWithTests: Bool = false
    ) async throws {
        // The kernel looks at the thread that has started a process: the loop's, which never ends.
        let words = endsWithTests ? ["/usr/bin/setpriv", "--pdeathsig", "KILL", "--"] : []
        let command = words + [executable] + arguments
        var launch = ProcessLaunch(
            executable: command[0],
            arguments: Array(command.dropFirst()),
            environment: environment,
            inNewSession: true
        )
        if let output { launch.descriptors[output] = 1 }
        if let error { launch.descriptors[error] = 2 }
        for (number, descriptor) in others { launch.descriptors[descriptor] = number }
        let exit = AsyncValue<ProcessExit>()
        self.exit = exit
        let prepared = launch
        identifier = try await Self.start(prepared, exit)
    }

    @LoopActor
    private static func start(
        _ launch: ProcessLaunch,
        _ exit: AsyncValue<ProcessExit>
    ) throws -> Int32 {
        try ChildProcess(launch) { exit.set($0) }.identifier
    }

    /// Sends a signal.
    package func signal(_ number: Int32) { kill(identifier, number) }

    /// Waits for the end.
    package func ended() async -> ProcessExit { await exit.value }

    /// Kills the process and waits for its end.
    package func killed() async {
        signal(SIGKILL)
        _ = await ended()
    }

    /// Runs a program to its end and returns what it wrote.
    ///
    /// Its standard input is empty unless it is among the other descriptors.
    package static func run(
        _ executable: String,
        _ arguments: [String] = [],
        environment: [String: String],
        others: [Int32: Int32] = [:]
    ) async throws -> (exit: ProcessExit, output: String, error: String) {
        let files = try (0..<2).map { _ in try TemporaryOutput() }
        let process = try await TestProcess(
            executable,
            arguments,
            environment: environment,
            output: files[0].descriptor,
            error: files[1].descriptor,
            others: others
        )
        let exit = await process.ended()
        return (exit, files[0].text(), files[1].text())
    }
}
