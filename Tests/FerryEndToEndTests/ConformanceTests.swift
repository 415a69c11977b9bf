import FerrySystem
import FerryTestSupport
import FoundationEssentials
import Glibc
import Testing

/// A foreign client, python's varlink from PyPI, against a real ferryd.
@Suite(.serialized, .timeLimit(.minutes(1))) struct ConformanceTests {
    private let home: TestHome
    private let nginx: Nginx

    init() async throws {
        home = try TestHome()
        nginx = try await Nginx(in: home)
        _ = try await home.ferry("list")
    }

    @Test func `python adds a download, follows it to its end, and finds it gone`() async throws {
        // It ends when there is nothing more to be told at first, and not before.
        let server = try FixtureServer()
        let gate = FixtureGate()
        let file = FixtureFile(.seeded(7, byteCount: 3_000_000))
        server.on("/song.bin", .file(file).stalling(after: 1_000_000, at: gate))
        let output = try await EventPipe(in: home, named: "output")
        let writer = try output.writer()
        let follower = try await TestProcess(
            interpreter,
            arguments("add", ["py-app", "one", server.url("/song.bin"), "--follow"]),
            environment: home.environment,
            output: writer.rawValue
        )
        _ = await output.next { kind(of: $0) == "drained" }
        gate.open()
        #expect(await follower.ended() == .exited(status: 0))
        let kinds = output.lines.compactMap { kind(of: $0) }
        #expect(kinds.last == "completed")
        #expect(kinds.filter { $0 == "completed" }.count == 1)
        #expect(output.lines.last?.contains("\"path\": ") == true)
        #expect(output.lines.contains { $0.contains("\"receivedByteCount\": 3000000") })
        let list = try await python("list")
        #expect(list.output.contains("\"tasks\": []"))
        #expect(list.output.contains("\"io.ferry.Transfer\""))
    }

    @Test func `python watches a task of another client until it is completed`() async throws {
        try nginx.addFile("song.bin", byteCount: 3_000_000)
        let added = try await python("add", "py-app", "one", nginx.url("song.bin"))
        #expect(added.output.contains("\"id\": 1"))
        let watched = try await python("watch", "1")
        #expect(watched.exit == .exited(status: 0), "\(watched.error)")
        #expect(watched.output.contains("\"state\": \"completed\""))
        let list = try await python("list", "py-app")
        #expect(list.output.contains("\"description\": \"added by python\""))
    }

    @Test func `python is told of its mistakes by the errors of the interface`() async throws {
        let errors = try await python("errors")
        #expect(errors.exit == .exited(status: 0), "\(errors.error)")
        for name in ["InterfaceNotFound", "ExpectedMore", "TaskNotFound"] {
            #expect(errors.output.contains(name))
        }
    }

    // MARK: Parts

    private static let root = (0..<3).reduce(URL(filePath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
    }.path

    private let interpreter =
        ProcessEnvironment["FERRY_TEST_PYTHON"] ?? "\(Self.root)/.build/venv/bin/python"

    private func arguments(_ script: String, _ arguments: [String]) -> [String] {
        [
            "\(Self.root)/Tests/FerryWireTests/conformance/\(script).py",
            "\(home.path)/run/ferry/io.ferry.Transfer",
        ] + arguments
    }

    private func python(
        _ script: String,
        _ arguments: String...
    ) async throws -> (exit: ProcessExit, output: String, error: String) {
        try await TestProcess.run(
            interpreter,
            self.arguments(script, arguments),
            environment: home.environment
        )
    }

    /// The kind of the event in a line, if there is one.
    private func kind(of line: String) -> String? {
        line.split(separator: "\"kind\": \"").dropFirst().first?.split(separator: "\"").first.map(
            String.init
        )
    }
}
