import FerrySystem
import FerryTestSupport
import FerryWire
import Foundation
import Testing

@testable import FerryCommand

/// The pages of the manual: those that are made of the commands' syntax, and those that are written by hand.
@Suite(.timeLimit(.minutes(5))) struct ManualTests {
    private static let written = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
    }.appending(path: "packaging/manual")

    private static let pages = ManualPage.all(
        of: Program.syntax,
        date: Date(timeIntervalSince1970: 1_790_000_060)
    )

    private func page(_ name: String) throws -> String {
        try #require(Self.pages.first { $0.name == name }).text
    }

    /// Writes all pages into a directory, as `make install` does.
    private func write(to directory: TemporaryDirectory) async throws {
        let run = await CommandLineRun("manual \(directory.path)")
        #expect(run.code == .success)
        #expect(run.output + run.error == "")
        for name in try FileManager.default.contentsOfDirectory(atPath: Self.written.path) {
            try FileManager.default.copyItem(
                at: Self.written.appending(path: name),
                to: URL(filePath: directory.path).appending(path: name)
            )
        }
    }

    @Test func `each command that people need has a page, and ferry's page names it`() throws {
        let root = try page("ferry")
        for command in Program.syntax.subcommands {
            let name = "ferry-\(command.name)"
            #expect(Self.pages.contains { $0.name == name } == !command.isHidden, "\(name)")
            #expect(root.contains(".It Xr \(name) 1\n") == !command.isHidden, "\(name)")
        }
    }

    @Test func `each option stands in the page of its command, with its letter and its value`()
        throws
    {
        func check(_ syntax: CommandSyntax, in page: String) {
            for option in syntax.allOptions {
                let name = option.name.replacing("-", with: "\\-")
                let letter = option.letter.map { "Fl \($0) , " } ?? ""
                let value = option.value == nil ? "\n" : " Ar "
                #expect(page.contains(".It \(letter)Fl \\-\(name)\(value)"), "\(option.label)")
            }
        }
        check(Program.syntax, in: try page("ferry"))
        for command in Program.syntax.shownSubcommands {
            let page = try page("ferry-\(command.name)")
            check(command, in: page)
            for subcommand in command.subcommands {
                #expect(page.contains(".Ss ferry \(command.name) \(subcommand.name)\n"))
                check(subcommand, in: page)
            }
        }
    }

    @Test func `a page says how its command is called, what it does and what it exits with`() throws
    {
        let page = try page("ferry-hooks")
        #expect(
            page.hasPrefix(
                """
                .\\" Made by 'ferry manual', Ferry \(FerryVersion.current), from the syntax of the command.
                .Dd September 21, 2026
                .Dt FERRY-HOOKS 1
                .Os
                .Sh NAME
                .Nm ferry-hooks
                .Nd show the programs that ferryd may start
                .Sh SYNOPSIS
                .Nm ferry Cm hooks
                .Op Ar options
                .Nm ferry Cm hooks remove
                .Ar APPLICATION
                .Sh DESCRIPTION
                Show the programs that ferryd may start.
                .Pp

                """
            )
        )
        for code in ExitCode.allCases { #expect(page.contains(".It \(code.rawValue)\n")) }
    }

    @Test func `the examples are command lines that make sense`() throws {
        var count = 0
        for command in Program.syntax.shownSubcommands {
            for example in command.examples {
                // As far as a pipe, without quotes.
                let line = example.line.prefix { $0 != "|" }.filter { $0 != "'" }
                    .replacing("$DIGEST", with: String(repeating: "0", count: 64))
                let words = line.split(separator: " ").map(String.init)
                #expect(words.first == "ferry")
                guard
                    case .run(let type, let arguments) = try ArgumentParser.parse(
                        Array(words.dropFirst()),
                        root: Program.syntax
                    )
                else {
                    Issue.record("\(example.line) runs nothing")
                    continue
                }
                #expect(arguments.command == [command.name])
                _ = try type.init(arguments)
                count += 1
            }
        }
        #expect(count > 10)
    }

    @Test func `ferry.conf(5) has every setting, what it takes and its default`() {
        let page = SettingsPage(date: Date(timeIntervalSince1970: 0)).text
        #expect(page.contains("\n.Dd January 1, 1970\n.Dt FERRY.CONF 5\n"))
        for setting in DaemonSetting.allCases {
            let name = setting.name.replacing("-", with: "\\-")
            #expect(page.contains(".It Cm \(name) Ns = Ns Ar "), "\(setting)")
            let standard = setting.standard.map {
                "The default is\n.Ql \(ManualText.argument($0)) .\n"
            }
            #expect(page.contains(standard ?? "There is no default.\n"), "\(setting)")
        }
    }

    @Test func `mandoc finds nothing to say about any page`() async throws {
        let directory = try TemporaryDirectory()
        try await write(to: directory)
        let names = try directory.directory.names().sorted()
        #expect(names.count == Self.pages.count + 4)
        // References are looked for where it runs.
        let lint = try await TestProcess.run(
            "/bin/sh",
            ["-c", "cd '\(directory.path)' && exec mandoc -T lint *"],
            environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"]
        )
        #expect(lint.exit == .exited(status: 0))
        #expect(lint.output + lint.error == "")
    }

    @Test func `man shows every page without a warning`() async throws {
        let directory = try TemporaryDirectory()
        try await write(to: directory)
        for name in try directory.directory.names() {
            let man = try await TestProcess.run(
                "/usr/bin/man",
                ["--warnings", "--local-file", "\(directory.path)/\(name)"],
                environment: [
                    "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "MANWIDTH": "80", "PAGER": "cat",
                ]
            )
            #expect(man.exit == .exited(status: 0))
            #expect(man.error == "", "\(name)")
            #expect(man.output.contains("SYNOPSIS") || man.output.contains("DESCRIPTION"))
        }
    }

    @Test(arguments: Program.syntax.shownSubcommands.flatMap(\.examples).map(\.line))
    func `USE-16: an example that is pasted from a terminal of 80 columns is one command`(
        line: String
    ) async throws {
        let directory = try TemporaryDirectory()
        try await write(to: directory)
        let name = try #require(
            Program.syntax.shownSubcommands.first { $0.examples.contains { $0.line == line } }
        ).name
        let man = try await TestProcess.run(
            "/usr/bin/man",
            ["--local-file", "\(directory.path)/ferry-\(name).1"],
            environment: [
                "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "MANWIDTH": "80", "PAGER": "cat",
                "GROFF_NO_SGR": "1",
            ]
        )
        #expect(man.exit == .exited(status: 0))
        // Bold letters are printed twice, one over the other, where no terminal is.
        let page = man.output.replacing(/.\u{8}/, with: "")
        // A shell goes on behind a backslash at the end of a line.
        let words = page.replacing("\\\n", with: " ")
            .split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        #expect(words.contains(line), "\(page)")
    }

    @Test func `the pages have the date that a reproducible build wants`() async throws {
        let directory = try TemporaryDirectory()
        let run = await CommandLineRun(
            "manual \(directory.path)",
            environment: ["SOURCE_DATE_EPOCH": "86400"]
        )
        #expect(run.code == .success)
        let page = try directory.directory.open("ferry.1", .read).readToEnd(limit: 1 << 20)
        #expect(String(decoding: page, as: UTF8.self).contains("\n.Dd January 2, 1970\n"))
    }

    @Test func `that there is no such directory is said`() async {
        let run = await CommandLineRun("manual /nonexistent/manual")
        #expect(run.code == .failure)
        #expect(
            run.error == """
                ferry: /nonexistent/manual/ferry.1 cannot be written; check that its directory exists and \
                that you may write in it

                """
        )
    }
}

