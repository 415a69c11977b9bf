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
        let data = try nginx.addFile("song.bin", byteCount: 3_000_000)
        let added = try await python("add", "py-app", "one", nginx.url("song.bin"), "--follow")
        #expect(added.exit == .exited(status: 0), "\(added.error)")
        let kinds = added.output.split(separator: "\n").compactMap { line in
            line.split(separator: "\"kind\": \"").dropFirst().first?.split(separator: "\"").first
        }.map(String.init)
        #expect(kinds.last == "completed")
        #expect(kinds.contains("drained"))
        #expect(kinds.filter { $0 == "finished" }.count == 1)
        #expect(added.output.contains("\"receivedByteCount\": \(data.count)"))
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

    private func python(
        _ script: String,
        _ arguments: String...
    ) async throws -> (exit: ProcessExit, output: String, error: String) {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path
        let interpreter =
            ProcessEnvironment["FERRY_TEST_PYTHON"] ?? "\(root)/.build/venv/bin/python"
        return try await TestProcess.run(
            interpreter,
            [
                "\(root)/Tests/FerryWireTests/conformance/\(script).py",
                "\(home.path)/run/ferry/io.ferry.Transfer",
            ] + arguments,
            environment: home.environment
        )
    }
}
