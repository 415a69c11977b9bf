import FerrySystem
import FerryTestSupport
import FerryWire
import FoundationEssentials
import Glibc
import Testing

/// The `ferry` command as people use it: with a real ferryd, a real nginx and real signals.
@Suite(.serialized, .timeLimit(.minutes(1))) struct CommandEndToEndTests {
    private static let size = 4 << 20
    private static let rate = 2 << 20

    private let home: TestHome
    private let nginx: Nginx

    init() async throws {
        home = try TestHome()
        nginx = try await Nginx(in: home, bytesPerSecond: Self.rate)
    }

    @Test func `an interrupted get goes on, and a ferry that ferryd starts places its file`()
        async throws
    {
        let data = try nginx.addFile("song.bin", byteCount: Self.size)
        let error = try await EventPipe(in: home)
        let get = try await begin("song.bin", error)
        get.signal(SIGINT)
        let exit = await get.ended()
        #expect(exit == .exited(status: 130))
        let hint = await error.next("The transfer goes on")
        #expect(hint.hasSuffix("come back with: ferry watch 1"))
        let watch = try await home.ferry("watch", "1")
        #expect(watch.exit == .exited(status: 0), "\(watch.error)")
        #expect(try Data(contentsOf: URL(filePath: "\(home.files)/song.bin")) == data)
    }

    @Test func `the command and ferryd tell the same version, and the same interface`() async throws
    {
        let command = try await home.ferry("--version").output
        let daemon = try await TestProcess.run(
            TestHome.executable("ferryd"),
            ["--version"],
            environment: home.environment
        ).output
        #expect(command == "ferry \(FerryVersion.current) (io.ferry.Transfer \(Wire.version))\n")
        #expect(daemon == command.replacing("ferry ", with: "ferryd ", maxReplacements: 1))
    }

    @Test func `a get that is killed leaves its transfer to ferryd all the same`() async throws {
        let data = try nginx.addFile("song.bin", byteCount: Self.size)
        let error = try await EventPipe(in: home)
        let get = try await begin("song.bin", error)
        await get.killed()
        let watch = try await home.ferry("watch", "1")
        #expect(watch.exit == .exited(status: 0), "\(watch.error)")
        #expect(try Data(contentsOf: URL(filePath: "\(home.files)/song.bin")) == data)
    }

    @Test func `USE-2: a file is placed when it is complete, however long another one takes`()
        async throws
    {
        let server = try FixtureServer()
        // What ends while the command is still there is placed by it.
        let (firstGate, gate) = (FixtureGate(), FixtureGate())
        server.on("/hung", .content(.text("late")).waiting(at: gate))
        server.on("/good", .content(.text("good")).waiting(at: firstGate))
        let urls = [server.url("/hung"), server.url("/good")]
        let get = try await home.ferry("get", "--detach", "-d", home.files, urls[0], urls[1])
        #expect(get.exit == .exited(status: 0), "\(get.error)")
        let (log, follower) = try await home.followLog()
        firstGate.open()
        _ = await log.next { $0.contains("ferry has ended") }
        #expect(try names() == ["good"])
        gate.open()
        _ = await log.next { $0.contains("ferry has ended") }
        #expect(try names() == ["good", "hung"])
        await follower.killed()
        #expect(try await home.presentTransfers() == [])
    }

    @Test func `USE-3: a server that refuses connections is given up, and the lines say why`()
        async throws
    {
        let closed = try FixtureClosedPort()
        let url = closed.url("/no.bin")
        let get = try await home.ferry("get", "-d", home.files, url)
        #expect(get.exit == .exited(status: 6))
        let lines = get.error.split(separator: "\n")
        #expect(lines.contains { $0.contains("no.bin: retry at ") && $0.contains("connect") })
        #expect(lines.last?.contains("no.bin: failed: ") == true, "\(get.error)")
    }

    @Test(arguments: [[], ["--detach"]])
    func `USE-3: a server that is not available for now is asked again`(
        options: [String]
    ) async throws {
        let server = try FixtureServer()
        let busy = [408, 429, 500, 502, 504].map { FixtureAnswer.status($0) }
        server.on("/busy", busy + [.retryLater(after: "soon"), .content(.text("there"))])
        let get = try await home.ferry(["get", "-d", home.files, server.url("/busy")] + options)
        #expect(get.exit == .exited(status: 0), "\(get.error)")
        _ = try await home.ferry("watch", "1")
        #expect(server.requests(to: "/busy").count == 7)
        #expect(try await home.presentTransfers() == [])
        #expect(try names() == ["busy"])
    }

    @Test(arguments: [(503, [], 11), (503, ["--retries", "13"], 13), (404, [], 1), (501, [], 1)])
    func `USE-3: a server is asked as often as the help says`(
        status: Int,
        options: [String],
        count: Int
    ) async throws {
        let home = try TestHome(daemonArguments: ["--retry-delay", "0.001"])
        let server = try FixtureServer()
        server.on("/bad", .status(status))
        let get = try await home.ferry(["get", "-d", home.files, server.url("/bad")] + options)
        #expect(get.exit == .exited(status: 8))
        #expect(get.error.contains("bad: failed: the server answered \(status)"), "\(get.error)")
        #expect(server.requests(to: "/bad").count == count)
    }

    @Test func `USE-3: a file that is given up says by which option`() async throws {
        let server = try FixtureServer()
        server.on("/hung", .content(.text("late")).waiting(at: FixtureGate()))
        let url = server.url("/hung")
        let get = try await home.ferry("get", "--give-up-after", "1s", "-d", home.files, url)
        #expect(get.exit == .exited(status: 6))
        #expect(get.error.contains("longer than --give-up-after allows"), "\(get.error)")
        #expect(!get.error.contains("session"))
    }

    @Test func `a tilde in quotes is a directory`() async throws {
        let server = try FixtureServer()
        server.on("/a", .content(.text("a")))
        let get = try await sh(#"cd "$HOME/files" && exec "$0" get -d '~' "$1""#, server.url("/a"))
        #expect(get.exit == .exited(status: 0), "\(get.error)")
        #expect(get.output == "\(home.files)/~/a\n")
        #expect(try names() == ["~"])
    }

    @Test(arguments: [
        #"mkdir "$NAME"; cd "$NAME"; exec "$0" get "$1""#, #"exec "$0" get -d "$NAME" "$1""#,
        #"exec "$0" get -o "$NAME" "$1""#,
    ])
    func `a place that is not named in UTF-8 is refused, and nothing is saved elsewhere`(
        words: String
    ) async throws {
        let script = #"cd "$HOME/files"; NAME=$(printf 'n\377'); "# + words
        let get = try await sh(script, "http://127.0.0.1:1/a")
        #expect(get.exit == .exited(status: 2))
        #expect(get.error.contains(#"n\xff' "#), "\(get.error)")
        #expect(home.daemons == [])
        let entries = try Directory(opening: home.files).names()
        #expect(entries.count == (words.hasPrefix("mkdir") ? 1 : 0))
    }

    @Test func `a file that cannot be written is told, and the exit status says so`() async throws {
        let config = try await sh(#"exec "$0" config > /dev/full"#)
        #expect(config.exit == .exited(status: 1))
        #expect(
            config.error == "ferry: cannot write to standard output: No space left on device\n"
        )
    }

    @Test func `USE-5: a finished file that can be saved nowhere is in the log of files`()
        async throws
    {
        let server = try FixtureServer()
        let gate = FixtureGate()
        server.on("/song", .content(.text("la")).waiting(at: gate))
        let music = home.files + "/music"
        let get = try await home.ferry("get", "--detach", "-d", music, server.url("/song"))
        #expect(get.exit == .exited(status: 0), "\(get.error)")
        // Neither the destination nor the place of files without one is a directory.
        try FileManager.default.removeItem(atPath: music)
        for path in [music, home.path + "/.local/share"] {
            try Data().write(to: URL(filePath: path))
        }
        let (log, follower) = try await home.followLog()
        gate.open()
        _ = await log.next { $0.contains("ferry has ended") }
        await follower.killed()
        let files = try await home.ferry("log", "--files")
        #expect(files.output.contains("Not a directory"), "\(files)")
        #expect(files.output.contains("ferryd keeps the file and tries again"), "\(files)")
    }

    /// Runs a line of shell in which `$0` is the command.
    private func sh(
        _ script: String,
        _ arguments: String...
    ) async throws -> (exit: ProcessExit, output: String, error: String) {
        try await TestProcess.run(
            "/bin/sh",
            ["-c", script, TestHome.executable("ferry")] + arguments,
            environment: home.environment
        )
    }

    @Test func `USE-5: the log says what each transfer was, and what people did to it`()
        async throws
    {
        let server = try FixtureServer()
        let paths = ["/hung", "/second", "/third"]
        for path in paths {
            server.on(path, .content(.text("late")).waiting(at: FixtureGate()))
        }
        // The others keep the application when the first one is cancelled.
        let urls = paths.map { "\(server.url($0))?token=secret" }
        let get = try await home.ferry(
            "get",
            "--detach",
            "-d",
            home.files,
            urls[0],
            urls[1],
            urls[2]
        )
        #expect(get.exit == .exited(status: 0), "\(get.error)")
        for words in [
            ["pause", "1"], ["resume", "1"], ["priority", "1.0", "1"], ["limit", "500k", "1"],
            ["limit", "--upload", "1M", "2M"],
            ["relink", "\(server.url("/hung"))?sign=secret", "1"],
            ["cancel", "1"], ["pause", "99"], ["quit", "ferry"],
        ] {
            _ = try await home.ferry(words)
        }
        let log = try await home.ferry("log").output.split(separator: "\n")
        let deeds = log.filter { $0.contains(" process ") }
            .compactMap { line in line.firstRange(of: " has ").map { line[$0.upperBound...] } }
        #expect(
            deeds == [
                "paused it", "resumed it", "given it priority 1.0",
                "limited it: 500000 bytes/s in, as many bytes as can out",
                "limited all transfers: 2000000 bytes/s in, 1000000 bytes/s out",
                "relinked it to \(server.url("/hung"))", "cancelled it",
                "quit ferry: 2 transfers cancelled",
            ]
        )
        #expect(
            log.contains {
                $0.contains("task 1: GET \(server.url("/hung")) of ferry, session get-")
            }
        )
        #expect(!log.contains { $0.contains("secret") })
        let nothing = try await home.ferry("log", "99")
        #expect(nothing.exit == .exited(status: 1))
        #expect(nothing.error == "ferry: the log has nothing about transfer 99\n")
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: home.files).sorted()
    }

    @Test func `an error page is not placed, and the exit status says so`() async throws {
        let get = try await home.ferry("get", "--directory", home.files, nginx.url("nothing.bin"))
        #expect(get.exit == .exited(status: 8))
        #expect(get.error.contains("404"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.files) == [])
    }

    @Test(.enabled(if: TLSServer.program != nil, "openssl is missing"))
    func `a server is trusted when the environment names its authority, and not otherwise`()
        async throws
    {
        let server = try await TLSServer.start(.good)
        let refused = try await home.ferry("get", "--output", "\(home.files)/page", server.url)
        #expect(refused.exit == .exited(status: 7))
        #expect(refused.error.contains("certificate"))
        let trusting = try TestHome(variables: ["SSL_CERT_FILE": server.authorityFile])
        let page = "\(trusting.files)/page"
        let trusted = try await trusting.ferry("get", "--output", page, server.url)
        #expect(trusted.exit == .exited(status: 0), "\(trusted.error)")
        #expect(try String(contentsOfFile: page, encoding: .utf8).contains("s_server"))
    }

    /// Starts `ferry get` and waits until it says that ferryd is at it.
    private func begin(_ name: String, _ error: EventPipe) async throws -> TestProcess {
        let pipe = try systemCall("open", error.path) { open(error.path, O_WRONLY | O_CLOEXEC) }
        defer { close(pipe) }
        let get = try await TestProcess(
            TestHome.executable("ferry"),
            ["get", "--directory", home.files, nginx.url(name)],
            environment: home.environment,
            error: pipe
        )
        _ = await error.next("ferry: ")
        return get
    }
}
