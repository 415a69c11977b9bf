package import FerrySystem
import FoundationEssentials
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

    /// Whether the process has loaded a library, by the beginning of its file's name.
    ///
    /// - Throws: `SystemCallError` when there is no such process.
    package func hasLoaded(_ library: String) throws -> Bool {
        try Self.hasLoaded(library, process: identifier)
    }

    /// Whether a process that need not be a child of this one has loaded a library.
    ///
    /// - Throws: `SystemCallError` when there is no such process.
    package static func hasLoaded(_ library: String, process: Int32) throws -> Bool {
        let path = "/proc/\(process)/maps"
        let file = FileDescriptor(
            owning: try systemCall("open", path) { open(path, O_RDONLY | O_CLOEXEC) }
        )
        // The kernel gives a page at a time; Foundation would take the first one for all.
        var bytes: [UInt8] = []
        var page = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(file.rawValue, &page, page.count), count > 0 {
            bytes += page[..<count]
        }
        return String(decoding: bytes, as: UTF8.self).contains("/\(library)")
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

/// How much memory a process has in use, in bytes.
package struct ProcessMemory: Sendable {
    /// What is in use now.
    package let present: Int
    /// The most that ever was.
    package let peak: Int

    /// Asks the kernel about a process that is running.
    ///
    /// - Throws: `CocoaError` when there is no such process.
    package init(of process: Int32) throws {
        // Pages, and lines of proc(5), are read as text of "Name:   123 kB".
        let data = try Data(contentsOf: URL(filePath: "/proc/\(process)/status"))
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
        func bytes(_ name: String) throws -> Int {
            guard let line = lines.first(where: { $0.hasPrefix(name) }),
                let kibibytes = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
            else { throw CocoaError(.fileReadCorruptFile) }
            return kibibytes << 10
        }
        present = try bytes("VmRSS:")
        peak = try bytes("VmHWM:")
    }
}

/// A line of `/proc/PID/status` about signals, such as `SigIgn:	0000000000001000`.
package struct SignalMask {
    /// The signals in it, but for those that only the C library uses.
    package let signals: [Int]

    /// Reads a line.
    ///
    /// - Parameter line: The line, with the set in hexadecimal digits at its end.
    package init?(_ line: some StringProtocol) {
        guard let digits = line.split(separator: "\t").last, let bits = UInt64(digits, radix: 16)
        else { return nil }
        // Signals 32 and 33 cancel threads; sigaction(2) of the C library does not let anybody
        // change them, and `swift test` starts its processes with one of them ignored.
        signals = (1...64).filter { ![32, 33].contains($0) && bits >> ($0 - 1) & 1 == 1 }
    }
}