@Suite(.timeLimit(.minutes(5))) struct ManualTextTests {
    @Test(arguments: [
        ("Sentences end. Lines, too.", ["Sentences end.", "Lines, too."]),
        ("see 'ferry watch ID'; it waits", ["see", ".Ql \"ferry watch ID\" ;", "it waits"]),
        ("as --give-up-after says.", ["as", ".Fl \\-give\\-up\\-after", "says."]),
        ("with --detach, a week", ["with", ".Fl \\-detach ,", "a week"]),
        ("up to N connections", ["up to", ".Ar \\&N", "connections"]),
        ("in ~/.config/ferry.", ["in", ".Pa \\(ti/.config/ferry ."]),
        ("see ferry-limit(1).", ["see", ".Xr ferry-limit 1 ."]),
        (".hidden is 'No'", ["\\&.hidden is", ".Ql \\&No"]),
        ("the transfers' IDs", ["the transfers\\(aq IDs"]),
        ("a \\ and \"this\"…", ["a \\e and \\(dqthis\\(dq\\[u2026]"]),
    ])
    func `what the help marks gets its macro, and what mdoc reads otherwise is escaped`(
        text: String,
        lines: [String]
    ) {
        #expect(ManualText(text, placeholders: ["N"]).lines == lines)
    }
}
