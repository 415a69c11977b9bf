import FerrySystem
import FerryTestSupport
import FerryWire
import FoundationEssentials
import Glibc
import Testing

/// What ferryd, and an application that it starts, have of the program that happened to start ferryd.
@Suite(.serialized, .timeLimit(.minutes(2))) struct InheritedAttributeTests {
    /// An attribute that a program has changed before it runs another one.
    struct Attribute: Sendable {
        /// Its name.
        let name: String
        /// What runs a command with the attribute changed.
        let command: [String]
        /// Where it is seen: a file of `/proc/PID`, and the line's beginning in it.
        let file: String
        let line: String
        /// What ferryd has; nil for what a process without the change has.
        var value: String?
        /// What an application has that ferryd starts; nil for ``value``.
        var applicationValue: String?
    }

    private static func limit(_ option: String, _ line: String, of value: String?) -> Attribute {
        Attribute(
            name: "--\(option)",
            command: ["/usr/bin/prlimit", "--\(option):"],
            file: "limits",
            line: line,
            value: value
        )
    }

    private static func shell(_ command: String) -> [String] {
        ["/bin/sh", "-c", "\(command); exec \"$@\"", "sh"]
    }

    private static func python(_ call: String) -> [String] {
        let program =
            "import ctypes,os,sys; ctypes.CDLL(None).\(call); os.execv(sys.argv[1], sys.argv[1:])"
        return ["/usr/bin/python3", "-c", program]
    }

    /// Those of limits: of each, a soft one.
    private static let limits = [
        limit("fsize=900000000", "Max file size", of: nil),
        limit("cpu=500", "Max cpu time", of: nil),
        limit("data=9000000000", "Max data size", of: nil),
        limit("as=90000000000", "Max address space", of: nil),
        limit("rss=9000000000", "Max resident set", of: nil),
        limit("nproc=30000", "Max processes", of: nil),
        limit("memlock=60000", "Max locked memory", of: nil),
        limit("msgqueue=70000", "Max msgqueue size", of: nil),
        limit("sigpending=700", "Max pending signals", of: nil),
        limit("locks=700", "Max file locks", of: nil),
        limit("rttime=7000000", "Max realtime timeout", of: nil),
        limit("core=70000", "Max core file size", of: "0"),
        limit("stack=4000000", "Max stack size", of: "8388608"),
    ]

    private static let isRoot = geteuid() == 0

    private static let others = [
        Attribute(
            name: "processors",
            command: ["/usr/bin/taskset", "-c", "0"],
            file: "status",
            line: "Cpus_allowed:"
        ),
        Attribute(
            name: "scheduling policy",
            command: ["/usr/bin/chrt", "--batch", "0"],
            file: "stat",
            line: "41",
            value: "0"
        ),
        Attribute(
            name: "importance when memory runs out",
            command: ["/usr/bin/choom", "-n", "700", "--"],
            file: "oom_score_adj",
            line: ""
        ),
        Attribute(
            name: "slack of timers",
            command: shell("echo 7000000 >/proc/self/timerslack_ns"),
            file: "timerslack_ns",
            line: "",
            value: "50000"
        ),
        Attribute(
            name: "personality",
            command: ["/usr/bin/setarch", "-R"],
            file: "personality",
            line: "",
            value: "00000000"
        ),
        Attribute(
            name: "huge pages",
            command: python("prctl(41,1,0,0,0)"),
            file: "status",
            line: "THP_enabled:",
            value: "1"
        ),
        Attribute(
            name: "mask",
            command: shell("umask 0"),
            file: "status",
            line: "Umask:",
            value: "0077",
            applicationValue: "0022"
        ),
        Attribute(
            name: "ignored signals",
            command: shell("trap '' HUP TERM INT QUIT USR1 USR2 CHLD"),
            file: "status",
            line: "SigIgn:",
            // SIGPIPE and SIGXFSZ.
            value: "0000000001001000",
            applicationValue: "0000000000000000"
        ),
        Attribute(
            name: "working directory",
            command: shell("cd /tmp"),
            file: "cwd",
            line: "",
            value: "/"
        ),
        Attribute(
            name: "environment",
            command: shell("export LD_AUDIT_TEST=1 SECRET=2"),
            file: "environ",
            line: "SECRET=",
            value: ""
        ),
        Attribute(
            name: "descriptors",
            command: shell("exec 9</etc/hostname"),
            file: "fd",
            line: "/etc/hostname",
            value: ""
        ),
    ]

    /// Those that only root can change, or change back: RLIMIT_NICE.
    private static let privileged = [
        Attribute(
            name: "niceness",
            command: ["/usr/bin/nice", "-n", "5"],
            file: "stat",
            line: "19",
            value: "0"
        ),
        Attribute(
            name: "ambient capabilities",
            command: ["/usr/bin/setpriv", "--inh-caps=+net_raw", "--ambient-caps=+net_raw"],
            file: "status",
            line: "CapAmb:",
            value: "0000000000000000"
        ),
        Attribute(
            name: "inheritable capabilities",
            command: ["/usr/bin/setpriv", "--inh-caps=+net_raw"],
            file: "status",
            line: "CapInh:",
            value: "0000000000000000"
        ),
    ]

    private static let attributes = limits + others + (isRoot ? privileged : [])
    /// A command that runs another with all of them changed.
    private static let change = attributes.flatMap(\.command)

    private let home: TestHome

    init() throws { home = try TestHome() }

    @Test(.disabled(if: Sanitizer.isOn, "a sanitizer maps terabytes, and a limit is changed here"))
    func `REL-15: ferryd and its applications have nothing of the program that starts ferryd`()
        async throws
    {
        let words = Self.change + [TestHome.executable("ferry"), "list"]
        let list = try await TestProcess.run(
            words[0],
            Array(words.dropFirst()),
            environment: home.environment
        )
        #expect(list.exit == .exited(status: 0), "\(list.error)")
        let process = try #require(home.daemons.first)
        let usual = try await texts { ["/usr/bin/env"] + $0 }
        let changed = try await texts { Self.change + $0 }
        let application = try await textsOfApplication()
        for attribute in Self.attributes {
            let name = Comment(rawValue: attribute.name)
            let expected = attribute.value ?? Self.parse(attribute, usual)
            #expect(expected != nil, name)
            #expect(Self.parse(attribute, changed) != expected, name)
            #expect(Self.read(attribute, of: process) == expected, name)
            #expect(
                Self.parse(attribute, application) == attribute.applicationValue ?? expected,
                name
            )
        }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/ionice")))
    func `REL-15: ferryd has a usual priority for the disk`() async throws {
        let words = ["-c", "3", TestHome.executable("ferry"), "list"]
        _ = try await TestProcess.run("/usr/bin/ionice", words, environment: home.environment)
        let process = try #require(home.daemons.first)
        let run = try await TestProcess.run(
            "/usr/bin/ionice",
            ["-p", "\(process)"],
            environment: [:]
        )
        #expect(run.output.hasPrefix("none"))
    }

    @Test func `REL-15: ferryd has a session of its own, and no terminal`() async throws {
        _ = try await home.ferry("list")
        let process = try #require(home.daemons.first)
        #expect(getsid(process) != getsid(0))
        let terminal = Attribute(name: "", command: [], file: "stat", line: "7")
        #expect(Self.read(terminal, of: process) == "0")
    }

    @Test func `REL-15: what a person sets for ferryd itself holds for it`() async throws {
        let errors = try LinePipe()
        let process = try ProcessLaunch(
            executable: "/usr/bin/prlimit",
            arguments: ["--fsize=900000000:", TestHome.executable("ferryd"), "--foreground"],
            environment: home.environment,
            descriptors: [errors.writer: 2]
        ).start()
        errors.closeWriter()
        _ = try #require(try errors.next(containing: "serves on"))
        #expect(Self.read(Self.limits[0], of: process) == "900000000")
        kill(process, SIGTERM)
        #expect(try ProcessExit.wait(for: process) == .exited(status: 0))
    }

    // MARK: Parts

    /// What the files say of a process that is started by a command.
    private func texts(_ command: ([String]) -> [String]) async throws -> [String: String] {
        let words = command(["/bin/sh", "-c", script])
        let run = try await TestProcess.run(
            words[0],
            Array(words.dropFirst()),
            environment: home.environment
        )
        #expect(run.exit == .exited(status: 0), "\(run.error)")
        return try said()
    }

    /// What the files say of an application that ferryd starts.
    private func textsOfApplication() async throws -> [String: String] {
        let server = try FixtureServer()
        server.on("/small", .file(FixtureFile(FixtureContent.seeded(1, byteCount: 9))))
        let events = try await EventPipe(in: home)
        try await home.download(
            server.url("/small"),
            then: "\(script); echo end >'\(events.path)'"
        )
        _ = await events.next("end")
        return try said()
    }

    private static let files = Set(attributes.map(\.file)).sorted()

    /// Copies what the files say of the shell.
    private var script: String {
        Self.files.map { file in
            let command =
                switch file {
                case "cwd": "readlink /proc/$$/cwd"
                case "fd": "ls -l /proc/$$/fd"
                default: "cat /proc/$$/\(file)"
                }
            return "\(command) >'\(home.path)/said-\(file)'"
        }.joined(separator: "; ")
    }

    private func said() throws -> [String: String] {
        var texts: [String: String] = [:]
        for file in Self.files {
            let path = "\(home.path)/said-\(file)"
            let data = try Data(contentsOf: URL(filePath: path))
            texts[file] = String(decoding: data, as: UTF8.self).replacing("\0", with: "\n")
            try FileManager.default.removeItem(atPath: path)
        }
        return texts
    }

    private static func parse(_ attribute: Attribute, _ texts: [String: String]) -> String? {
        texts[attribute.file].flatMap { parse(attribute, $0) }
    }

    private static func read(_ attribute: Attribute, of process: Int32) -> String? {
        let path = "/proc/\(process)/\(attribute.file)"
        let manager = FileManager.default
        switch attribute.file {
        case "cwd":
            return try? manager.destinationOfSymbolicLink(atPath: path)
        case "fd":
            let names = (try? manager.contentsOfDirectory(atPath: path)) ?? []
            let targets = names.compactMap {
                try? manager.destinationOfSymbolicLink(atPath: "\(path)/\($0)")
            }
            return parse(attribute, targets.joined(separator: "\n"))
        default:
            let text = manager.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
            return text.flatMap { parse(attribute, $0.replacing("\0", with: "\n")) }
        }
    }

    /// Finds the value in what a file of `/proc` says.
    private static func parse(_ attribute: Attribute, _ text: String) -> String? {
        switch attribute.file {
        case "stat":
            // proc_pid_stat(5): the name, which may contain spaces, is the second field.
            let rest = text.split(separator: ") ").last?.split(whereSeparator: \.isWhitespace) ?? []
            return Int(attribute.line).flatMap { rest.count > $0 - 3 ? String(rest[$0 - 3]) : nil }
        case "limits":
            let line = text.split(separator: "\n").first { $0.hasPrefix(attribute.line) }
            return line?.dropFirst(26).split(separator: " ").first.map(String.init)
        case "environ", "fd":
            return text.contains(attribute.line) ? "there" : ""
        default:
            let line = text.split(separator: "\n").first { $0.hasPrefix(attribute.line) }
            let value = line?.split(whereSeparator: \.isWhitespace).last.map(String.init)
            return attribute.line == "SigIgn:" ? value.flatMap(withoutInternalSignals) : value
        }
    }

    /// Returns a set of signals without 32 and 33, which are the C library's own: no program can change them, and
    /// make(1) hands them down as ignored.
    private static func withoutInternalSignals(_ set: String) -> String? {
        UInt64(set, radix: 16).map { bits in
            let text = String(bits & ~(3 << 31), radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }
    }
}
