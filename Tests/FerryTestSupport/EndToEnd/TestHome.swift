package import FerrySystem
import FoundationEssentials
import Glibc

/// A user's directories of a test's own: its ferryd, its files, its sockets.
///
/// Whatever was started in it is killed when it goes.
package final class TestHome: Sendable {
    private let directory: TemporaryDirectory
    private let daemonArguments: [String]
    /// The environment for every process of the test.
    package let environment: [String: String]

    /// Makes the directories.
    ///
    /// - Parameters:
    ///   - hasRuntimeDirectory: Whether there is an `XDG_RUNTIME_DIR`, as in a login session.
    ///   - daemonArguments: What ferryd is started with, besides what its starter says.
    ///   - variables: Further environment variables.
    ///   - parent: The directory that is to hold it.
    /// - Throws: `SystemCallError`.
    package init(
        hasRuntimeDirectory: Bool = true,
        daemonArguments: [String] = ["--retry-delay", "0.05", "--relaunch-delay", "0.05"],
        variables: [String: String] = [:],
        in parent: String = "/tmp"
    ) throws {
        directory = try TemporaryDirectory(in: parent)
        let path = directory.path
        var environment = [
            "HOME": path, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "TZ": "UTC", "LANG": "C.UTF-8",
            "FERRY_DAEMON": path + "/ferryd",
        ]
        for name in [
            "LLVM_PROFILE_FILE", "TSAN_OPTIONS", "ASAN_OPTIONS", "LSAN_OPTIONS", "LD_LIBRARY_PATH",
        ] {
            environment[name] = ProcessEnvironment[name]
        }
        for name in ["run", "files"] {
            _ = try Directory(opening: "\(path)/\(name)", creatingPrivate: true)
        }
        if hasRuntimeDirectory { environment["XDG_RUNTIME_DIR"] = path + "/run" }
        self.environment = environment.merging(variables) { $1 }
        self.daemonArguments = daemonArguments
        try useDaemon(Self.executable("ferryd"))
    }

    deinit {
        killAll()
    }

    /// The directory that holds everything.
    package var path: String { directory.path }

    /// Where ferryd keeps its state.
    package var state: String { path + "/.local/state/ferry" }

    /// Where a test's apps put their files.
    package var files: String { path + "/files" }

    /// The programs of this package, built beside the tests.
    package static func executable(_ name: String) -> String {
        let own =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let directory = own.lastIndex(of: "/").map { String(own[..<$0]) } ?? ""
        return "\(directory)/\(name)"
    }

    /// Kills every process that was started with this home, however it was started.
    package func killAll() {
        for process in processes() { Glibc.kill(process, SIGKILL) }
    }

    /// Kills every process of this home but some, and waits for their ends.
    package func killAll(except spared: [Int32]) async {
        // One of them may just have started another, of which nothing is seen for the moment in
        // which it becomes another program: so none must be there twice.
        var emptyCount = 0
        while emptyCount < 2 {
            let victims = processes().filter { !spared.contains($0) }
            emptyCount = victims.isEmpty ? emptyCount + 1 : 0
            await Self.kill(victims)
        }
    }

    /// Kills processes and waits for their ends.
    package static func kill(_ processes: [Int32]) async {
        for process in processes { Glibc.kill(process, SIGKILL) }
        for process in processes { await untilEnd(of: process) }
    }

    /// The daemons of this home.
    package var daemons: [Int32] {
        let all = processes(of: "ferryd")
        // A program that one of them starts is a copy of it for a moment.
        return all.filter { process in !all.contains { $0 == Self.parent(of: process) } }
    }

    private static func parent(of process: Int32) -> Int32? {
        let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("PPid:") }
        return line?.split(separator: "\t").last.flatMap { Int32($0) }
    }

    /// The processes of this home that run a program of this package.
    package func processes(of program: String) -> [Int32] {
        let executable = Self.executable(program)
        return processes().filter { process in
            let path = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/\(process)/exe"
            )
            return path == executable
        }
    }

    /// Waits for the end of all daemons of this home.
    package func untilNoDaemon() async {
        for process in daemons { await Self.untilEnd(of: process) }
    }

    /// Runs the `ferry` command to its end and returns what it wrote.
    package func ferry(
        _ arguments: String...
    ) async throws -> (exit: ProcessExit, output: String, error: String) {
        try await ferry(arguments)
    }

    /// Runs the `ferry` command to its end and returns what it wrote.
    package func ferry(
        _ arguments: [String]
    ) async throws -> (exit: ProcessExit, output: String, error: String) {
        try await TestProcess.run(
            Self.executable("ferry"),
            arguments,
            environment: environment
        )
    }

    /// Waits for the end of a process that need not be a child of this one.
    package static func untilEnd(of process: Int32) async {
        try? await ProcessEnd(of: process).wait()
    }

    private func processes() -> [Int32] {
        let marker = Data("HOME=\(path)".utf8)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { Int32($0) }.filter { process in
            // One that has ended and was not waited for has no environment any more.
            let variables = FileManager.default.contents(atPath: "/proc/\(process)/environ")
            return process != getpid()
                && variables?.split(separator: 0).contains { $0 == marker } == true
        }
    }

    /// Lets the programs of this home start another ferryd from now on: they find it by one path, with the test's settings.
    package func useDaemon(_ executable: String) throws {
        let words = ([executable] + daemonArguments).map { "'\($0)'" }
        let script = "#!/bin/sh\nexec \(words.joined(separator: " ")) \"$@\"\n"
        let directory = try Directory(opening: path)
        try directory.remove("ferryd")
        let file = try directory.open("ferryd", .createNew)
        try Array(script.utf8).withUnsafeBytes { try file.writeAll($0) }
        chmod(path + "/ferryd", 0o700)
    }
}

/// Networks of tests' own.
package enum TestNetwork {
    /// Whether this machine lets the tests make one, and has what sets it up.
    package static let canBeMade =
        system("unshare --net --map-root-user ip link add a0 type veth peer name a1 2> /dev/null")
        == 0
}
