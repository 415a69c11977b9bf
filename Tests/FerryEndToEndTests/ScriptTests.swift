import FerrySystem
import FerryTestSupport
import Foundation
import Glibc
import Testing

/// What `make` and the scripts behind it say to who tries Ferry.
@Suite(.timeLimit(.minutes(1))) struct ScriptTests {
    private static let root = (0..<3).reduce(URL(filePath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
    }

    private let environment = [
        "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/nonexistent", "LANG": "C.UTF-8",
    ]

    @Test(arguments: ["half-tunes", "background-transfer", "cancel-and-resume"])
    func `USE-9: that there is no screen is said before anything is built`(app: String) async throws
    {
        let path = Self.root.path
        let plan = try await run("/usr/bin/make", "-C", path, "--dry-run", app)
        let lines = plan.output.split(separator: "\n").filter { !$0.hasPrefix("make") }
        #expect(lines.first == "scripts/trial \(app) --check", "\(plan)")
        #expect(lines.last?.contains("scripts/trial \(app)") == true)
        let check = try await run("\(path)/scripts/trial", app, "--check")
        #expect(check.exit == .exited(status: 1))
        #expect(check.error.hasPrefix("\(app): there is no screen here."), "\(check.error)")
    }

    @Test func `USE-9: Ctrl-C is left to the script that the catalog is for`() async throws {
        let home = try TestHome()
        let output = try await EventPipe(in: home)
        let error = try await EventPipe(in: home, named: "errors")
        let input = "\(home.path)/input"
        try systemCall("mkfifo", input) { mkfifo(input, 0o600) }
        let ends = FileDescriptor(
            owning: try systemCall("open", input) { open(input, O_RDWR | O_CLOEXEC) }
        )
        let reader = FileDescriptor(
            owning: try systemCall("open", input) { open(input, O_RDONLY | O_CLOEXEC) }
        )
        let writer = try output.writer()
        let errorWriter = try error.writer()
        let catalog = try await TestProcess(
            "/usr/bin/python3",
            ["\(Self.root.path)/Examples/HalfTunes/trial/catalog.py"],
            environment: environment,
            output: writer.rawValue,
            error: errorWriter.rawValue,
            others: [0: reader.rawValue]
        )
        let address = await output.next("http://127.0.0.1:")
        catalog.signal(SIGINT)
        // It answers all the same, and ends with its input.
        let answer = try await run("/usr/bin/curl", "--silent", "\(address)/search?term=blue")
        #expect(answer.exit == .exited(status: 0))
        try ends.close()
        try reader.close()
        #expect(await catalog.ended() == .exited(status: 0))
        #expect(error.lines == [])
    }

    private func run(
        _ words: String...
    ) async throws -> (exit: ProcessExit, output: String, error: String) {
        try await TestProcess.run(words[0], Array(words.dropFirst()), environment: environment)
    }
}
