import FerrySystem
import FerryTestSupport
import FerryWire
import FoundationEssentials
import Glibc
import Testing

/// What a ferryd does that is asked to end when another program was installed in its place.
@Suite(.serialized, .timeLimit(.minutes(2))) struct HandOverTests {
    private static let held = 1_000_000

    private let content = FixtureContent.seeded(11, byteCount: 3_000_000)
    private let home: TestHome
    private let server: FixtureServer
    private let program: String

    init() async throws {
        home = try TestHome()
        server = try FixtureServer()
        _ = try Directory(opening: "\(home.path)/bin", creatingPrivate: true)
        program = "\(home.path)/bin/ferryd"
        try FileManager.default.copyItem(atPath: TestHome.executable("ferryd"), toPath: program)
        try home.useDaemon(program)
    }

    /// Who keeps the socket of the login session.
    enum Keeper: CaseIterable { case client, systemd }

    @Test(arguments: Keeper.allCases)
    func `SEC-11: the process becomes the new program, and its transfers lose no byte`(
        _ keeper: Keeper
    ) async throws {
        let socket = keeper == .systemd ? try heldSocket() : nil
        defer { if let socket { close(socket) } }
        let started = try socket.map { try heldDaemon(on: $0) }
        try await begin()
        let process = try await daemon()
        if let started { #expect(process == started) }
        try install()
        #expect(executable(of: process) == program + " (deleted)")
        try await terminate(process)
        // A client that comes now is served, by the one or by the other.
        #expect(try await home.ferry("list").exit == .exited(status: 0))
        try await home.watchToEnd(of: 1)
        #expect(try await daemon() == process)
        #expect(executable(of: process) == program)
        #expect(server.requests(to: "/song").map(\.range) == [nil, "bytes=\(Self.held)-"])
        let data = try Data(contentsOf: URL(filePath: "\(home.files)/song"))
        #expect(content.firstDifference(from: [UInt8](data)) == nil)
        // Without a further program, the signal is the end.
        try await terminate(process)
        await TestHome.untilEnd(of: process)
        if keeper == .systemd {
            #expect(try ProcessExit.wait(for: process) == .exited(status: 0))
        }
    }

    @Test func `SEC-11: clients that come during a hand-over are all served, by one process`()
        async throws
    {
        #expect(try await home.ferry("list").exit == .exited(status: 0))
        let process = try await daemon()
        for _ in 1...3 {
            try install()
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 1...8 {
                    group.addTask {
                        let list = try await home.ferry("list")
                        return list.exit == .exited(status: 0) ? "" : list.error
                    }
                }
                try await terminate(process)
                for try await error in group { #expect(error == "") }
            }
            #expect(try await daemon() == process)
            #expect(executable(of: process) == program)
        }
    }

    @Test func `SEC-14: a ferryd that was stopped hands over when it is continued`() async throws {
        try await begin()
        let process = try await daemon()
        kill(process, SIGSTOP)
        try install()
        try await terminate(process)
        #expect(executable(of: process) == program + " (deleted)")
        kill(process, SIGCONT)
        try await home.watchToEnd(of: 1)
        #expect(executable(of: process) == program)
        #expect(server.requests(to: "/song").map(\.range) == [nil, "bytes=\(Self.held)-"])
    }

    @Test func `the program that goes on has the options, the mask and the limit of the first`()
        async throws
    {
        let script = "#!/bin/sh\numask 037\nexec '\(program)' --idle-time 77 \"$@\"\n"
        try FileManager.default.removeItem(atPath: "\(home.path)/ferryd")
        try Data(script.utf8).write(to: URL(filePath: "\(home.path)/ferryd"))
        chmod("\(home.path)/ferryd", 0o700)
        #expect(try await home.ferry("list").exit == .exited(status: 0))
        let process = try await daemon()
        let before = try Data(contentsOf: URL(filePath: "/proc/\(process)/cmdline"))
        try install()
        try await terminate(process)
        #expect(try await daemon() == process)
        #expect(executable(of: process) == program)
        let after = try Data(contentsOf: URL(filePath: "/proc/\(process)/cmdline"))
        #expect(after == before)
        #expect(String(decoding: after, as: UTF8.self).contains("--idle-time\u{0}77"))
        // So have the applications that it starts.
        let events = try await EventPipe(in: home)
        server.on("/small", .file(FixtureFile(content)))
        try await home.download(
            server.url("/small"),
            then: "{ umask; ulimit -S -n; } >'\(events.path)'"
        )
        #expect(await events.next() == "0037")
        #expect(await events.next() == "1024")
    }

    @Test
    func `SEC-11: an application that the first program has started is collected by the next`()
        async throws
    {
        let events = try await EventPipe(in: home)
        let gate = "\(home.path)/gate"
        #expect(mkfifo(gate, 0o600) == 0)
        server.on("/small", .file(FixtureFile(content)))
        try await home.download(
            server.url("/small"),
            then: "echo $$ >'\(events.path)'; read go <'\(gate)'"
        )
        let application = try #require(Int32(await events.next()))
        let process = try await daemon()
        try install()
        try await terminate(process)
        #expect(try await daemon() == process)
        try Data("go\n".utf8).write(to: URL(filePath: gate), options: [])
        await TestHome.untilEnd(of: application)
        // A call comes after the end that its parent has been told of; it was a zombie until then.
        #expect(try await home.ferry("list").exit == .exited(status: 0))
        #expect(!FileManager.default.fileExists(atPath: "/proc/\(application)"))
        #expect(executable(of: process) == program)
    }

    @Test func `the program that goes on reads and writes what the first one did`() async throws {
        let socket = try heldSocket()
        defer { close(socket) }
        let pipes = try (0...2).map { _ in try LinePipe() }
        let process = try heldDaemon(on: socket, "--foreground", standard: pipes.map(\.writer))
        for pipe in pipes { pipe.closeWriter() }
        _ = try #require(try pipes[2].next(containing: "serves on"))
        let before = standardFiles(of: process)
        #expect(before.allSatisfy { $0?.hasPrefix("pipe:") == true }, "\(before)")
        try install()
        try await terminate(process)
        // The log of the next one follows that of the first.
        _ = try #require(try pipes[2].next(containing: "serves on"))
        #expect(executable(of: process) == program)
        #expect(standardFiles(of: process) == before)
        try await terminate(process)
        #expect(try ProcessExit.wait(for: process) == .exited(status: 0))
    }

    /// Why a ferryd ends in order although its file may have changed.
    enum Reason: CaseIterable {
        case sameProgram, noProgram, replaceableByOthers, interrupted, manager
    }

    @Test(arguments: Reason.allCases)
    func `SEC-11: a ferryd that is not to hand over ends in order`(_ reason: Reason) async throws {
        let socket = reason == .manager ? try heldSocket() : nil
        defer { if let socket { close(socket) } }
        _ = try socket.map { try heldDaemon(on: $0) }
        try await begin()
        let process = try await daemon()
        if reason != .sameProgram { try install() }
        switch reason {
        case .sameProgram: try await terminate(process)
        case .noProgram:
            unlink(program)
            try await terminate(process)
        case .replaceableByOthers:
            chmod(program, 0o777)
            try await terminate(process)
        case .interrupted: try await signal(process, "-INT")
        // Its parent is this process, as systemd is that of a service.
        case .manager: kill(process, SIGTERM)
        }
        await TestHome.untilEnd(of: process)
        if reason == .manager {
            #expect(try ProcessExit.wait(for: process) == .exited(status: 0))
        }
        let log = try String(contentsOfFile: "\(home.state)/log/ferryd.log", encoding: .utf8)
        #expect(log.contains("ended"))
        #expect(!log.contains("becomes"))
    }

    // MARK: Parts

    /// Starts a download whose server falls silent before the end.
    private func begin() async throws {
        let file = FixtureFile(content)
        server.on(
            "/song",
            .file(file).stalling(after: Int64(Self.held), at: FixtureGate()),
            .file(file)
        )
        let get = try await home.ferry(
            "get",
            "--detach",
            "--connections",
            "1",
            "-d",
            home.files,
            server.url("/song")
        )
        #expect(get.exit == .exited(status: 0), "\(get.error)")
        while try await !home.ferry("list", "--json").output.contains("\(Self.held)") {}
    }

    /// Replaces the program as dpkg does.
    private func install() throws {
        try FileManager.default.copyItem(
            atPath: TestHome.executable("ferryd"),
            toPath: program + ".dpkg-new"
        )
        #expect(rename(program + ".dpkg-new", program) == 0)
    }

    private func executable(of process: Int32) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")
    }

    /// What a process has for its standard input, output and error.
    private func standardFiles(of process: Int32) -> [String?] {
        (0...2).map { number in
            try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/\(process)/fd/\(number)"
            )
        }
    }

    /// The process that serves.
    private func daemon() async throws -> Int32 {
        while true {
            let client = VarlinkClient(try DaemonStarter(environment: home.environment).connect())
            defer { client.close() }
            // The program before has closed the connection.
            guard let reply = try? await client.call(Wire.GetStatus()) else { continue }
            return Int32(reply.status.pid)
        }
    }

    /// Sends SIGTERM from a process that is not the parent of its receiver.
    private func terminate(_ process: Int32) async throws { try await signal(process, "-TERM") }

    private func signal(_ process: Int32, _ name: String) async throws {
        let run = try await TestProcess.run("/bin/kill", [name, "\(process)"], environment: [:])
        #expect(run.exit == .exited(status: 0), "\(run.error)")
    }

    private func heldSocket() throws -> Int32 {
        let directory = try Directory(opening: "\(home.path)/run/ferry", creatingPrivate: true)
        return try UnixSocket.listen("io.ferry.Transfer", in: directory).release()
    }

    /// A daemon that is started as systemd does it.
    private func heldDaemon(
        on listener: Int32,
        _ arguments: String = "",
        standard: [Int32] = []
    ) throws -> Int32 {
        let command = "LISTEN_FDS=1 LISTEN_PID=$$ exec '\(home.path)/ferryd' \(arguments)"
        var launch = ProcessLaunch(
            executable: "/bin/sh",
            arguments: ["-c", command],
            environment: home.environment
        )
        launch.descriptors = [listener: 3]
        for (number, descriptor) in standard.enumerated() {
            launch.descriptors[descriptor] = Int32(number)
        }
        return try launch.start()
    }
}
