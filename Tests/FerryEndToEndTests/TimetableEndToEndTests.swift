import FerrySystem
import FerryTestSupport
import FoundationEssentials
import Glibc
import Testing

/// The user's timetable, and a real ferryd that keeps it.
@Suite(.serialized, .timeLimit(.minutes(2))) struct TimetableEndToEndTests {
    private let home: TestHome
    private var file: String { home.path + "/.config/ferry/timetable" }

    init() throws {
        home = try TestHome(daemonArguments: ["--idle-time", "600"])
    }

    @discardableResult
    private func ferry(_ arguments: String...) async throws -> String {
        try await home.ferryOutput(arguments)
    }

    private func text() throws -> String { try String(contentsOfFile: file, encoding: .utf8) }

    /// Replaces the file as an editor does.
    private func save(_ text: String) throws {
        _ = try Directory(opening: home.path + "/.config/ferry", creatingPrivate: true)
        try Data(text.utf8).write(to: URL(filePath: file + ".new"))
        #expect(rename(file + ".new", file) == 0)
    }

    /// Asks ferryd for its limits until they are told as expected: nothing tells when it has noticed a change.
    private func expectLimits(_ text: String) async throws {
        while try await !ferry("limit").contains(text) {}
    }

    @Test func `a rule that ferry limit adds is on the disk and holds, after a kill of ferryd too`()
        async throws
    {
        try await ferry("limit", "daily", "512k")
        #expect(try text().hasSuffix("\ndaily 512k\n"))
        #expect(try await ferry("limit").hasPrefix("now:         512k/s down, 512k/s up\n"))
        await home.killAll(except: [])
        #expect(try await ferry("limit").contains("rules:       1  daily 512k  (now)\n"))
        try await ferry("limit", "200k")
        #expect(try await ferry("limit").hasPrefix("now:         200k/s down, 512k/s up\n"))
        try await ferry("limit", "--remove", "1")
        #expect(try await ferry("limit").hasPrefix("now:         200k/s down\n"))
        #expect(try !text().contains("512k"))
    }

    @Test func `a transfer is limited when the file appears, and set free when it is replaced`()
        async throws
    {
        let server = try FixtureServer()
        let content = FixtureContent.seeded(1, byteCount: 3_000_000)
        server.on("/song", .file(FixtureFile(content)))
        try await ferry("limit")
        try save("daily 20k\n")
        try await expectLimits("daily 20k  (now)")
        try await ferry("get", "--detach", "-d", home.files, server.url("/song"))
        // At this rate it would take two and a half minutes: it ends only because the limit does.
        try await server.waitUntil { !$0.requests.isEmpty }
        #expect(try await ferry("list", "--json").contains("\"state\":\"running\""))
        try save("# no more\n")
        try await home.watchToEnd(of: 1)
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: home.files + "/song")))
        #expect(content.firstDifference(from: bytes) == nil)
    }

    @Test func `a bad line is told of with its place, the others hold, and ferryd lives on`()
        async throws
    {
        try save("daily 512k\nMon-Fry 08:00-18:00 1k\n")
        let limits = try await ferry("limit")
        #expect(limits.hasPrefix("now:         512k/s down, 512k/s up\n"))
        let fault = "'Mon-Fry 08:00-18:00 1k': 'fry' is no day"
        #expect(try await ferry("daemon", "status").contains("timetable:   line 2 \(fault)"))
        #expect(try await ferry("log").contains("\(file):2: \(fault)"))
        let refused = try await home.ferry("limit", "Mon-Fry", "1k")
        #expect(refused.exit == .exited(status: 1))
        #expect(refused.error.contains("'Mon-Fry 1k': 'fry' is no day"), "\(refused.error)")
        try save("daily 512k\n")
        try await expectLimits("daily 512k")
        while try await ferry("daemon", "status").contains("timetable:") {}
    }

    @Test func `a file that cannot be written is an error that says so`() async throws {
        try save("daily 512k\n")
        _ = try Directory(
            opening: home.path + "/.config/ferry/.timetable.new",
            creatingPrivate: true
        )
        let refused = try await home.ferry("limit", "Sat", "1k")
        #expect(refused.exit == .exited(status: 1))
        #expect(
            refused.error.hasPrefix(
                "ferry: the timetable was not changed: \(file): it cannot be written: "
            ),
            "\(refused.error)"
        )
        #expect(try text() == "daily 512k\n")
    }

    @Test func `the hours are those of the user's time zone`() async throws {
        let utc = try await TestProcess.run(
            "/bin/date",
            ["-u", "+%H"],
            environment: [:]
        ).output
        let hour = try #require(Int(utc.filter(\.isNumber)))
        // Twelve hours from UTC, where it is day while it is night here.
        let far = try TestHome(variables: ["TZ": "FAR-12"])
        let begin = (hour + 11) % 24
        let end = (hour + 14) % 24
        let hours = "\(begin):00-\(end):00"
        let limit = try await far.ferry("limit", "daily", hours, "1k")
        #expect(limit.exit == .exited(status: 0), "\(limit.error)")
        #expect(try await far.ferry("limit").output.contains(" 1k  (now)"))
        try await ferry("limit", "daily", hours, "1k")
        #expect(try await !ferry("limit").contains("(now)"))
    }
}
