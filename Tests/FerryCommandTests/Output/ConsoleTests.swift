import FerryTestSupport
import Foundation
import Testing

@testable import FerryCommand

/// Output that cannot be written.
@Suite(.timeLimit(.minutes(1))) struct ConsoleTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Runs a command line with standard output at a descriptor; returns what it told and its exit code.
    private func run(_ line: String, output: Int32) async throws -> (error: String, code: ExitCode)
    {
        let path = "\(directory.path)/error"
        let error = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        try #require(error >= 0)
        defer { close(error) }
        let context = Context(
            console: .live(output: output, error: error),
            daemon: try PlayedDaemon.sample().daemon,
            now: { Date(timeIntervalSince1970: 1_790_000_060) },
            instant: { .zero },
            interrupts: { AsyncStream { $0.finish() } },
            environment: [:]
        )
        let code = await Program.run(line.split(separator: " ").map(String.init), in: context)
        return (try directory.text(of: "error"), code)
    }

    @Test(arguments: ["list --json", "why 1", "--version", "get --help"])
    func `output for which there is no room is told once, and the exit code says so`(
        line: String
    ) async throws {
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        defer { close(full) }
        let (error, code) = try await run(line, output: full)
        #expect(error == "ferry: cannot write to standard output: No space left on device\n")
        #expect(code == .failure)
    }

    @Test(arguments: ["list", "list --json"])
    func `who stops reading is no failure`(line: String) async throws {
        let pipe = try FullPipe()
        pipe.closeReader()
        let (error, code) = try await run(line, output: pipe.writer)
        #expect(error == "")
        #expect(code == .success)
    }

    @Test func `a reader that is slow gets everything, whoever has set that writes do not wait`()
        async throws
    {
        let pipe = try FullPipe()
        pipe.setNonBlocking(true)
        async let text = pipe.text(until: "\n")
        let (error, code) = try await run("--version", output: pipe.writer)
        #expect(try await text.hasPrefix("ferry "))
        #expect(error == "")
        #expect(code == .success)
    }
}
