import Testing

@testable import FerryCommand

@Suite(.timeLimit(.minutes(5))) struct ArgumentParserTests {
    private static let switchOption = OptionSyntax("switch", letter: "s", help: "")
    private static let valueOption = OptionSyntax("value", letter: "v", value: "V", help: "")

    private struct Anything: Command {
        static let syntax = CommandSyntax(
            name: "do",
            summary: "do it",
            options: [switchOption, valueOption],
            operands: .any("WORD"),
            command: Self.self
        )

        init(_ arguments: Arguments) throws(UsageError) {}

        func run(in context: Context) async throws -> ExitCode { .success }
    }

    private static let root = CommandSyntax(
        name: "ferry",
        summary: "",
        options: [.version],
        subcommands: [Anything.syntax]
    )

    private func arguments(_ words: String...) throws -> Arguments {
        let request = try ArgumentParser.parse(["do"] + words, root: Self.root)
        guard case .run(_, let arguments) = request else {
            throw UsageError(message: "no command: \(request)")
        }
        return arguments
    }

    @Test func `a value follows its option, is attached to it, or stands after an equals sign`()
        throws
    {
        for words in [["--value", "x"], ["--value=x"], ["-v", "x"], ["-vx"], ["-svx"]] {
            let request = try ArgumentParser.parse(["do"] + words, root: Self.root)
            guard case .run(_, let arguments) = request else { continue }
            #expect(arguments.value(of: Self.valueOption) == "x", "\(words)")
        }
    }

    @Test func `a value may begin with a dash, be empty or hold an equals sign`() throws {
        #expect(try arguments("-v", "-x").value(of: Self.valueOption) == "-x")
        #expect(try arguments("--value=").value(of: Self.valueOption) == "")
        #expect(try arguments("--value=a=b").value(of: Self.valueOption) == "a=b")
    }

    @Test func `of two values the last counts, and both are kept`() throws {
        let arguments = try arguments("-v", "a", "-v", "b")
        #expect(arguments.value(of: Self.valueOption) == "b")
        #expect(arguments.values(of: Self.valueOption) == ["a", "b"])
    }

    @Test func `options and operands mix, and after two dashes all is operand`() throws {
        let arguments = try arguments("a", "-s", "b", "--", "-v", "--help")
        #expect(arguments.operands == ["a", "b", "-v", "--help"])
        #expect(arguments.has(Self.switchOption))
        #expect(!arguments.has(Self.valueOption))
    }

    @Test func `a single dash is an operand`() throws {
        #expect(try arguments("-").operands == ["-"])
    }

    @Test(arguments: [["do", "--help"], ["do", "-h"], ["help", "do"], ["--help", "do"]])
    func `help is shown before anything is checked`(words: [String]) throws {
        guard case .help(let syntax, let path) = try ArgumentParser.parse(words, root: Self.root)
        else {
            Issue.record("no help for \(words)")
            return
        }
        let isRoot = words == ["--help", "do"]
        #expect(syntax.name == (isRoot ? "ferry" : "do"))
        #expect(path == (isRoot ? [] : ["do"]))
    }

    @Test func `task numbers are taken once each`() throws {
        #expect(try arguments("3", "1", "3").taskIdentifiers() == [3, 1])
    }

    @Test(arguments: [
        ("gte", "get"), ("ge", "get"), ("got", "get"), ("canlce", "cancel"), ("LIST", "list"),
    ])
    func `a slip of a finger is recognised`(typed: String, meant: String) {
        #expect(Suggestion.nearest(to: typed, among: ["get", "list", "cancel"]) == meant)
    }

    @Test(arguments: ["", "xyz", "fetch", "download"])
    func `what resembles nothing gets no suggestion`(typed: String) {
        #expect(Suggestion.nearest(to: typed, among: ["get", "list", "cancel"]) == nil)
    }

    @Test(arguments: [
        ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("abc", "acb", 1), ("abc", "abd", 1),
        ("kitten", "sitting", 3),
    ])
    func `a swap of neighbours counts as one slip`(from: String, to: String, distance: Int) {
        #expect(Suggestion.distance(from: from, to: to) == distance)
    }
}
