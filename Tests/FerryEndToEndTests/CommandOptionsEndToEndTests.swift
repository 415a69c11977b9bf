import FerrySystem
import FerryTestSupport
import Foundation
import Glibc
import Testing

/// Options of `ferry get` and `ferry put`, with a real ferryd.
@Suite(.serialized, .timeLimit(.minutes(2))) struct CommandOptionsEndToEndTests {
    private static let content = FixtureContent.seeded(9, byteCount: 3_000_000)

    private let home: TestHome
    private let server: FixtureServer

    init() throws {
        home = try TestHome(daemonArguments: ["--retry-delay", "0.02", "--relaunch-delay", "0.05"])
        server = try FixtureServer()
        server.on("/a.iso", .file(FixtureFile(Self.content)))
    }

    private func get(
        _ arguments: String...
    ) async throws -> (exit: ProcessExit, output: String, error: String) {
        try await TestProcess.run(
            TestHome.executable("ferry"),
            ["get", "-d", home.files] + arguments,
            environment: home.environment
        )
    }

    private func file(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: "\(home.files)/\(name)")))
    }

    // MARK: Connections

    @Test func `any certificate is accepted for one command alone, and each line says so`()
        async throws
    {
        let authority = try await TestAuthority(in: home)
        let gate = FixtureGate()
        server.on(
            "/slow.iso",
            .file(FixtureFile(Self.content)).stalling(after: 1_000_000, at: gate)
        )
        let relay = try await TLSRelay(in: home, authority: authority, to: server.port)
        let url = "https://127.0.0.1:\(relay.port)/"
        let refused = try await get("\(url)a.iso")
        #expect(refused.exit == .exited(status: 7))
        #expect(refused.error.contains("certificate"), "\(refused.error)")
        let started = try await get("--detach", "-k", "\(url)slow.iso")
        #expect(started.exit == .exited(status: 0), "\(started.error)")
        try await server.waitUntil { $0.requests(to: "/slow.iso").count == 1 }
        let list = try await home.ferry("list").output
        #expect(list.contains("slow.iso (insecure)"), "\(list)")
        #expect(try await home.ferry("why", "2").output.contains("Its server is not verified"))
        #expect(try await home.ferry("list", "--json").output.contains("\"insecure\":true"))
        // The connection that is open is for that command alone.
        #expect(try await get("\(url)a.iso").exit == .exited(status: 7))
        gate.open()
        let watch = try await home.ferry("watch", "2")
        #expect(watch.exit == .exited(status: 0), "\(watch.error)")
        #expect(Self.content.firstDifference(from: try file("slow.iso")) == nil)
    }

    @Test func `ferryd connects by the addresses and the interface that a command names`()
        async throws
    {
        let url = "http://files.invalid:\(server.port)/a.iso"
        let address = "files.invalid:\(server.port):127.0.0.1"
        let get = try await get(
            "--retries",
            "1",
            "-4",
            "--interface",
            "lo",
            "--resolve",
            address,
            url
        )
        #expect(get.exit == .exited(status: 0), "\(get.error)")
        #expect(Self.content.firstDifference(from: try file("a.iso")) == nil)
        for options in [["-6"], ["--interface", "absent0"]] {
            let failed = try await TestProcess.run(
                TestHome.executable("ferry"),
                ["get", "-d", home.files, "--retries", "1", "--resolve", address] + options + [url],
                environment: home.environment
            )
            #expect(failed.exit == .exited(status: 6), "\(options): \(failed.error)")
        }
        #expect(server.requests.count == 1)
    }

    // MARK: Partial files

    /// A file of another program, how many of its bytes count, and the request that continues it.
    enum Begun: CaseIterable {
        case byCurl, byAria2, withOtherEnd, complete
    }

    @Test(arguments: Begun.allCases)
    func `what another program has loaded is continued, if it is the same`(
        begun: Begun
    ) async throws {
        let half = 1 << 20
        var bytes = Self.content.bytes(in: 0..<Int64(half))
        switch begun {
        case .byCurl: break
        case .byAria2:
            // The file has its full length, and zeros behind the first two pieces.
            bytes += [UInt8](repeating: 0, count: 3_000_000 - half)
            let control: [UInt8] =
                [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0] + [0, 0, 0, 0, 0, 0x2D, 0xC6, 0xC0]
                + [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 1, 0b1100_0000] + [0, 0, 0, 0]
            try Data(control).write(to: URL(filePath: "\(home.files)/a.iso.aria2"))
        case .withOtherEnd: bytes[half - 1] ^= 1
        case .complete: bytes = Self.content.bytes
        }
        try Data(bytes).write(to: URL(filePath: "\(home.files)/a.iso"))
        let get = try await get("-c", server.url("/a.iso"))
        #expect(get.exit == .exited(status: 0), "\(get.error)")
        #expect(Self.content.firstDifference(from: try file("a.iso")) == nil)
        let ranges = server.requests.compactMap { $0["Range"] }
        let held = begun == .complete ? 3_000_000 : half
        #expect(ranges.prefix(2) == ["bytes=0-0", "bytes=\(held - 65_536)-"], "\(ranges)")
        // Other bytes are found out, and the whole takes their place.
        #expect((server.requests.count > 2) == (begun == .withOtherEnd), "\(ranges)")
        let names = try FileManager.default.contentsOfDirectory(atPath: home.files).sorted()
        #expect(names == ["a.iso"] + (begun == .byAria2 ? ["a.iso.aria2"] : []))
    }

    @Test func `a file that is longer than the server's stays, and is told of`() async throws {
        let bytes = [UInt8](repeating: 7, count: 3_000_001)
        try Data(bytes).write(to: URL(filePath: "\(home.files)/a.iso"))
        let get = try await get("-c", server.url("/a.iso"))
        #expect(get.exit == .exited(status: 1))
        #expect(get.error.contains("it is longer than the server's file"), "\(get.error)")
        #expect(try file("a.iso") == bytes)
    }

    // MARK: Afterwards

    @Test func `a command runs after each file, also when nobody waits`() async throws {
        let events = try await EventPipe(in: home, named: "ended")
        server.on("/absent", .status(404))
        let line = "echo \"$FERRY_STATE $FERRY_FILE $FERRY_URL $PWD\" > '\(events.path)'"
        let get = try await get(
            "--detach",
            "--exec",
            line,
            server.url("/a.iso"),
            server.url("/absent")
        )
        #expect(get.exit == .exited(status: 0), "\(get.error)")
        let lines = [await events.next(), await events.next()].sorted()
        #expect(
            lines == [
                "failed  \(server.url("/absent")) \(home.files)",
                "saved \(home.files)/a.iso \(server.url("/a.iso")) \(home.files)",
            ]
        )
    }

    @Test func `the settings name a command for all transfers`() async throws {
        let events = try await EventPipe(in: home, named: "ended")
        _ = try Directory(opening: home.path + "/.config/ferry", creatingPrivate: true)
        try Data("[ferryd]\nexec-after=echo $FERRY_STATE > '\(events.path)'\n".utf8)
            .write(to: URL(filePath: home.path + "/.config/ferry/ferry.conf"))
        let get = try await get(server.url("/a.iso"))
        #expect(get.exit == .exited(status: 0), "\(get.error)")
        #expect(await events.next() == "saved")
    }

    @Test func `the history is as long as the settings say`() async throws {
        _ = try Directory(opening: home.path + "/.config/ferry", creatingPrivate: true)
        try Data("[ferryd]\nhistory=70\n".utf8)
            .write(to: URL(filePath: home.path + "/.config/ferry/ferry.conf"))
        for number in 1...200 { server.on("/\(number)", .content(.text("\(number)"))) }
        let list = (1...200).map { server.url("/\($0)") }
        let get = try await TestProcess.run(
            TestHome.executable("ferry"),
            ["get", "-q", "-d", home.files] + list,
            environment: home.environment
        )
        #expect(get.exit == .exited(status: 0), "\(get.error)")
        let lines = try await home.ferry("history").output.split(separator: "\n")
        // The oldest go 64 at a time.
        #expect((71...71 + 64).contains(lines.count), "\(lines.count)")
    }

    // MARK: The conversation

    @Test func `the conversation is shown without secrets, and cookies are kept`() async throws {
        server.on("/login") { request in
            request["Cookie"] == nil
                ? .redirect(to: "/members/a").with(
                    fields: [("Set-Cookie", "session=s3cret; Path=/; HttpOnly")]
                ) : .status(500)
        }
        server.on("/members/a", .content(.text("here")))
        let jar = "\(home.files)/cookies.txt"
        let get = try await get(
            "-v",
            "-u",
            "ana:harbour",
            "--cookie-jar",
            jar,
            "\(server.url("/login"))?token=s3cret"
        )
        #expect(get.exit == .exited(status: 0), "\(get.error)")
        for part in [
            "> GET http://127.0.0.1", "< http/1.1 302", "< http/1.1 200",
            "* connected to 127.0.0.1",
        ] {
            #expect(get.error.contains(part), "\(get.error)")
        }
        for secret in ["s3cret", "harbour", "YW5hOmhhcmJvdXI="] {
            #expect(!get.error.contains(secret), "\(get.error)")
        }
        let cookies = try String(contentsOfFile: jar, encoding: .utf8)
        #expect(
            cookies.contains("#HttpOnly_127.0.0.1\tFALSE\t/\tFALSE\t0\tsession\ts3cret\n"),
            "\(cookies)"
        )
        var status = stat()
        #expect(stat(jar, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    // MARK: Limits

    @Test func `a command has at most as many files at a time as it says`() async throws {
        let gates = (1...4).map { _ in FixtureGate() }
        for (number, gate) in gates.enumerated() {
            server.on("/\(number)", .content(.text("here")).stalling(after: 1, at: gate))
        }
        let urls = (0..<4).map { server.url("/\($0)") }
        let started = try await TestProcess.run(
            TestHome.executable("ferry"),
            ["get", "-d", home.files, "--detach", "-j", "2"] + urls,
            environment: home.environment
        )
        #expect(started.exit == .exited(status: 0), "\(started.error)")
        try await server.waitUntil { $0.requests.count == 2 }
        let why = try await home.ferry("why", "4").output
        #expect(why.contains("as many transfers are running as are allowed"), "\(why)")
        #expect(server.requests.count == 2)
        for gate in gates { gate.open() }
        #expect(try await home.ferry("watch", "--all").exit == .exited(status: 0))
        #expect(server.requests.count == 4)
    }

    @Test func `a file that comes too slowly is continued over another connection`() async throws {
        let slow = FixtureAnswer.file(FixtureFile(Self.content)).paced(bytesPerSecond: 100_000)
        server.on("/slow.iso", [slow, .file(FixtureFile(Self.content))])
        let get = try await get("--min-speed", "1G", "--timeout", "1s", server.url("/slow.iso"))
        #expect(get.exit == .exited(status: 0), "\(get.error)")
        #expect(Self.content.firstDifference(from: try file("slow.iso")) == nil)
        #expect(server.requests.count == 2)
        #expect(server.requests.last?["Range"] != nil)
    }

    @Test(
        arguments: [
            (["--max-filesize", "2M", "/a.iso"], "longer than 2000000 bytes"),
            (["--max-redirs", "0", "/moved"], "too many HTTP redirects"),
        ]
    )
    func `what exceeds a limit fails`(arguments: [String], message: String) async throws {
        server.on("/moved", .redirect(to: "/a.iso"))
        let run = try await TestProcess.run(
            TestHome.executable("ferry"),
            ["get", "-d", home.files] + arguments.dropLast() + [server.url(arguments.last ?? "")],
            environment: home.environment
        )
        #expect(run.exit == .exited(status: 8))
        #expect(run.error.contains(message), "\(run.error)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.files) == [])
    }

    @Test func `a file that fails cancels the others if it is to`() async throws {
        let gate = FixtureGate()
        server.on("/slow", .content(.text("here")).stalling(after: 1, at: gate))
        server.on("/absent", .status(404))
        let get = try await get("--fail-early", server.url("/slow"), server.url("/absent"))
        #expect(get.exit == .exited(status: 8), "\(get.error)")
        #expect(get.error.contains("1 transfer cancelled"), "\(get.error)")
        #expect(try await home.ferry("list").output.contains("slow") == false)
        gate.open()
    }

    @Test func `what is started paused begins when it is resumed`() async throws {
        let get = try await get("--pause", server.url("/a.iso"))
        #expect(get.exit == .exited(status: 0), "\(get.error)")
        #expect(try await home.ferry("list").output.contains("paused"))
        #expect(server.requests.isEmpty)
        #expect(try await home.ferry("resume", "1").exit == .exited(status: 0))
        #expect(try await home.ferry("watch", "1").exit == .exited(status: 0))
        #expect(Self.content.firstDifference(from: try file("a.iso")) == nil)
    }

    // MARK: Cookies

    @Test(arguments: [[], ["-o", "-"], ["-c"]])
    func `cookies of a file go along with redirects, to their own paths alone`(
        options: [String]
    ) async throws {
        server.on("/start", .redirect(to: "/files/a.iso"))
        server.on("/files/a.iso") { request in
            request["Cookie"] == "session=s3cret" ? .content(.text("here")) : .status(403)
        }
        let jar = "\(home.path)/cookies.txt"
        let lines = ["/files\tFALSE\t0\tsession\ts3cret", "/other\tFALSE\t0\tother\t1"]
        try lines.map { "127.0.0.1\tFALSE\t\($0)\n" }.joined()
            .write(toFile: jar, atomically: true, encoding: .utf8)
        try Data("her".utf8).write(to: URL(filePath: "\(home.files)/start"))
        let directory = options.contains("-o") ? [] : ["-d", home.files]
        let run = try await TestProcess.run(
            TestHome.executable("ferry"),
            ["get", "-b", jar] + directory + options + [server.url("/start")],
            environment: home.environment
        )
        #expect(run.exit == .exited(status: 0), "\(run.error)")
        #expect(server.requests(to: "/start").allSatisfy { $0["Cookie"] == nil })
        #expect(!run.error.contains("s3cret"))
    }

    // MARK: Responses and files

    @Test func `the header alone is shown, and nothing is saved`() async throws {
        server.on("/moved", .redirect(to: "/a.iso"))
        let get = try await get("-I", server.url("/moved"))
        #expect(get.exit == .exited(status: 0), "\(get.error)")
        #expect(get.output.contains("302 "), "\(get.output)")
        #expect(get.output.contains("Content-Length: 3000000"), "\(get.output)")
        #expect(server.requests.map(\.method) == ["HEAD", "HEAD"])
        server.on("/absent", .status(404))
        #expect(try await self.get("-I", server.url("/absent")).exit == .exited(status: 8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.files) == [])
    }

    @Test func `the content of an error is saved if it is to be, and is a failure`() async throws {
        server.on("/absent.txt", .status(404, body: "look elsewhere"))
        let url = server.url("/absent.txt")
        #expect(try await get(url).exit == .exited(status: 8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.files) == [])
        let kept = try await get("--content-on-error", url)
        #expect(kept.exit == .exited(status: 8))
        #expect(kept.error.contains("what came with it is in"), "\(kept.error)")
        #expect(try file("absent.txt") == Array("look elsewhere".utf8))
    }

    @Test func `a file is named after its redirects, and its directories after the URL`()
        async throws
    {
        server.on("/latest", .redirect(to: "/files/a-1.2.iso"))
        server.on("/files/a-1.2.iso", .file(FixtureFile(Self.content)))
        let url = server.url("/latest")
        let named = try await get("--trust-server-names", url)
        #expect(named.exit == .exited(status: 0), "\(named.error)")
        #expect(Self.content.firstDifference(from: try file("a-1.2.iso")) == nil)
        let deep = try await get("--force-directories", server.url("/files/a-1.2.iso"))
        #expect(deep.exit == .exited(status: 0), "\(deep.error)")
        #expect(Self.content.firstDifference(from: try file("127.0.0.1/files/a-1.2.iso")) == nil)
    }

    @Test func `a file keeps where it comes from`() async throws {
        let address = "http://ana:harbour@127.0.0.1:\(server.port)/a.iso"
        let get = try await get("--xattr", address)
        #expect(get.exit == .exited(status: 0), "\(get.error)")
        let path = "\(home.files)/a.iso"
        let file = FileDescriptor(owning: open(path, O_RDONLY | O_CLOEXEC))
        let origin = try file.attribute("user.xdg.origin.url")
        #expect(origin.map { String(decoding: $0, as: UTF8.self) } == server.url("/a.iso"))
    }

    @Test func `only https is used if that is all that may be`() async throws {
        let plain = try await get("--https-only", server.url("/a.iso"))
        #expect(plain.exit == .exited(status: 2))
        #expect(plain.error.contains("is no https URL"), "\(plain.error)")
        let authority = try await TestAuthority(in: home)
        server.on("/moved", .redirect(to: server.url("/a.iso")))
        let relay = try await TLSRelay(in: home, authority: authority, to: server.port)
        let url = "https://127.0.0.1:\(relay.port)/moved"
        let moved = try await get("--https-only", "--cacert", authority.file, url)
        #expect(moved.exit == .exited(status: 1))
        #expect(moved.error.contains("only https: is allowed"), "\(moved.error)")
        #expect(server.requests.count == 1)
    }

    @Test func `a password that is missing is asked for at the terminal`() async throws {
        let line = "ferry get -d '\(home.files)' -u ana \(server.url("/a.iso"))"
        let terminal = try await Terminal(in: home, columns: 80, rows: 14, line)
        try await terminal.show { $0.contains("Password of ana:") }
        try await terminal.press("harbour", "Enter")
        try await terminal.show { $0.contains("ended 0") && !$0.contains("harbour") }
        #expect(server.requests.first?["Authorization"] == "Basic YW5hOmhhcmJvdXI=")
        // A process without a terminal does not read standard input instead.
        let detached = try await TestProcess.run(
            "/usr/bin/setsid",
            ["--wait", TestHome.executable("ferry"), "get", "-u", "ana", server.url("/a.iso")],
            environment: home.environment
        )
        #expect(detached.exit == .exited(status: 2))
        #expect(detached.error.contains("no terminal to ask at"), "\(detached.error)")
    }
}
