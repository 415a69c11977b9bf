import FerrySystem
import FerryTestSupport
import FerryWireTestSupport
import Foundation
import Glibc
import Testing

@testable import FerryWire

/// The starter with a shell script for a daemon.
@Suite(.timeLimit(.minutes(1))) struct DaemonStarterTests {
    private let place: TemporaryDirectory

    init() throws {
        place = try TemporaryDirectory()
        _ = try place.directory.openSubdirectory("runtime")
    }

    private func environment(_ more: [String: String] = [:]) -> [String: String] {
        let own = [
            "HOME": place.path, "XDG_STATE_HOME": place.path + "/state",
            "XDG_RUNTIME_DIR": place.path + "/runtime", "PATH": "/usr/bin:/bin",
            "FERRY_DAEMON": place.path + "/ferryd", "FERRY_TEST_PLACE": place.path,
        ]
        return own.merging(more) { $1 }
    }

    /// Makes a daemon of a script; it runs in the place.
    ///
    /// Another process writes the file: while a test starts one of its own, that one holds what
    /// this process has open, and a program that is open for writing is not run.
    private func makeDaemon(_ script: String) throws {
        let text = "#!/bin/sh\ncd \"$FERRY_TEST_PLACE\"\n\(script)\n"
        try makeProgram(Array(text.utf8))
    }

    private func makeProgram(_ content: [UInt8]) throws {
        let source = place.directory.path(of: UUID().uuidString)
        try Data(content).write(to: URL(filePath: source))
        let copy = ProcessLaunch(
            executable: "/usr/bin/install",
            arguments: ["-m", "700", source, place.directory.path(of: "ferryd")]
        )
        #expect(try ProcessExit.wait(for: try copy.start()) == .exited(status: 0))
        try FileManager.default.removeItem(atPath: source)
    }

    private func read(_ name: String) throws -> String {
        String(
            decoding: try place.directory.open(name, .read).readToEnd(limit: 100_000),
            as: UTF8.self
        )
    }

    /// A daemon that keeps its sockets until it is let go, by a pipe that nobody writes to.
    private static let lastingDaemon = """
        echo start >> starts
        env > environment
        ls -l /proc/self/fd > descriptors
        pwd -P > directory; ps -o sid= -p $$ > session
        mkfifo pipe
        (exec < pipe) > /dev/null 2>&1 &
        """

    private func letDaemonGo() {
        let descriptor = open(place.directory.path(of: "pipe"), O_WRONLY | O_NONBLOCK)
        if descriptor >= 0 { close(descriptor) }
    }

    @Test func `without a daemon and without starting one it says where it looked`() throws {
        let starter = DaemonStarter(environment: environment())
        let error = #expect(throws: DaemonError.self) { _ = try starter.connect(starting: false) }
        #expect(error == .notRunning(sockets: starter.locations.sockets))
        #expect(try place.directory.names() == ["runtime"])
    }

    @Test func `a daemon is started once and takes over both sockets`() throws {
        try makeDaemon(Self.lastingDaemon)
        defer { letDaemonGo() }
        let starter = DaemonStarter(environment: environment(["SECRET": "x", "LC_ALL": "C"]))
        let first = try starter.connect()
        let second = try starter.connect()
        #expect(first.rawValue != second.rawValue)
        #expect(try read("starts") == "start\n")
        let variables = Set(try read("environment").split(separator: "\n").map(String.init))
        #expect(variables.contains("LISTEN_FDS=2"))
        #expect(variables.contains("FERRY_LISTEN_PID=inherit"))
        #expect(variables.contains("LC_ALL=C"))
        #expect(!variables.contains { $0.hasPrefix("SECRET") || $0.hasPrefix("LISTEN_PID") })
        let sockets = try read("descriptors").split(separator: "\n").filter {
            $0.contains(" 3 -> socket:") || $0.contains(" 4 -> socket:")
        }
        #expect(sockets.count == 2)
    }

    @Test func `processes that start at the same time start one daemon`() async throws {
        try makeDaemon(Self.lastingDaemon)
        defer { letDaemonGo() }
        let variables = environment()
        let results = await withTaskGroup(of: String.self) { group in
            for _ in 0..<8 { group.addTask { await Self.connect(variables) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results == Array(repeating: "connected", count: 8))
        #expect(try read("starts") == "start\n")
    }

    /// Connects as a process of its own would, on a thread of its own.
    private static func connect(_ variables: [String: String]) async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                do {
                    _ = try DaemonStarter(environment: variables).connect()
                    continuation.resume(returning: "connected")
                } catch {
                    continuation.resume(returning: "\(error)")
                }
            }
        }
    }

    @Test func `a daemon that ended is started again`() throws {
        // It ends at once, and its sockets with it.
        try makeDaemon("echo start >> starts")
        let starter = DaemonStarter(environment: environment())
        for count in 1...2 {
            // Every process that another test starts just now holds a copy of the sockets until
            // it runs its program, so that connecting may work for a moment.
            _ = try? starter.connect()
            while try starter.locations.connect() != nil { sched_yield() }
            #expect(try read("starts") == String(repeating: "start\n", count: count))
        }
        try makeDaemon("")
        let error = #expect(throws: DaemonError.self) {
            while true { _ = try starter.connect() }
        }
        #expect(error == .notRunning(sockets: starter.locations.sockets))
    }

    @Test func `a daemon runs whose start has a status that this process does not get`() async {
        // Which children leave one concerns a whole process.
        await #expect(processExitsWith: .success) {
            let bench = try DaemonStarterTests()
            try bench.makeDaemon(Self.lastingDaemon)
            defer { bench.letDaemonGo() }
            signal(SIGCHLD, SIG_IGN)
            _ = try DaemonStarter(environment: bench.environment()).connect()
            #expect(try bench.read("starts") == "start\n")
        }
    }

    @Test func `a daemon that cannot start says why`() throws {
        try makeDaemon("echo 'the database is broken' >&2; echo 'see the log' >&2; exit 3")
        let error = #expect(throws: DaemonError.self) {
            _ = try DaemonStarter(environment: environment()).connect()
        }
        #expect(
            error
                == .startFailed(
                    executable: place.path + "/ferryd",
                    reason: "the database is broken; see the log (exit status 3)"
                )
        )
    }

    @Test func `a program that the kernel does not start is an error that names it`() throws {
        try makeProgram(Array("\u{7f}ELF".utf8))
        let error = #expect(throws: DaemonError.self) {
            _ = try DaemonStarter(environment: environment()).connect()
        }
        guard case .startFailed(let executable, let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(executable == place.path + "/ferryd")
        #expect(reason.contains("ENOEXEC") || reason.contains("exit status 127"))
    }

    @Test(arguments: [
        "HOME", "USER", "LOGNAME", "PATH", "SHELL", "LANG", "LC_TIME", "TZ", "TMPDIR",
        "LD_LIBRARY_PATH", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
        "DBUS_SYSTEM_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "FERRY_DAEMON",
    ])
    func `a daemon has its user's places, language, time zone and screen`(name: String) {
        #expect(DaemonStarter.inherited([name: "x"]) == [name: "x"])
    }

    @Test func `only what a daemon needs of the environment is inherited`() {
        let inherited = DaemonStarter.inherited([
            "HOME": "/home/someone", "XDG_STATE_HOME": "/state", "https_proxy": "http://proxy",
            "NO_PROXY": "localhost", "CURL_CA_BUNDLE": "/ca", "LC_ALL": "C", "FERRY_LOG": "debug",
            "AWS_SECRET_KEY": "x", "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/bus",
            "LISTEN_FDS": "1", "NOTIFY_SOCKET": "@x", "LD_PRELOAD": "x.so",
        ])
        // Proxies belong to the app that starts it, whose sessions tell ferryd of them.
        // Where logind is found is a location, as is what the XDG variables say.
        #expect(
            Set(inherited.keys) == [
                "HOME", "XDG_STATE_HOME", "LC_ALL", "FERRY_LOG", "DBUS_SYSTEM_BUS_ADDRESS",
            ]
        )
    }
}
