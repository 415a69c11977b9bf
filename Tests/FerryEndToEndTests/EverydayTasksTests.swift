import FerrySystem
import FerryTestSupport
import Foundation
import Glibc
import Testing

/// Ten everyday tasks of people who know curl, wget2 and aria2, in terminals of three widths.
///
/// What the other three need for each is in docs/coming-from.md.
@Suite(.serialized, .timeLimit(.minutes(3))) struct EverydayTasksTests {
    private static let content = FixtureContent.seeded(5, byteCount: 3_000_000)

    private let home: TestHome
    private let server: FixtureServer

    init() throws {
        home = try TestHome(daemonArguments: ["--retry-delay", "0.02", "--relaunch-delay", "0.05"])
        server = try FixtureServer()
        server.on("/debian.iso", .file(FixtureFile(Self.content)))
    }

    /// Runs a command line in a terminal; returns the screen once it has ended, whose lines are as wide as it at most.
    @discardableResult
    private func run(
        _ line: String,
        columns: Int,
        status: Int = 0,
        _ location: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let terminal = try await Terminal(
            in: home,
            columns: columns,
            rows: 40,
            "cd '\(home.files)'; \(line)"
        )
        let screen = try await terminal.show { $0.contains("ended ") }
        #expect(screen.contains("ended \(status)"), "\(screen)", sourceLocation: location)
        for row in screen.split(separator: "\n") {
            #expect(row.count <= columns, "\(screen)", sourceLocation: location)
        }
        return screen
    }

    private func file(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: "\(home.files)/\(name)")))
    }

    @Test(arguments: [60, 80, 120]) func `a list of 200 is mirrored`(columns: Int) async throws {
        for number in 1...200 {
            server.on("/mirror/\(number)", .content(.text("content \(number)")))
        }
        let list = (1...200).map { server.url("/mirror/\($0)") }.joined(separator: "\n")
        try Data(list.utf8).write(to: URL(filePath: "\(home.files)/list.txt"))
        let screen = try await run("ferry get -i list.txt -d mirror", columns: columns)
        #expect(screen.contains("200 of 200"), "\(screen)")
        #expect(try file("mirror/200") == Array("content 200".utf8))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: "\(home.files)/mirror").count == 200
        )
    }

    @Test(arguments: [60, 80, 120]) func `a broken file of another program is continued`(
        columns: Int
    ) async throws {
        let held = 2_000_000
        let begun = Self.content.bytes(in: 0..<Int64(held))
        try Data(begun).write(to: URL(filePath: "\(home.files)/debian.iso.part"))
        let screen = try await run("ferry get -c \(server.url("/debian.iso"))", columns: columns)
        #expect(screen.contains("debian.iso.part: continues after 1.9 MiB"), "\(screen)")
        #expect(Self.content.firstDifference(from: try file("debian.iso")) == nil)
        // The first asks how long the file is; the second compares the last 64 KiB.
        let ranges = server.requests.map { $0["Range"] ?? "-" }
        #expect(ranges == ["bytes=0-0", "bytes=\(held - 65_536)-"])
        #expect(try file("debian.iso.part") == begun)
    }

    @Test(arguments: [60, 80, 120])
    func `a nightly job behind a proxy says nothing unless it fails`(
        columns: Int
    ) async throws {
        server.on("http://files.invalid/backup.tar", .content(.text("backup")))
        let proxy = "http://127.0.0.1:\(server.port)"
        let job = "ferry get -q --overwrite -x \(proxy) -d out http://files.invalid/"
        let quiet = try await run("\(job)backup.tar", columns: columns)
        #expect(quiet.split(separator: "\n").first == "ended 0", "\(quiet)")
        #expect(try file("out/backup.tar") == Array("backup".utf8))
        let failed = try await run("\(job)absent.tar", columns: columns, status: 8)
        #expect(failed.contains("404"), "\(failed)")
    }

    @Test(arguments: [60, 80, 120]) func `a backup is uploaded`(columns: Int) async throws {
        let uploads = try UploadServer(version: 8) { _ in UploadBehaviour() }
        try Data(Self.content.bytes).write(to: URL(filePath: "\(home.files)/backup.tar"))
        let screen = try await run("ferry put backup.tar \(uploads.url("/in/"))", columns: columns)
        #expect(screen.contains("sent, 2.9 MiB"), "\(screen)")
        #expect(Self.content.firstDifference(from: uploads.contents(of: "/in/backup.tar")) == nil)
    }

    @Test(arguments: [60, 80, 120]) func `an archive is unpacked while it comes`(
        columns: Int
    ) async throws {
        let made = try await TestProcess.run(
            "/bin/sh",
            [
                "-c",
                "cd '\(home.files)' && echo hello > a.txt && tar cf ../a.tar a.txt && rm a.txt",
            ],
            environment: home.environment
        )
        #expect(made.exit == .exited(status: 0))
        let tar = try Data(contentsOf: URL(filePath: "\(home.files)/../a.tar"))
        server.on("/a.tar", .content(.bytes(Array(tar))))
        let screen = try await run(
            "ferry get -q -o - \(server.url("/a.tar")) | tar xv",
            columns: columns
        )
        #expect(screen.contains("a.txt"), "\(screen)")
        #expect(try file("a.txt") == Array("hello\n".utf8))
    }

    @Test(arguments: [60, 80, 120]) func `files are checked by SHA256SUMS`(
        columns: Int
    ) async throws {
        try Data(Self.content.bytes).write(to: URL(filePath: "\(home.path)/copy"))
        let sum = try await TestProcess.run(
            "/usr/bin/sha256sum",
            ["\(home.path)/copy"],
            environment: home.environment
        ).output.prefix(64)
        let wrong = String(repeating: "0", count: 64)
        server.on("/SHA256SUMS", .content(.text("\(sum)  debian.iso\n\(wrong)  other.iso\n")))
        server.on("/other.iso", .file(FixtureFile(Self.content)))
        let sums = "ferry get --checksums \(server.url("/SHA256SUMS"))"
        try await run("\(sums) \(server.url("/debian.iso"))", columns: columns)
        #expect(Self.content.firstDifference(from: try file("debian.iso")) == nil)
        let screen = try await run(
            "\(sums) \(server.url("/other.iso"))",
            columns: columns,
            status: 9
        )
        #expect(screen.contains("failed"), "\(screen)")
        #expect(access("\(home.files)/other.iso", F_OK) != 0)
    }

    @Test(arguments: [60, 80, 120]) func `a browser's cookies log in`(columns: Int) async throws {
        server.on("/members/song.ogg") { request in
            request["Cookie"] == "session=s3cret"
                ? .content(.text("song")) : .status(403)
        }
        let cookies = "127.0.0.1\tFALSE\t/members\tFALSE\t0\tsession\ts3cret\n"
        try Data(cookies.utf8).write(to: URL(filePath: "\(home.files)/cookies.txt"))
        try await run(
            "ferry get -b cookies.txt \(server.url("/members/song.ogg"))",
            columns: columns
        )
        #expect(try file("song.ogg") == Array("song".utf8))
    }

    @Test(arguments: [60, 80, 120]) func `a download waits for its hours`(
        columns: Int
    ) async throws {
        // Hours that are half a day from now, whenever this is.
        let hour = Calendar.current.component(.hour, from: Date())
        let (start, end) = ((hour + 11) % 24, (hour + 13) % 24)
        try await run("ferry limit daily \(start):00-\(end):00 discretionary", columns: columns)
        try await run(
            "ferry get --detach --when-idle \(server.url("/debian.iso"))",
            columns: columns
        )
        let list = try await run("ferry list", columns: columns)
        #expect(list.contains("waits until"), "\(list)")
        #expect(list.contains("debian.iso"), "\(list)")
        let why = try await run("ferry why 1", columns: columns)
        #expect(why.contains("not an hour for"), "\(why)")
        #expect(server.requests.isEmpty)
        try await run("ferry resume --now 1 && ferry watch 1", columns: columns)
        #expect(Self.content.firstDifference(from: try file("debian.iso")) == nil)
    }

    @Test(arguments: [60, 80, 120]) func `after a reboot a download goes on`(
        columns: Int
    ) async throws {
        let gate = FixtureGate()
        server.on(
            "/big.iso",
            .file(FixtureFile(Self.content)).stalling(after: 1_000_000, at: gate)
        )
        try await run("ferry get --detach \(server.url("/big.iso"))", columns: columns)
        try await server.waitUntil { $0.requests(to: "/big.iso").count == 1 }
        await home.killAll(except: [])
        gate.open()
        let screen = try await run("ferry watch 1", columns: columns)
        #expect(screen.contains("big.iso"), "\(screen)")
        #expect(Self.content.firstDifference(from: try file("big.iso")) == nil)
    }

    @Test(arguments: [60, 80, 120]) func `what was loaded last week is listed`(
        columns: Int
    ) async throws {
        server.on("/absent.iso", .status(404))
        try await run("ferry get -q \(server.url("/debian.iso"))", columns: columns)
        try await run("ferry get -q \(server.url("/absent.iso"))", columns: columns, status: 8)
        let screen = try await run("ferry history --since 7d", columns: columns)
        #expect(screen.contains("saved") && screen.contains("failed"), "\(screen)")
        #expect(screen.contains("debian.iso") && screen.contains("absent.iso"), "\(screen)")
        let found = try await run("ferry history --since 7d debian", columns: columns)
        #expect(!found.contains("absent.iso"), "\(found)")
        let none = try await run("ferry history --until 7d", columns: columns)
        #expect(none.contains("no such transfers"), "\(none)")
    }
}
