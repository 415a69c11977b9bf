import FerrySystem
import FerryTestSupport
import Foundation
import Testing

/// What ferryd remembers of transfers that have ended, by the commands that a person types later.
@Suite(.serialized, .timeLimit(.minutes(1))) struct EndedTransferEndToEndTests {
    private let home: TestHome
    private let server: FixtureServer

    init() throws {
        home = try TestHome()
        server = try FixtureServer()
        server.on("/debian.iso", .content(.text("bytes")))
        server.on("/gone.iso", .status(404))
    }

    /// Expects what the commands say of the first transfer.
    private func expectSaved() async throws {
        let path = "\(home.files)/debian.iso"
        let watch = try await home.ferry("watch", "1")
        #expect(watch.exit == .exited(status: 0))
        #expect(watch.output == path + "\n")
        #expect(
            watch.error.hasPrefix("ferry: debian.iso was saved as \(path) at "),
            "\(watch.error)"
        )
        let why = try await home.ferry("why", "1")
        #expect(why.exit == .exited(status: 0))
        #expect(why.output.contains("debian.iso was saved as \(path) at "), "\(why.output)")
        let list = try await home.ferry("list", "--all")
        #expect(list.output.contains(/\n1 +saved +5 B .*debian.iso/), "\(list.output)")
        #expect(try await home.ferry("list").output == "")
    }

    @Test func `USE-10: a saved file is remembered with its path, also after a kill of ferryd`()
        async throws
    {
        let url = server.url("/debian.iso")
        let get = try await home.ferry("get", "-d", home.files, url)
        #expect(get.exit == .exited(status: 0), "\(get.error)")
        try await expectSaved()
        await TestHome.kill(home.daemons)
        try await expectSaved()
        let cancel = try await home.ferry("cancel", "1")
        #expect(cancel.exit == .exited(status: 3))
        #expect(cancel.error.hasPrefix("ferry: 1: it has ended: debian.iso was saved as "))
    }

    @Test func `USE-10: so is one that was saved while no command ran`() async throws {
        let gate = FixtureGate()
        server.on("/debian.iso", .content(.text("bytes")).waiting(at: gate))
        let get = try await home.ferry(
            "get",
            "--detach",
            "-d",
            home.files,
            server.url("/debian.iso")
        )
        #expect(get.exit == .exited(status: 0), "\(get.error)")
        let (log, follower) = try await home.followLog()
        gate.open()
        _ = await log.next { $0.contains("ferry has ended") }
        await follower.killed()
        try await expectSaved()
    }

    @Test func `KEEP-2: a download that was given up is continued by the same command`()
        async throws
    {
        let content = FixtureContent.seeded(1, byteCount: 300_000)
        let file = FixtureAnswer.file(FixtureFile(content))
        server.on("/debian.iso", file.dropping(after: 100_000), file)
        let arguments = ["get", "--retries", "1", "-d", home.files, server.url("/debian.iso")]
        let first = try await home.ferry(arguments)
        #expect(first.exit == .exited(status: 6), "\(first.error)")
        // Of another request it is not.
        server.on("/other.iso", .content(.text("bytes")))
        let other = try await home.ferry("get", "-d", home.files, server.url("/other.iso"))
        #expect(other.exit == .exited(status: 0), "\(other.error)")
        let second = try await home.ferry(arguments)
        #expect(second.exit == .exited(status: 0), "\(second.error)")
        #expect(server.requests(to: "/debian.iso").map(\.range) == [nil, "bytes=100000-"])
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: "\(home.files)/debian.iso")))
        #expect(content.firstDifference(from: bytes) == nil)
        let hidden = try FileManager.default.contentsOfDirectory(atPath: home.files)
        #expect(Set(hidden) == ["debian.iso", "other.iso"])
    }

    @Test func `KEEP-2: what continues a download heeds the options of the later command`()
        async throws
    {
        let file = FixtureAnswer.file(FixtureFile(.seeded(1, byteCount: 300_000)))
        server.on("/debian.iso", file.dropping(after: 100_000), file)
        let arguments = ["--retries", "1", "-d", home.files, server.url("/debian.iso")]
        let first = try await home.ferry(["get"] + arguments)
        #expect(first.exit == .exited(status: 6), "\(first.error)")
        let wrong = "sha-256=\(String(repeating: "0", count: 64))"
        let second = try await home.ferry(["get", "--checksum", wrong] + arguments)
        #expect(second.exit == .exited(status: 9), "\(second.error)")
        let ranges = server.requests(to: "/debian.iso").prefix(2).map(\.range)
        #expect(ranges == [nil, "bytes=100000-"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.files) == [])
    }

    @Test func `USE-10: so is one that has failed, and one that was cancelled`() async throws {
        let get = try await home.ferry("get", "-d", home.files, server.url("/gone.iso"))
        #expect(get.exit == .exited(status: 8))
        let failed = try await home.ferry("watch", "1")
        #expect(failed.exit == .exited(status: 8))
        #expect(failed.error.contains("gone.iso failed at "), "\(failed.error)")
        #expect(failed.error.contains("404"), "\(failed.error)")
        let gate = FixtureGate()
        server.on("/slow.iso", .content(.text("bytes")).waiting(at: gate))
        _ = try await home.ferry("get", "--detach", "-d", home.files, server.url("/slow.iso"))
        let cancel = try await home.ferry("cancel", "2")
        #expect(cancel.exit == .exited(status: 0), "\(cancel.error)")
        // The process that ferryd starts for its end may not have acknowledged it yet.
        let watch = try await home.ferry("watch", "2")
        #expect(watch.exit == .exited(status: 1))
        #expect(watch.error.contains("cancelled"), "\(watch.error)")
    }

    @Test func `USE-15: the log does not take an error page for a file`() async throws {
        _ = try await home.ferry("get", "-d", home.files, server.url("/gone.iso"))
        let log = try await home.ferryOutput(["log", "1"])
        #expect(!log.contains("finished"), "\(log)")
        #expect(log.contains("404"), "\(log)")
    }
}
