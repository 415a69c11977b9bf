import FerrySystem
import FerryTestSupport
import Foundation
import Glibc
import Testing

/// The first program that a stranger sees: the README's, pasted as it is.
@Suite(.serialized, .timeLimit(.minutes(1))) struct ReadmeTests {
    private static let root = CodeBlock.root

    private let home: TestHome
    private let server: FixtureServer
    private let gate = FixtureGate()

    init() throws {
        home = try TestHome()
        server = try FixtureServer()
        server.on("/debian.iso", .content(.text("bytes")).stalling(after: 2, at: gate))
    }

    @Test func `USE-1: the program that is tested here is that of the README and of the article`()
        throws
    {
        let path = Self.root.appending(path: "Tests/ReadmeProgram/main.swift")
        let program = try String(contentsOf: path, encoding: .utf8)
        // The README has its URL in the program.
        let readme = try CodeBlock.all(of: "README.md").map { Self.withArgument($0.text) }
        #expect(readme.first == program)
        let article = try CodeBlock.all(of: "Sources/Ferry/Ferry.docc/Getting-started.md").map(
            \.text
        )
        #expect(article.contains(program))
    }

    @Test func `USE-1: the README's program fetches its file once, and is not started again`()
        async throws
    {
        gate.open()
        let program = try await start()
        #expect(await program.ended() == .exited(status: 0))
        #expect(try file == "bytes")
        #expect(server.requests.count == 1)
        // Nothing is left for which it could be started.
        #expect(try await home.presentTransfers() == [])
        let hooks = try await home.ferry("hooks")
        #expect(hooks.output == "", "\(hooks.output)")
    }

    @Test func `USE-11: the README's program replaces its file when it is run again`() async throws
    {
        gate.open()
        let first = try await start()
        #expect(await first.ended() == .exited(status: 0))
        #expect(try file == "bytes")
        server.on("/debian.iso", .content(.text("others")))
        let second = try await start()
        #expect(await second.ended() == .exited(status: 0))
        #expect(try file == "others")
        #expect(server.requests.count == 2)
        let names = try FileManager.default.contentsOfDirectory(atPath: home.files)
        #expect(names.filter { $0.hasPrefix("debian") } == ["debian.iso"])
    }

    @Test(arguments: [[], [""]])
    func `USE-11: without a URL the program of the article says so, and ends`(
        arguments: [String]
    ) async throws {
        let program = try await start(arguments)
        #expect(await program.ended() == .exited(status: 2))
        #expect(server.requests.isEmpty)
    }

    @Test(
        .disabled(
            if: Sanitizer.isOn,
            "ferryd starts the program without the sanitizer's options, and so without its suppressions"
        )
    )
    func `USE-1: the README's program, killed, is started for its file, and fetches no other`()
        async throws
    {
        let program = try await start()
        try await server.waitUntil { $0.requests.count == 1 }
        await program.killed()
        // Run by a person meanwhile, it waits for the same download.
        let again = try await start()
        let (log, follower) = try await home.followLog()
        await again.killed()
        gate.open()
        _ = await log.next { $0.contains("readme-program has ended: exit status 0") }
        await follower.killed()
        #expect(try file == "bytes")
        #expect(server.requests.count == 1)
        #expect(try await home.presentTransfers() == [])
    }

    @Test func `each file that a page leads to is there`() throws {
        let page = Self.root.appending(path: "docs/where-to-change-what.md")
        let paths = try String(contentsOf: page, encoding: .utf8)
            .matches(of: /`((?:Sources|Tests|scripts)\/[^`]+)`/).map(\.output.1)
        #expect(paths.count > 40)
        for path in paths {
            let place = Self.root.appending(path: path).path
            #expect(FileManager.default.fileExists(atPath: place), "\(path)")
        }
    }

    @Test(arguments: ["CCurl", "COpenSSL", "CSQLite", "CWslay"])
    func `USE-8: where the headers of a library are missing, the compiler names its packages`(
        module: String
    ) async throws {
        let readme = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
        let rows = readme.matches(of: /\| `((apt|dnf|pacman|zypper) \S+) (.*)` \|/)
        try #require(rows.count == 4)
        let shim = Self.root.appending(path: "Sources/\(module)/shim.h").path
        let compiler = try await TestProcess.run(
            "/usr/bin/cc",
            ["-E", "-nostdinc", "-I", home.files, shim],
            environment: home.environment
        )
        #expect(compiler.exit == .exited(status: 1))
        for row in rows {
            let told = try #require(compiler.error.split(separator: "\(row.1) ").dropFirst().first)
            let package = try #require(told.split { ", (".contains($0) }.first)
            #expect(row.3.split(separator: " ").contains(package), "\(row.1) \(package)")
        }
    }

    /// A program that has the URL as its argument.
    static func withArgument(_ program: String) -> String {
        program.replacing(
            #""https://example.org/debian.iso""#,
            with: #"CommandLine.arguments.dropFirst().first ?? """#
        )
    }

    private func start(_ arguments: [String]? = nil) async throws -> TestProcess {
        // It saves its file in its working directory.
        try await TestProcess(
            "/bin/sh",
            [
                "-c", #"cd "$1" && shift && exec "$@""#, "sh", home.files,
                TestHome.executable("readme-program"),
            ] + (arguments ?? [server.url("/debian.iso")]),
            environment: home.environment
        )
    }

    private var file: String {
        get throws { try String(contentsOfFile: "\(home.files)/debian.iso", encoding: .utf8) }
    }
}

/// A program that is no more than the README's first lines of code.
@Suite(.serialized, .timeLimit(.minutes(2))) struct PastedSnippetTests {
    @Test func `USE-1: a program that handles no events downloads once and is not started again`()
        async throws
    {
        let home = try TestHome()
        let server = try FixtureServer()
        // What ends while the program is still there is told to it.
        let gate = FixtureGate()
        server.on("/debian.iso", .content(.text("disc")).waiting(at: gate))
        let program = try await TestProcess(
            TestHome.executable("ferry-test-app"),
            ["--snippet", server.url("/debian.iso")],
            environment: home.environment
        )
        #expect(await program.ended() == .exited(status: 0))
        gate.open()
        _ = try await home.ferry("watch", "1")
        // Nothing is left to be done: it would stay if it were to start a program.
        await home.untilNoDaemon()
        #expect(server.requests.count == 1)
        let list = try await home.ferry("list", "--all")
        #expect(list.output.contains("debian.iso"))
        // A person can be rid of it.
        let cancel = try await home.ferry("cancel", "1")
        #expect(cancel.output == "1 was over; it is forgotten, with its file.\n")
        #expect(cancel.exit == .exited(status: 0))
    }
}
