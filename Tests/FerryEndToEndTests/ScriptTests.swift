import FerrySystem
import FerryTestSupport
import Foundation
import Glibc
import Testing

/// What `make` and the scripts behind it say to who tries Ferry.
@Suite(.timeLimit(.minutes(1))) struct ScriptTests {
    private static let root = (0..<3).reduce(URL(filePath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
    }

    private let environment = [
        "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/nonexistent", "LANG": "C.UTF-8",
    ]

    @Test(arguments: ["half-tunes", "background-transfer", "cancel-and-resume"])
    func `USE-9: that there is no screen is said before anything is built`(app: String) async throws
    {
        let path = Self.root.path
        let plan = try await run("/usr/bin/make", "-C", path, "--dry-run", app)
        let lines = plan.output.split(separator: "\n").filter { !$0.hasPrefix("make") }
        #expect(lines.first == "scripts/trial \(app) --check", "\(plan)")
        #expect(lines.last?.contains("scripts/trial \(app)") == true)
        let check = try await run("\(path)/scripts/trial", app, "--check")
        #expect(check.exit == .exited(status: 1))
        #expect(check.error.hasPrefix("\(app): there is no screen here."), "\(check.error)")
    }

    @Test func `USE-9: Ctrl-C is left to the script that the catalog is for`() async throws {
        let home = try TestHome()
        let output = try await EventPipe(in: home)
        let error = try await EventPipe(in: home, named: "errors")
        let input = "\(home.path)/input"
        try systemCall("mkfifo", input) { mkfifo(input, 0o600) }
        let ends = FileDescriptor(
            owning: try systemCall("open", input) { open(input, O_RDWR | O_CLOEXEC) }
        )
        let reader = FileDescriptor(
            owning: try systemCall("open", input) { open(input, O_RDONLY | O_CLOEXEC) }
        )
        let writer = try output.writer()
        let errorWriter = try error.writer()
        let catalog = try await TestProcess(
            "/usr/bin/python3",
            ["\(Self.root.path)/Examples/HalfTunes/trial/catalog.py"],
            environment: environment,
            output: writer.rawValue,
            error: errorWriter.rawValue,
            others: [0: reader.rawValue]
        )
        let address = await output.next("http://127.0.0.1:")
        catalog.signal(SIGINT)
        // It answers all the same, and ends with its input.
        let answer = try await run("/usr/bin/curl", "--silent", "\(address)/search?term=blue")
        #expect(answer.exit == .exited(status: 0))
        try ends.close()
        try reader.close()
        #expect(await catalog.ended() == .exited(status: 0))
        #expect(error.lines == [])
    }

    @Test func `make alone tells of each target`() async throws {
        let makefile = try String(contentsOfFile: "\(Self.root.path)/Makefile", encoding: .utf8)
        let declared = try #require(makefile.components(separatedBy: ".PHONY:").last)
            .replacing("\\\n", with: " ").prefix { $0 != "\n" }.split(separator: " ")
        let help = try await run("/usr/bin/make", "--no-print-directory", "-C", Self.root.path)
        let told = help.output.split(separator: "\n").compactMap { line in
            line.hasPrefix("  make ") ? line.split(separator: " ") : nil
        }
        #expect(declared.count > 10)
        #expect(Set(told.map { $0[1] }) == Set(declared))
        #expect(told.allSatisfy { $0.count > 2 }, "\(help.output)")
    }

    @Test func `what is installed is removed again with its directories, and nothing else`()
        async throws
    {
        let home = try TestHome()
        let root = "\(home.files)/a root"
        try FileManager.default.createDirectory(
            atPath: "\(root)/usr/share/man/man8",
            withIntermediateDirectories: true
        )
        let built = URL(filePath: TestHome.executable("ferry")).deletingLastPathComponent().path
        func make(_ target: String) async throws -> Set<String> {
            let run = try await run(
                "/usr/bin/make",
                "-C",
                Self.root.path,
                target,
                "DESTDIR=\(root)",
                "PREFIX=/usr",
                "BUILT=\(built)"
            )
            #expect(run.exit == .exited(status: 0), "\(run.error)")
            return Set(FileManager.default.subpaths(atPath: root) ?? [])
        }
        let before: Set = ["usr", "usr/share", "usr/share/man", "usr/share/man/man8"]
        let installed = try await make("install")
        for name in [
            "bin/ferry", "bin/ferryd", "lib/systemd/user/ferryd.socket",
            "lib/systemd/user/ferryd.service", "share/man/man1/ferry.1",
            "share/man/man1/ferry-get.1", "share/man/man5/ferry-timetable.5",
            "share/man/man7/ferry.7", "share/man/man8/ferryd.8", "share/doc/ferry/LICENSE",
            "share/bash-completion/completions/ferry", "share/zsh/site-functions/_ferry",
            "share/fish/vendor_completions.d/ferry.fish",
        ] {
            #expect(installed.contains("usr/\(name)"), "\(name)")
        }
        // An update takes what is no more.
        let page = "usr/share/man/man1/ferry-boat.1"
        let list = "\(root)/usr/share/ferry/installed"
        let lines = try String(contentsOfFile: list, encoding: .utf8)
        try (lines + "ferry /\(page)\n").write(toFile: list, atomically: true, encoding: .utf8)
        try "".write(toFile: "\(root)/\(page)", atomically: true, encoding: .utf8)
        #expect(try await make("install") == installed)
        // What others have placed stays.
        try "".write(toFile: "\(root)/\(page)", atomically: true, encoding: .utf8)
        #expect(
            try await make("uninstall")
                == before.union(["usr/share/man/man1", "usr/share/man/man1/ferry-boat.1"])
        )
    }

    /// What is said of what is missing: by the shell, `PATH`, the prefix and whether systemd starts ferryd.
    static let missing: [(shell: String, path: String, prefix: String, enabled: Bool?, [String])] =
        [
            ("bash", "/usr/bin", "/usr", true, []),
            ("bash", "/home/ana/.local/bin:/usr/bin", "/home/ana/.local", true, []),
            (
                "bash", "/usr/bin", "/home/ana/.local", true,
                [
                    "/home/ana/.local/bin is not in PATH. In ~/.profile:",
                    #"  export PATH="$HOME/.local/bin:$PATH""#,
                ]
            ),
            (
                "zsh", "/usr/bin:/opt/ferry/bin", "/opt/ferry", true,
                [
                    "zsh completes ferry with this line before 'compinit' in ~/.zshrc:",
                    #"  fpath=("/opt/ferry/share/zsh/site-functions" $fpath)"#,
                ]
            ),
            ("zsh", "/usr/local/bin", "/usr/local", true, []),
            (
                "fish", "/usr/bin", "/usr/local", true,
                [
                    "/usr/local/bin is not in PATH. In ~/.config/fish/config.fish:",
                    "  fish_add_path /usr/local/bin",
                ]
            ),
            (
                "bash", "/usr/bin", "/usr", false,
                [
                    "Have ferryd started at login, so that transfers go on after a reboot:",
                    "  systemctl --user daemon-reload && systemctl --user enable --now ferryd.socket ferryd.service",
                ]
            ),
            (
                "bash", "/usr/bin", "/usr", nil,
                [
                    "There is no systemd here. For transfers to go on after a reboot, run at login:",
                    "  /usr/bin/ferryd --detach",
                ]
            ),
        ]

    @Test(arguments: missing)
    func
        `USE-16: what a shell does not find after an installation is said, with the line that helps`(
            shell: String,
            path: String,
            prefix: String,
            enabled: Bool?,
            lines: [String]
        ) async throws
    {
        let home = try TestHome()
        let tools = "\(home.files)/tools"
        try FileManager.default.createDirectory(
            atPath: tools,
            withIntermediateDirectories: true
        )
        let systemctl = "\(tools)/systemctl"
        let script = "#!/bin/sh\nexit \(enabled == true ? 0 : 1)\n"
        try script.write(toFile: systemctl, atomically: true, encoding: .utf8)
        try systemCall("chmod", systemctl) { chmod(systemctl, 0o700) }
        var variables = environment
        variables["HOME"] = "/home/ana"
        variables["SHELL"] = "/usr/bin/\(shell)"
        variables["PATH"] = "\(tools):\(path)"
        variables["SYSTEMD_DIRECTORY"] = enabled == nil ? "\(tools)/none" : tools
        let run = try await TestProcess.run(
            "/usr/bin/bash",
            ["\(Self.root.path)/scripts/missing", prefix],
            environment: variables
        )
        #expect(run.exit == .exited(status: 0), "\(run.error)")
        #expect(run.output.split(separator: "\n").map(String.init) == lines)
    }

    private func run(
        _ words: String...
    ) async throws -> (exit: ProcessExit, output: String, error: String) {
        try await TestProcess.run(words[0], Array(words.dropFirst()), environment: environment)
    }
}
