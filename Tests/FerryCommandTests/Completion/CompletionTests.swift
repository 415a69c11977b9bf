import Ferry
import Testing

@testable import FerryCommand

/// What shells are told about unfinished command lines.
@Suite(.timeLimit(.minutes(5))) struct CompletionTests {
    private func choice(_ words: String...) -> Completion.Choice {
        Completion(of: words, in: Program.syntax).choice
    }

    private func words(_ words: String...) -> [String]? {
        guard case .words(let candidates) = Completion(of: words, in: Program.syntax).choice else {
            return nil
        }
        return candidates.map(\.word)
    }

    /// The lines that `ferry complete` writes; the words have no spaces in them.
    private func lines(
        _ words: String,
        of daemon: PlayedDaemon = PlayedDaemon()
    ) async -> [Substring] {
        let run = await CommandLineRun("complete -- \(words)", daemon: daemon)
        #expect(run.code == .success)
        #expect(run.error == "")
        return run.output.split(separator: "\n")
    }

    @Test func `every command that people need is offered, and every option of each`() {
        func check(_ syntax: CommandSyntax, path: [String]) {
            let subcommands = Completion(of: path + [""], in: Program.syntax).choice
            if !syntax.subcommands.isEmpty {
                let shown = syntax.shownSubcommands.map {
                    Completion.Candidate(word: $0.name, description: $0.summary)
                }
                #expect(subcommands == .words(shown), "\(path)")
            }
            let options = syntax.allOptions.map {
                Completion.Candidate(word: "--\($0.name)", description: $0.help)
            }
            let offered = Completion(of: path + ["-"], in: Program.syntax).choice
            #expect(offered == .words(options), "\(path)")
            for subcommand in syntax.subcommands {
                check(subcommand, path: path + [subcommand.name])
            }
        }
        check(Program.syntax, path: [])
    }

    @Test func `what an option's value or an operand stands for is offered`() {
        #expect(choice("get", "--output", "") == .files)
        #expect(choice("get", "-o", "") == .files)
        #expect(choice("get", "-qo", "") == .files)
        #expect(choice("get", "-d", "") == .directories)
        #expect(choice("get", "--cacert", "x") == .files)
        #expect(choice("pause", "") == .transfers)
        #expect(choice("pause", "1", "") == .transfers)
        #expect(choice("resume", "--now", "1") == .transfers)
        #expect(choice("relink", "https://example.org/", "") == .transfers)
        #expect(choice("limit", "2M", "") == .transfers)
        #expect(choice("limit", "--remove", "") == .rules)
        #expect(choice("list", "--after", "") == .transfers)
        #expect(choice("quit", "") == .applications)
        #expect(choice("hooks", "remove", "") == .applications)
    }

    @Test func `nothing is offered where anything or nothing may be`() {
        #expect(words("get", "") == [])
        #expect(words("get", "--header", "") == [])
        #expect(words("why", "12", "") == [])
        #expect(words("list", "") == [])
        #expect(words("get", "--nonsense=") == [])
    }

    @Test func `a value behind an equals sign is completed with its option before it`() {
        let completion = Completion(of: ["list", "--after="], in: Program.syntax)
        #expect(completion.choice == .transfers)
        #expect(completion.prefix == "--after=")
    }

    @Test func `an option that has its value is followed by anything else`() {
        #expect(words("get", "-ofile", "--js")?.contains("--json") == true)
        #expect(words("get", "-o", "file", "-")?.contains("--json") == true)
        #expect(words("get", "--output=file", "")?.isEmpty == true)
    }

    @Test func `after two dashes there are only operands`() {
        #expect(choice("pause", "--", "-") == .transfers)
    }

    @Test func `help is about commands`() {
        #expect(words("help", "")?.contains("get") == true)
        #expect(words("help", "hooks", "") == ["remove"])
        #expect(words("help", "pause", "") == [])
    }

    @Test func `transfers that are not over are offered, with their files and states`() async throws
    {
        let daemon = try PlayedDaemon.sample()
        let found = await lines("pause x", of: daemon)
        #expect(
            found == [
                "words", "1\tbig.iso: running, 45% of 1000 B",
                "2\tbig.iso: waiting: enough from its host, 0 B", "4\tbig.iso: paused, 450 B",
            ]
        )
        #expect(daemon.calls == [])
    }

    @Test func `what is there already is not offered again`() async throws {
        let daemon = try PlayedDaemon.sample()
        #expect(await lines("pause 1 4 x", of: daemon).map { $0.prefix(2) } == ["wo", "2\t"])
    }

    @Test func `files are left to the shell`() async {
        #expect(await lines("get -o x") == ["files"])
        #expect(await lines("get -d x") == ["directories"])
    }

    @Test func `applications and the rules of the timetable are offered`() async {
        let launch = TransferDaemon.Launch(
            executable: "/usr/bin/app",
            arguments: [],
            workingDirectory: "/",
            environment: [:]
        )
        let daemon = PlayedDaemon(
            hooks: [.init(application: "org.example.App", launch: launch)],
            timetable: .init(
                file: "",
                rules: [.init(number: 1, text: "daily 512k", holds: true)]
            )
        )
        #expect(await lines("quit x", of: daemon) == ["words", "org.example.App\t/usr/bin/app"])
        #expect(await lines("limit --remove x", of: daemon) == ["words", "1\tdaily 512k"])
    }
}
