import FerrySystem
import FerryTestSupport
import FoundationEssentials
import Glibc
import Testing

/// A ferryd that may have few descriptors.
@Suite(.serialized, .timeLimit(.minutes(2))) struct DescriptorLimitTests {
    private let home: TestHome
    private let server: FixtureServer
    private let events: EventPipe

    init() async throws {
        home = try TestHome()
        server = try FixtureServer()
        events = try await EventPipe(in: home)
        server.on("/in", .content(.text("thanks")))
    }

    /// Lets programs start ferryd with so many descriptors.
    private func limit(to count: Int) throws {
        let path = "\(home.path)/limited"
        let ferryd = TestHome.executable("ferryd")
        let script = "#!/bin/sh\nulimit -n \(count)\nexec '\(ferryd)' \"$@\"\n"
        try Data(script.utf8).write(to: URL(filePath: path))
        chmod(path, 0o700)
        try home.useDaemon(path)
    }

    private func upload(_ count: Int) async throws -> TestProcess {
        let file = home.files + "/source"
        try Data("hello".utf8).write(to: URL(filePath: file))
        return try await TestProcess(
            TestHome.executable("ferry-test-app"),
            [
                "--events", events.path, "--directory", home.files,
                "--upload", "\(server.url("/in")) \(file)", "--upload-count", "\(count)",
            ],
            environment: home.environment
        )
    }

    private func expectEnds(_ count: Int) async {
        var ends: Set<String> = []
        while ends.count < count { ends.insert(await events.next("completed")) }
        #expect(ends.filter { !$0.hasSuffix(" ok") }.sorted() == [])
        #expect(server.requests.count >= count)
    }

    @Test(arguments: [(64, 150), (256, 300)])
    func `REL-14: uploads in a loop all arrive, with few descriptors`(
        limit: Int,
        count: Int
    ) async throws {
        try self.limit(to: limit)
        let app = try await upload(count)
        await expectEnds(count)
        let log = try await home.ferry("log", "--lines", "100000")
        #expect(log.output.contains("\(limit) file descriptors are enough for"), "\(log.output)")
        await app.killed()
    }

    @Test func `REL-14: programs with many connections do not starve another`() async throws {
        try limit(to: 256)
        _ = try await home.ferry("list")
        let script = """
            import os, socket, sys
            kept = []
            for _ in range(128):
                try:
                    s = socket.socket(socket.AF_UNIX)
                    s.connect(sys.argv[1])
                    kept.append(s)
                except OSError:
                    pass
            print("ready", flush=True)
            sys.stdin.read()
            """
        let socket = "\(home.path)/run/ferry/io.ferry.Transfer"
        var greedy: [TestProcess] = []
        for number in 1...14 {
            let path = "\(home.path)/greedy\(number)"
            greedy.append(
                try await TestProcess(
                    "/bin/sh",
                    [
                        "-c", "mkfifo \"$0\"; exec 3<>\"$0\"; exec python3 -c \"$1\" \"$2\" <&3",
                        path,
                        script, socket,
                    ],
                    environment: home.environment
                )
            )
        }
        let app = try await upload(30)
        await expectEnds(30)
        for process in greedy { await process.killed() }
        await app.killed()
    }

    @Test func `REL-14: too few descriptors for a transfer are said at once`() async throws {
        try limit(to: 26)
        let list = try await home.ferry("list")
        #expect(list.exit == .exited(status: 4))
        #expect(list.error.contains("needs 48 file descriptors"), "\(list.error)")
        #expect(list.error.contains("may have 26"), "\(list.error)")
    }
}
