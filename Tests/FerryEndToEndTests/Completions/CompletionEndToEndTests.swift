import FerrySystem
import FerryTestSupport
import Foundation
import Glibc
import Testing

/// A shell that completes lines.
enum Shell: String, CaseIterable, Sendable {
    case bash
    case zsh
    case fish
}

/// Unfinished lines in real shells, with the completions as they are installed.
@Suite(.timeLimit(.minutes(5))) struct CompletionEndToEndTests {
    private static let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
    }

    private let home: TestHome

    init() throws {
        home = try TestHome()
        try make("\(home.path)/bin/")
        try FileManager.default.createSymbolicLink(
            atPath: "\(home.path)/bin/ferry",
            withDestinationPath: TestHome.executable("ferry")
        )
        for name in ["song.bin", "songs/"] { try make("\(home.files)/place/\(name)") }
    }

    private func make(_ path: String) throws {
        let directory = path.hasSuffix("/") ? path : path.replacing(/[^\/]*$/, with: "")
        try FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: true
        )
        if directory != path { try Data().write(to: URL(filePath: path)) }
    }

    /// The words that a shell completes the last word of a line to.
    private func completions(of line: String, in shell: Shell) async throws -> [String] {
        var environment = home.environment
        environment["PATH"] = "\(home.path)/bin:/usr/bin:/bin"
        let completions = "\(Self.root.path)/packaging/completions"
        let place = "\(home.files)/place"
        let command =
            switch shell {
            case .bash: typed(line, in: shell, "\(completions)/ferry.bash")
            case .zsh: typed(line, in: shell, "\(completions)/_ferry")
            case .fish:
                [
                    "fish", "--no-config", "--command",
                    "source '\(completions)/ferry.fish'; complete --do-complete '\(line)'",
                ]
            }
        let run = try await TestProcess.run(
            "/usr/bin/env",
            ["--chdir", place] + command,
            environment: environment
        )
        #expect(run.exit == .exited(status: 0), "\(run)")
        // fish writes each candidate with its meaning; the others print the whole line.
        let words = run.output.split(separator: "\n")
            .map { line in String(line.prefix { $0 != "\t" }) }
        let typed = line.split(separator: " ").count - (line.hasSuffix(" ") ? 0 : 1)
        return shell == .fish ? words : Array(words.dropFirst(typed))
    }

    private func typed(_ line: String, in shell: Shell, _ file: String) -> [String] {
        let script = "\(Self.root.path)/Tests/FerryEndToEndTests/Completions/typed_line.py"
        return ["python3", script, shell.rawValue, file, line]
    }

    /// The words that the command itself offers.
    private func offered(_ words: String...) async throws -> [String] {
        let run = try await home.ferry(["complete", "--"] + words)
        return run.output.split(separator: "\n").dropFirst()
            .map { line in String(line.prefix { $0 != "\t" }) }
    }

    @Test(arguments: Shell.allCases)
    func `a shell completes commands and options`(shell: Shell) async throws {
        let commands = try await offered("")
        #expect(commands.contains("get"))
        #expect(try await completions(of: "ferry ", in: shell).sorted() == commands.sorted())
        #expect(try await completions(of: "ferry wa", in: shell) == ["watch"])
        for command in commands {
            let options = try await offered(command, "--").sorted()
            #expect(options.contains("--help"))
            let found = try await completions(of: "ferry \(command) --", in: shell)
            #expect(found.sorted() == options, "\(command)")
        }
        #expect(try await completions(of: "ferry hooks ", in: shell) == ["remove"])
    }

    @Test(arguments: Shell.allCases)
    func `a shell completes files and directories where they belong`(shell: Shell) async throws {
        func names(_ line: String) async throws -> [String] {
            // Whether a directory has its slash yet is the shell's affair.
            try await completions(of: line, in: shell)
                .map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        }
        #expect(try await names("ferry get -o s") == ["song.bin", "songs"])
        #expect(try await names("ferry get --output=song.") == ["--output=song.bin"])
        #expect(try await names("ferry get --directory s") == ["songs"])
        #expect(try await names("ferry get --directory=s") == ["--directory=songs"])
    }

    @Test(arguments: Shell.allCases)
    func `a shell completes the numbers of transfers, and starts no ferryd for them`(
        shell: Shell
    )
        async throws
    {
        #expect(try await completions(of: "ferry pause ", in: shell) == [])
        #expect(home.daemons == [])
        let server = try FixtureServer()
        for path in ["/one", "/two"] {
            server.on(path, .content(.text("late")).waiting(at: FixtureGate()))
        }
        let get = try await home.ferry(
            "get",
            "--detach",
            "-d",
            home.files,
            server.url("/one"),
            server.url("/two")
        )
        #expect(get.exit == .exited(status: 0), "\(get.error)")
        #expect(try await completions(of: "ferry pause ", in: shell) == ["1", "2"])
        #expect(try await completions(of: "ferry pause 2 ", in: shell).last == "1")
    }

    @Test func `nothing is completed from a ferryd that does not answer, and systemd is not asked`()
        async throws
    {
        // As systemd has it, and with nobody behind it.
        let directory = try Directory(opening: "\(home.path)/run/ferry", creatingPrivate: true)
        let listener = try UnixSocket.listen("io.ferry.Transfer", in: directory)
        #expect(try await offered("pause", "") == [])
        var state = pollfd(fd: listener.rawValue, events: Int16(POLLIN), revents: 0)
        #expect(poll(&state, 1, 0) == 0)
        try listener.close()
        _ = try await home.ferry("list")
        let daemon = try #require(home.daemons.first)
        kill(daemon, SIGSTOP)
        #expect(try await offered("pause", "") == [])
        kill(daemon, SIGCONT)
    }
}
