import FerrySystem
import FerryTestSupport
import FerryWire
import FoundationEssentials
import Glibc
import Testing

/// What is in the way of a daemon that starts, and what it says about it.
@Suite(.serialized, .timeLimit(.minutes(1))) struct DaemonStartTests {
    private let home: TestHome

    init() throws { home = try TestHome() }

    @Test func `a second ferryd says which process has the queue, and ends`() async throws {
        _ = try await home.ferry("list")
        let first = try #require(home.daemons.first)
        let second = try await ferryd("--foreground")
        #expect(second.exit == .exited(status: 1))
        #expect(second.error.contains("another ferryd, process \(first), has the queue"))
        #expect(home.daemons == [first])
    }

    @Test func `when ferry daemon stop returns, another ferryd can have the queue`() async throws {
        for _ in 1...10 {
            _ = try await home.ferry("list")
            let stop = try await home.ferry("daemon", "stop")
            #expect(stop.exit == .exited(status: 0), "\(stop.error)")
            let state = try Directory(opening: home.state)
            _ = try FileLock(StateDirectory.lockName, in: state, waiting: false)
        }
    }

    @Test func `a broken database is named and left alone`() async throws {
        _ = try await home.ferry("list")
        _ = try await home.ferry("daemon", "stop")
        let database = "\(home.state)/ferry.sqlite"
        let rubbish = Data(repeating: 0x55, count: 9_000)
        try rubbish.write(to: URL(filePath: database))
        let result = try await ferryd("--foreground")
        #expect(result.exit == .exited(status: 1))
        #expect(result.error.contains(database))
        #expect(try Data(contentsOf: URL(filePath: database)) == rubbish)
        let list = try await home.ferry("list")
        #expect(list.exit == .exited(status: 4))
        #expect(list.error.contains(database))
    }

    // Without the option, too: systemd keeps what is written to standard error.
    @Test(arguments: [["--foreground"], []])
    func `a state directory that is a file is named`(_ arguments: [String]) async throws {
        let parent = "\(home.path)/.local/state"
        _ = try Directory(opening: parent, creatingPrivate: true)
        try Data().write(to: URL(filePath: "\(parent)/ferry"))
        let result = try await TestProcess.run(
            TestHome.executable("ferryd"),
            arguments,
            environment: home.environment
        )
        #expect(result.exit == .exited(status: 1))
        #expect(result.error.contains("\(parent)/ferry"))
    }

    @Test func `without descriptors for its event loop it says so, and does not crash`()
        async throws
    {
        // Under the address sanitizer, a process without descriptors would look for leaks for ever.
        let command = "ulimit -n 4; ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 exec \"$0\""
        let result = try await TestProcess.run(
            "/bin/sh",
            ["-c", command, TestHome.executable("ferryd")],
            environment: home.environment
        )
        #expect(result.exit == .exited(status: 1))
        #expect(result.error.contains("eventfd: Too many open files (EMFILE)"))
    }

    @Test func `a directory that others can enter is refused with what to do about it`()
        async throws
    {
        _ = try Directory(opening: home.state, creatingPrivate: true)
        chmod(home.state, 0o755)
        let result = try await ferryd("--foreground")
        #expect(result.exit == .exited(status: 1))
        #expect(result.error.contains("chmod 700"))
    }

    @Test func `without a runtime directory the socket lies below the state home`() async throws {
        let home = try TestHome(hasRuntimeDirectory: false)
        let list = try await home.ferry("list")
        #expect(list.exit == .exited(status: 0), "\(list.error)")
        #expect(FileManager.default.fileExists(atPath: "\(home.state)/run/io.ferry.Transfer"))
    }

    @Test func `sockets handed over by systemd's protocol are served`() async throws {
        let process = try heldDaemon(on: heldSocket())
        let list = try await home.ferry("list")
        #expect(list.exit == .exited(status: 0), "\(list.error)")
        #expect(home.daemons == [process])
        kill(process, SIGTERM)
        #expect(try ProcessExit.wait(for: process) == .exited(status: 0))
    }

    @Test func `asking whether ferryd runs does not have systemd start it`() async throws {
        let listener = try heldSocket()
        for command in ["status", "stop"] {
            let run = try await home.ferry("daemon", command)
            #expect(run.error.contains("not running"), "\(run)")
        }
        // systemd would have started it for whoever waits here.
        var state = pollfd(fd: listener.rawValue, events: Int16(POLLIN), revents: 0)
        #expect(poll(&state, 1, 0) == 0)
    }

    @Test func `systemd's daemon takes the queue over from one that a program has started`()
        async throws
    {
        // Outside the login session a program does not see systemd's socket.
        let list = try await TestProcess.run(
            TestHome.executable("ferry"),
            ["list"],
            environment: home.environment.filter { $0.key != "XDG_RUNTIME_DIR" }
        )
        #expect(list.exit == .exited(status: 0), "\(list.error)")
        let first = try #require(home.daemons.first)
        let errors = try LinePipe()
        let second = try heldDaemon(on: heldSocket(), "--foreground", error: errors.writer)
        errors.closeWriter()
        _ = try #require(try errors.next(containing: "serves on"))
        #expect(second != first)
        #expect(home.daemons == [second])
        kill(second, SIGTERM)
        #expect(try ProcessExit.wait(for: second) == .exited(status: 0))
    }

    @Test func `systemd is told when clients are served`() async throws {
        let path = "\(home.path)/notify"
        let socket = try NotificationSocket(path: path)
        let process = try heldDaemon(on: heldSocket(), variables: ["NOTIFY_SOCKET": path])
        #expect(try socket.receive() == "READY=1")
        kill(process, SIGTERM)
        #expect(try ProcessExit.wait(for: process) == .exited(status: 0))
    }

    @Test func `under systemd, too, a daemon stays while a program is about to start one`()
        async throws
    {
        let errors = try LinePipe()
        let listener = try heldSocket()
        // Connected before there is a daemon, which therefore has something to do from the start.
        let first = try #require(try client(home.environment))
        let process = try heldDaemon(
            on: listener,
            "--foreground --log-level debug --idle-time 0.05",
            error: errors.writer
        )
        errors.closeWriter()
        _ = try #require(try errors.next(containing: "serves on"))
        let lock = try locations(home.environment).startLock()
        first.close()
        _ = try #require(try errors.next(containing: "about to start a daemon"))
        // A program outside the login session, such as cron's, knows the other socket only.
        let second = try #require(
            try client(home.environment.filter { $0.key != "XDG_RUNTIME_DIR" })
        )
        #expect(try await second.call(Wire.GetStatus()).status.pid == process)
        lock.release()
        second.close()
        #expect(try ProcessExit.wait(for: process) == .exited(status: 0))
    }

    @Test func `a daemon that waits for another process to let it start can be ended`()
        async throws
    {
        let lock = try locations(home.environment).startLock()
        let process = try heldDaemon(on: heldSocket())
        while try !String(contentsOfFile: "/proc/locks", encoding: .utf8)
            .split(separator: "\n")
            .contains(where: { $0.contains("-> FLOCK") && $0.contains(" \(process) ") })
        {
            try await Task.sleep(for: .milliseconds(10))
        }
        kill(process, SIGTERM)
        #expect(try ProcessExit.wait(for: process) == .exited(status: 1))
        lock.release()
    }

    @Test func `a daemon whose standard error nobody reads serves and ends all the same`()
        async throws
    {
        let pipe = try FullPipe()
        let process = try heldDaemon(
            on: heldSocket(),
            "--foreground --log-level debug",
            error: pipe.writer
        )
        let list = try await home.ferry("list")
        #expect(list.exit == .exited(status: 0), "\(list.error)")
        #expect(home.daemons == [process])
        kill(process, SIGTERM)
        #expect(try ProcessExit.wait(for: process) == .exited(status: 0))
    }

    @Test func `a daemon with nothing to do ends and leaves nothing running`() async throws {
        let home = try TestHome(daemonArguments: ["--idle-time", "0.05"])
        let list = try await home.ferry("list")
        #expect(list.exit == .exited(status: 0), "\(list.error)")
        await home.untilNoDaemon()
        #expect(home.daemons.isEmpty)
    }

    @Test func `a bad command line is answered with what is wrong`() async throws {
        let result = try await ferryd("--maximum-transfers", "many")
        #expect(result.exit == .exited(status: 2))
        #expect(result.error.contains("--maximum-transfers takes a number from 1 to 1024"))
    }

    // MARK: Parts

    /// The socket of the login session, listened on as systemd does it.
    private func heldSocket() throws -> FileDescriptor {
        let directory = try Directory(opening: "\(home.path)/run/ferry", creatingPrivate: true)
        return try UnixSocket.listen("io.ferry.Transfer", in: directory)
    }

    /// A daemon that is started as systemd does it.
    private func heldDaemon(
        on listener: borrowing FileDescriptor,
        _ arguments: String = "",
        variables: [String: String] = [:],
        error: Int32? = nil
    ) throws -> Int32 {
        let daemon = TestHome.executable("ferryd")
        var launch = ProcessLaunch(
            executable: "/bin/sh",
            arguments: ["-c", "LISTEN_FDS=1 LISTEN_PID=$$ exec '\(daemon)' \(arguments)"],
            environment: home.environment.merging(variables) { $1 }
        )
        launch.descriptors = [listener.rawValue: 3]
        if let error { launch.descriptors[error] = 2 }
        return try launch.start()
    }

    private func locations(_ environment: [String: String]) -> SocketLocations {
        SocketLocations(BaseDirectories(environment: environment))
    }

    /// A client of whichever daemon listens.
    private func client(_ environment: [String: String]) throws -> VarlinkClient? {
        guard let socket = try locations(environment).connect() else { return nil }
        return VarlinkClient(socket)
    }

    private func ferryd(
        _ arguments: String...
    ) async throws -> (exit: ProcessExit, output: String, error: String) {
        try await TestProcess.run(
            TestHome.executable("ferryd"),
            arguments,
            environment: home.environment
        )
    }
}

