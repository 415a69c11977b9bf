import FerrySystem
import FerryTestSupport
import FoundationEssentials
import Glibc
import Testing

/// A ferryd that is not there, does not answer, or would not serve.
@Suite(.timeLimit(.minutes(1))) struct AbsentDaemonTests {
    private let home: TestHome

    init() throws { home = try TestHome() }

    @Test func `USE-7: an app without ferryd is told what to do, on standard error once`()
        async throws
    {
        // Elsewhere there is no ferryd beside it.
        let elsewhere = home.path + "/elsewhere"
        _ = try Directory(opening: elsewhere, creatingPrivate: true)
        let app = elsewhere + "/lonely-app"
        try FileManager.default.copyItem(
            atPath: TestHome.executable("ferry-test-app"),
            toPath: app
        )
        let events = try await EventPipe(in: home)
        let path = home.path + "/errors"
        let errors = try systemCall("open", path) {
            open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        }
        defer { close(errors) }
        var environment = home.environment
        environment["FERRY_DAEMON"] = nil
        let process = try await TestProcess(
            app,
            [
                "--events", events.path, "--directory", home.files, "--url",
                "http://127.0.0.1:1/a", "--url", "http://127.0.0.1:1/b",
            ],
            environment: environment,
            error: errors
        )
        #expect(await events.next("completed").hasSuffix(" -997"))
        #expect(await events.next("completed").hasSuffix(" -997"))
        await process.killed()
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").filter
        { $0.contains("ferryd") }
        #expect(lines.count == 1, "\(lines)")
        #expect(lines.first?.contains("ferryd was not found; looked for ") == true)
        #expect(lines.first?.contains("\(home.path)/.local/bin/ferryd") == true)
    }

    @Test func `REL-10: ferry says that ferryd is stopped, and does not wait for ever`()
        async throws
    {
        #expect(try await home.ferry("list").exit == .exited(status: 0))
        let daemon = try #require(home.daemons.first)
        kill(daemon, SIGSTOP)
        let list = try await home.ferry("list")
        kill(daemon, SIGCONT)
        #expect(list.exit == .exited(status: 4))
        #expect(list.error.contains("process \(daemon), is stopped"), "\(list.error)")
        #expect(list.error.contains("kill -CONT \(daemon)"))
        #expect(try await home.ferry("list").exit == .exited(status: 0))
    }

    @Test(arguments: ["status", "stop"])
    func `REL-10: ferry says that ferryd does not answer, and gives up what is about it alone`(
        command: String
    ) async throws {
        _ = try Directory(opening: home.state, creatingPrivate: true)
        let directory = try Directory(opening: home.state + "/run", creatingPrivate: true)
        // Nobody ever takes what comes in.
        let listener = try UnixSocket.listen("io.ferry.Transfer", in: directory)
        let run = try await home.ferry("daemon", command)
        #expect(run.exit == .exited(status: 4))
        #expect(
            run.error == """
                ferry: ferryd has not answered for 5 seconds; still waiting
                ferry: ferryd has not answered for 10 seconds

                """
        )
        try listener.close()
    }

    @Test func `REL-10: a directory that ferryd would refuse gets nothing put into it`()
        async throws
    {
        _ = try Directory(opening: home.state, creatingPrivate: true)
        chmod(home.state, 0o755)
        let list = try await home.ferry("list")
        #expect(list.exit == .exited(status: 4))
        #expect(list.error.contains("chmod 700 \(home.state)"), "\(list.error)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.state) == [])
    }

    @Test func `REL-10: a path that is too long is told as such`() async throws {
        let part = String(repeating: "a", count: 200)
        let long = home.path + "/" + [part, part, part, part].joined(separator: "/")
        for program in ["ferry", "ferryd"] {
            let run = try await TestProcess.run(
                TestHome.executable(program),
                program == "ferry" ? ["list"] : ["--foreground"],
                environment: home.environment.merging(["XDG_STATE_HOME": long]) { $1 }
            )
            #expect(run.exit != .exited(status: 0))
            #expect(run.error.contains("set XDG_STATE_HOME to a shorter one"), "\(run.error)")
        }
        #expect(!FileManager.default.fileExists(atPath: home.path + "/" + part))
    }
}

/// A real ferryd whose server is not there yet.
@Suite(.serialized, .timeLimit(.minutes(1))) struct AbsentServerTests {
    @Test(arguments: ["no", "yes"])
    func `BG-15: a server that is not there is waited for, and the app is not told`(
        waitsForConnectivity: String
    ) async throws {
        let home = try TestHome()
        let events = try await EventPipe(in: home)
        let port = try FixtureClosedPort()
        let app = try await TestProcess(
            TestHome.executable("ferry-test-app"),
            [
                "--events", events.path, "--directory", home.files, "--url", port.url("/song"),
                "--waits-for-connectivity", waitsForConnectivity,
            ],
            environment: home.environment
        )
        _ = await events.next("ready")
        try await waitForRefusal(in: home)
        let server = try FixtureServer(at: port)
        server.on("/song", .file(FixtureFile(.seeded(1, byteCount: 1000))))
        #expect(await events.next("completed") == "completed 1 ok")
        #expect(!events.lines.contains { $0.hasPrefix("waits-for-connectivity") })
        await app.killed()
    }

    /// Returns when the task waits because its server has refused a connection.
    private func waitForRefusal(in home: TestHome) async throws {
        let lines = try await EventPipe(in: home, named: "watch")
        let writer = try lines.writer()
        let watch = try await TestProcess(
            TestHome.executable("ferry"),
            ["watch", "--json", "1"],
            environment: home.environment,
            output: writer.rawValue
        )
        _ = await lines.next { $0.contains("backoff") }
        await watch.killed()
    }
}
