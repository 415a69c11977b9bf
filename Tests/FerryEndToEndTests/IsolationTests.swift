import FerrySystem
import FerryTestSupport
import Glibc
import Testing

/// Another user of the machine; made of a second uid, which only root can take on.
@Suite(.serialized, .timeLimit(.minutes(1)), .enabled(if: geteuid() == 0, "needs root"))
struct IsolationTests {
    private static let otherUser = "65534"

    @Test func `another user cannot connect to the socket, even where its path is open to all`()
        async throws
    {
        let home = try TestHome(hasRuntimeDirectory: false)
        _ = try await home.ferry("list")
        let socket = "\(home.state)/run/io.ferry.Transfer"
        for directory in ["", "/.local", "/.local/state", "/.local/state/ferry"] {
            chmod(home.path + directory, 0o755)
        }
        chmod("\(home.state)/run", 0o755)
        #expect(try await asOther(connecting, socket).contains("PermissionError"))
        // The daemon itself looks at who calls, whatever the modes say.
        chmod(socket, 0o666)
        let answer = try await asOther(connecting, socket)
        #expect(answer == "connected\nclosed without an answer\n")
    }

    @Test func `another user can neither list nor read nor change what the daemon keeps`()
        async throws
    {
        let home = try TestHome()
        _ = try await home.ferry("list")
        chmod(home.path, 0o755)
        for path in ["\(home.state)/ferry.sqlite", "\(home.state)/downloads", "\(home.path)/run"] {
            #expect(try await asOther(reading, path).contains("PermissionError"), "\(path)")
        }
    }

    private let connecting = """
        import socket, sys
        s = socket.socket(socket.AF_UNIX)
        s.settimeout(10)
        try:
            s.connect(sys.argv[1])
            print("connected")
            s.sendall(b'{"method":"io.ferry.Transfer.ListTasks","parameters":{}}\\0')
            data = s.recv(4096)
            print("closed without an answer" if not data else data)
        except (PermissionError,) as error:
            print("PermissionError", error)
        except (ConnectionResetError, BrokenPipeError):
            print("closed without an answer")
        """

    private let reading = """
        import os, sys
        try:
            os.listdir(sys.argv[1]) if os.path.isdir(sys.argv[1]) else open(sys.argv[1], "rb").read()
            print("read")
        except PermissionError as error:
            print("PermissionError", error)
        """

    private func asOther(_ script: String, _ argument: String) async throws -> String {
        let result = try await TestProcess.run(
            "/usr/bin/setpriv",
            [
                "--reuid", Self.otherUser, "--regid", Self.otherUser, "--clear-groups",
                "/usr/bin/python3", "-c", script, argument,
            ],
            environment: ["PATH": "/usr/bin:/bin"]
        )
        return result.output + result.error
    }
}

/// Clients that ferryd cannot see, as it has a PID namespace of its own.
@Suite(.timeLimit(.minutes(1))) struct ForeignProcessTests {
    /// Whether this machine lets the tests make such a namespace.
    private static let canBeMade =
        system("unshare --pid --fork --map-root-user true 2> /dev/null") == 0

    @Test(.enabled(if: canBeMade, "needs PID namespaces"))
    func `SEC-9: two processes outside of ferryd's PID namespace do not have one session`()
        async throws
    {
        let home = try TestHome()
        let server = try FixtureServer()
        let gate = FixtureGate()
        server.on("/song.bin", FixtureAnswer.content(.text("la")).waiting(at: gate))
        let daemon = try await TestProcess(
            "/usr/bin/unshare",
            [
                "--pid", "--fork", "--map-root-user", "--kill-child",
                TestHome.executable("ferryd"), "--foreground",
            ],
            environment: home.environment
        )
        while try await home.ferry("daemon", "status").exit != .exited(status: 0) {}
        let events = try await EventPipe(in: home)
        let others = try await EventPipe(in: home, named: "other")
        let first = try await app(home, events, server.url("/song.bin"))
        _ = await events.next("ready")
        let second = try await app(home, others, server.url("/song.bin"))
        #expect(await others.next("completed").hasSuffix(" -996"))
        gate.open()
        #expect(await events.next("completed") == "completed 1 ok")
        await first.killed()
        await second.killed()
        await daemon.killed()
    }

    private func app(
        _ home: TestHome,
        _ events: EventPipe,
        _ url: String
    ) async throws
        -> TestProcess
    {
        try await TestProcess(
            TestHome.executable("ferry-test-app"),
            ["--events", events.path, "--directory", home.files, "--url", url],
            environment: home.environment
        )
    }
}
