import FerrySystem
import FerryTestSupport
import FoundationEssentials
import Glibc
import Testing

/// The files with settings, and a real ferryd that reads them.
@Suite(.serialized, .timeLimit(.minutes(2))) struct SettingsEndToEndTests {
    private let home: TestHome
    /// Holds the system's directory for settings, as long as the test.
    private let system: TemporaryDirectory
    private var file: String { home.path + "/.config/ferry/ferry.conf" }
    private var systemFile: String { system.path + "/ferry/ferry.conf" }

    init() throws {
        system = try TemporaryDirectory()
        home = try TestHome(
            daemonArguments: ["--idle-time", "600"],
            variables: ["XDG_CONFIG_DIRS": system.path]
        )
    }

    @discardableResult
    private func ferry(_ arguments: String...) async throws -> String {
        try await home.ferryOutput(arguments)
    }

    private func save(_ text: String, as path: String) throws {
        let directory = URL(filePath: path).deletingLastPathComponent().path
        _ = try Directory(opening: directory, creatingPrivate: true)
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    /// Returns the value of a setting and where it is from, with one space between.
    private func setting(_ name: String) async throws -> String? {
        let lines = try await ferry("config").split(separator: "\n")
        return lines.map { $0.split(separator: " ") }.first { $0.first == name[...] }?
            .dropFirst().joined(separator: " ")
    }

    @Test func `each setting is from where it should be`() async throws {
        try save("[ferryd]\nconnections=2\nidle-time=5\nsend-rate=1M\n", as: file)
        try save("[ferryd]\n# all\nconnections=3\nmaximum-per-host=4\n", as: systemFile)
        try await ferry("limit", "--upload", "500k", "none")
        #expect(try await setting("connections") == "2 \(file):2")
        #expect(try await setting("maximum-per-host") == "4 \(systemFile):4")
        #expect(try await setting("idle-time") == "600 ferryd's command line")
        #expect(try await setting("send-rate") == "500k ferry limit")
        #expect(try await setting("splice-from") == "16777216 default")
        #expect(try await setting("ca-file") == "- default")
        try await ferry("limit", "none")
        #expect(try await setting("send-rate") == "1M \(file):4")
    }

    @Test func `a bad line is told of in four places, the others hold, and ferryd lives on`()
        async throws
    {
        try save("[ferryd]\ncolour=red\nconnections=2\nretry-delay=soon\n", as: file)
        #expect(try await setting("connections") == "2 \(file):3")
        let unknown = "\(file):2: 'colour': there is no such setting; ferry.conf(5) lists them"
        let bad =
            "\(file):4: 'retry-delay': it takes a number of seconds from 0 to 86400, not 'soon'"
        for command in [["config"], ["daemon", "status"], ["log"]] {
            let output = try await home.ferryOutput(command)
            #expect(output.contains(unknown) && output.contains(bad), "\(output)")
        }
        let process = home.daemons
        let refused = try await home.ferry("daemon", "reload")
        #expect(refused.exit == .exited(status: 1))
        #expect(refused.error == "ferry: \(unknown)\nferry: \(bad)\n")
        try save("[ferryd]\nretry-delay=1\n", as: file)
        #expect(try await ferry("daemon", "reload") == "")
        #expect(try await setting("retry-delay") == "1 \(file):2")
        #expect(try await setting("connections") == "4 default")
        #expect(try await !ferry("daemon", "status").contains("settings:"))
        #expect(home.daemons == process)
    }

    @Test func `a reload sets a running transfer free, in the same ferryd`() async throws {
        let server = try FixtureServer()
        let content = FixtureContent.seeded(1, byteCount: 3_000_000)
        server.on("/song", .file(FixtureFile(content)))
        try save("[ferryd]\nreceive-rate=20k\n", as: file)
        async let get = ferry("get", "-d", home.files, server.url("/song"))
        // At this rate it would take two and a half minutes: it ends only because the limit does.
        try await server.waitUntil { !$0.requests.isEmpty }
        #expect(try await ferry("limit").hasPrefix("now:         20k/s down\n"))
        let process = home.daemons
        try save("[ferryd]\n", as: file)
        try await ferry("daemon", "reload")
        _ = try await get
        #expect(home.daemons == process)
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: home.files + "/song")))
        #expect(content.firstDifference(from: bytes) == nil)
    }

    @Test func `the signal HUP has the files read again`() async throws {
        #expect(try await setting("connections") == "4 default")
        try save("[ferryd]\nconnections=7\n", as: file)
        let process = try #require(home.daemons.first)
        #expect(kill(process, SIGHUP) == 0)
        while try await setting("connections") != "7 \(file):2" {}
        #expect(home.daemons == [process])
    }

    @Test func `a proxy of the settings is for sessions that name none`() async throws {
        let proxy = try FixtureServer()
        proxy.on("http://elsewhere.example/song", .content(.text("by the proxy")))
        let address = proxy.url("/").dropFirst("http://".count).dropLast()
        try save("[ferryd]\nhttp-proxy=http://me:secret@\(address)\n", as: file)
        try await ferry("get", "-d", home.files, "http://elsewhere.example/song")
        let text = try String(contentsOfFile: home.files + "/song", encoding: .utf8)
        #expect(text == "by the proxy")
        #expect(try await setting("http-proxy") == "http://...@\(address) \(file):2")
        #expect(try await !ferry("log").contains("secret"))
    }
}
