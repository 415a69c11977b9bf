import FerrySystem
import FerryTestSupport
import Foundation
import Testing

/// What the README and the articles show, as a reader would paste it.
@Suite(.timeLimit(.minutes(5))) struct CodeBlockTests {
    private let home: TestHome
    private let blocks: [CodeBlock]

    init() throws {
        home = try TestHome()
        blocks = try CodeBlock.pages.flatMap(CodeBlock.all)
    }

    @Test func `USE-1: each block of Swift in the README and the articles compiles`() async throws {
        let program = try String(
            contentsOf: CodeBlock.root.appending(path: "Tests/ReadmeProgram/main.swift"),
            encoding: .utf8
        )
        // The program is a target of its own.
        let parts = blocks.filter {
            $0.language == "swift" && !$0.isManifest && ReadmeTests.withArgument($0.text) != program
        }
        #expect(parts.count > 15)
        let files = try parts.enumerated().map { number, block in
            let file = "\(home.files)/block\(number).swift"
            try block.source(name: "block\(number)").write(
                toFile: file,
                atomically: true,
                encoding: .utf8
            )
            return file
        }
        let sources = CodeBlock.root.appending(path: "Sources").path
        let places =
            [
                TestHome.executable("Modules"), TestHome.executable("CFerryLinux.build"),
            ]
            + ["CBrotli", "CCurl", "COpenSSL", "CWslay", "CZlib", "CZstd"].map {
                "\(sources)/\($0)"
            }
        // Further than -typecheck: what is used before it has a value, or in two tasks at once, is an error of SIL.
        let compiler = try await run(
            ["swiftc", "-emit-sil", "-o", "/dev/null", "-wmo", "-swift-version", "6"]
                + ["-module-name", "Blocks"] + places.flatMap { ["-I", $0] } + files
        )
        #expect(compiler.exit == .exited(status: 0), "\(compiler.error)")
        // A method with other types than a delegate's is never called.
        #expect(!compiler.error.contains("nearly matches"), "\(compiler.error)")
    }

    @Test func `USE-1: each manifest in the README and the articles is one`() async throws {
        let manifests = blocks.filter(\.isManifest)
        #expect(manifests.count > 2)
        for (number, block) in manifests.enumerated() {
            let directory = "\(home.files)/package\(number)"
            try FileManager.default.createDirectory(
                atPath: directory,
                withIntermediateDirectories: true
            )
            try block.manifest.write(
                toFile: "\(directory)/Package.swift",
                atomically: true,
                encoding: .utf8
            )
            let reader = try await run([
                "swift", "package", "--package-path", directory, "dump-package",
            ])
            #expect(reader.exit == .exited(status: 0), "\(reader.error)")
        }
    }

    @Test func `USE-1: the targets of make that the README and the articles name are there`() throws
    {
        let makefile = try String(
            contentsOf: CodeBlock.root.appending(path: "Makefile"),
            encoding: .utf8
        )
        let targets = Set(
            makefile.matches(of: /(?m)^([a-z][a-z \-]*):/)
                .flatMap { $0.output.1.split(separator: " ").map(String.init) }
        )
        let named = try CodeBlock.pages.flatMap { page in
            try CodeBlock.commands(of: page, named: "make").map { (page, $0) }
        }
        #expect(named.count > 8)
        for (page, words) in named {
            for word in words { #expect(targets.contains(word), "\(page): make \(word)") }
        }
    }

    @Test func `USE-1: the commands of ferry that the README and the articles name are there`()
        async throws
    {
        let named = try CodeBlock.pages.flatMap { page in
            try CodeBlock.commands(of: page, named: "ferry").map { (page, $0) }
        }
        #expect(named.count > 20)
        let all = try await home.ferry("help").output
        let ofDaemon = try await home.ferry("daemon", "--help").output
        for (page, words) in named {
            let command = try #require(words.first)
            #expect(all.contains("\n  \(command) "), "\(page): ferry \(command)")
            if command == "daemon", words.count > 1 {
                #expect(ofDaemon.contains("\n  \(words[1]) "), "\(page): ferry daemon \(words[1])")
            }
        }
    }

    private func run(
        _ command: [String]
    ) async throws -> (exit: ProcessExit, output: String, error: String) {
        try await TestProcess.run(
            "/usr/bin/env",
            command,
            environment: ProcessInfo.processInfo.environment
        )
    }
}