/// The unit that systemd starts ferryd by.
@Suite(.timeLimit(.minutes(5))) struct ServiceUnitTests {
    @Test func `the service sets nothing that applications which ferryd starts would inherit`()
        throws
    {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path
        let unit = try String(
            contentsOfFile: "\(root)/packaging/systemd/ferryd.service",
            encoding: .utf8
        )
        let section = try #require(unit.split(separator: "[Service]\n").last).prefix { $0 != "[" }
        var settings: [Substring: Substring] = [:]
        for line in section.split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: "=", maxSplits: 1)
            settings[parts[0]] = parts.last
        }
        // A sandbox, a limit or a mask of the service would hold for the applications, too.
        #expect(
            settings.keys.sorted() == [
                "ExecReload", "ExecStart", "KillMode", "OOMPolicy", "Restart", "RestartSec", "Type",
            ]
        )
        #expect(settings["KillMode"] == "process")
        #expect(settings["OOMPolicy"] == "continue")
    }
}

/// The socket that a service tells systemd over how it is doing; sd_notify(3).
final class NotificationSocket {
    private let descriptor: Int32

    init(path: String) throws {
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
        let raw = try systemCall("socket") { socket(AF_UNIX, type, 0) }
        descriptor = raw
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        try systemCall("bind", path) {
            withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(raw, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        }
    }

    deinit { close(descriptor) }

    /// Waits for a message.
    func receive() throws -> String {
        try withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
            let count = try systemCall("recv") {
                recv(descriptor, buffer.baseAddress, buffer.count, 0)
            }
            return String(decoding: buffer[..<count], as: UTF8.self)
        }
    }
}
