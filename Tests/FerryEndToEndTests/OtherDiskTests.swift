import FerrySystem
import FerryTestSupport
import Foundation
import Glibc
import Testing

/// A home with little room, and files that go elsewhere.
@Suite(.serialized, .enabled(if: SmallDisk.canBeMade), .timeLimit(.minutes(2)))
struct OtherDiskTests {
    private let homeDisk: SmallDisk
    private let home: TestHome
    private let target: SmallDisk
    private let server: FixtureServer
    /// Larger than the home has room for.
    private let content = FixtureContent.seeded(7, byteCount: 16_000_000)

    init() throws {
        homeDisk = try SmallDisk(byteCount: 8 << 20)
        home = try TestHome(in: homeDisk.path)
        target = try SmallDisk(byteCount: 40 << 20)
        server = try FixtureServer()
    }

    /// Waits until these are the names at the target: ferryd deletes when it has a moment.
    private func untilLeft(_ names: [String]) async throws {
        let directory = target.directory
        try await waitForFiles(in: directory.path) { try directory.names().sorted() == names }
    }

    /// Waits until so many bytes of a transfer are at the target.
    private func untilWritten(_ count: Int64) async throws {
        let directory = target.directory
        try await waitForFiles(in: directory.path) {
            try directory.names().contains {
                try directory.status(of: $0).map { $0.size >= count } ?? false
            }
        }
    }

    @Test func `REL-11: a file that the home has no room for arrives where it is for`() async throws
    {
        server.on("/file", .file(FixtureFile(content)))
        let get = try await home.ferry("get", "-d", target.path, server.url("/file"))
        #expect(get.exit == .exited(status: 0), "\(get.error)")
        let arrived = try Data(contentsOf: URL(filePath: target.path + "/file"))
        #expect(content.firstDifference(from: Array(arrived)) == nil)
        try await untilLeft(["file"])
    }

    @Test
    func `API-17: equal files for another disk are fetched once, and need no room in the home`()
        async throws
    {
        let gate = FixtureGate()
        server.on("/file", .file(FixtureFile(content)).stalling(after: 5_000_000, at: gate))
        let url = server.url("/file")
        let get = try await home.ferry("get", "--detach", "-d", target.path, url, url)
        #expect(get.exit == .exited(status: 0), "\(get.error)")
        try await untilWritten(4_000_000)
        gate.open()
        try await untilLeft(["file", "file.1"])
        // Besides there may be parts of it.
        #expect(server.requests.filter { $0["Range"] == nil }.count == 1)
    }

    @Test
    func `REL-11: a kill costs no byte of a file that grows elsewhere, and cancel removes it`()
        async throws
    {
        let file = FixtureFile(content)
        server.on("/file", .file(file).stalling(after: 5_000_000, at: FixtureGate()))
        let get = try await home.ferry("get", "--detach", "-d", target.path, server.url("/file"))
        #expect(get.exit == .exited(status: 0), "\(get.error)")
        try await untilWritten(4_000_000)
        await home.killAll(except: [])
        server.on("/file", .file(file).stalling(after: 100_000, at: FixtureGate()))
        _ = try await home.ferry("list")
        try await server.waitUntil { $0.requests.count == 2 }
        #expect(server.requests.last?.range != nil)
        let names = try target.directory.names().filter { !$0.hasSuffix(".record") }
        #expect(names.count == 1)
        #expect(names.first?.hasPrefix(".ferry-") == true)
        let cancel = try await home.ferry("cancel", "1")
        #expect(cancel.exit == .exited(status: 0), "\(cancel.error)")
        try await untilLeft([])
    }

    @Test func `REL-11: a disk that is full of a transfer is made room on by its cancellation`()
        async throws
    {
        server.on("/file", .file(FixtureFile(content)))
        let get = try await home.ferry("get", "--detach", "-d", home.files, server.url("/file"))
        #expect(get.exit == .exited(status: 0), "\(get.error)")
        var log = ""
        while !log.contains("are needed") && !log.contains("No space left") {
            log = try await home.ferry("why", "1").output
        }
        try homeDisk.fill()
        let cancel = try await home.ferry("cancel", "1")
        #expect(cancel.exit == .exited(status: 0), "\(cancel.error)")
        // The bytes that filled it go.
        let downloads = try Directory(opening: home.state + "/downloads")
        try await waitForFiles(in: downloads.path) { try downloads.names().isEmpty }
    }

    /// Waits until ferryd has a transfer's whole file, and nobody has taken it.
    private func untilComplete() async throws {
        var list = ""
        while !list.contains("\"state\":\"completed\"") {
            try Task.checkCancellation()
            list = try await home.ferry("list", "--all", "--json").output
        }
    }

    /// Waits until `ferry why`, `ferry list` and its JSON say what the complete file waits for.
    private func untilExplained(_ obstacle: String) async throws {
        for command in [["why", "1"], ["list"], ["list", "--json"]] {
            var output = ""
            while !output.contains(obstacle) {
                try Task.checkCancellation()
                output = try await home.ferry(command).output
            }
        }
    }

    @Test(arguments: [false, true])
    func `PLACE-1: a file whose disk is unmounted meanwhile is saved when it is back`(
        isDetached: Bool
    ) async throws {
        let point = home.path + "/point"
        mkdir(point, 0o755)
        func mountDisk() throws {
            try systemCall("mount") { mount(target.path, point, nil, UInt(MS_BIND), nil) }
        }
        try mountDisk()
        defer { umount2(point, Int32(MNT_DETACH)) }
        let gate = FixtureGate()
        server.on("/file", .file(FixtureFile(content)).stalling(after: 5_000_000, at: gate))
        let url = server.url("/file")
        async let get = home.ferry(
            isDetached ? ["get", "--detach", "-d", point, url] : ["get", "-d", point, url]
        )
        try await untilWritten(4_000_000)
        umount2(point, Int32(MNT_DETACH))
        gate.open()
        try await untilComplete()
        try await untilExplained("waits for its disk: \(point) is not mounted")
        #expect(try Directory(opening: point).names() == [])
        try mountDisk()
        let ended = try await get
        #expect(ended.exit == .exited(status: 0), "\(ended.error)")
        try await untilLeft(["file"])
        let arrived = try Data(contentsOf: URL(filePath: target.path + "/file"))
        #expect(content.firstDifference(from: Array(arrived)) == nil)
        #expect(!FileManager.default.fileExists(atPath: home.path + "/.local/share/ferry/unplaced"))
    }

    @Test func `PLACE-1: a file whose directory was renamed is saved when it has its name again`()
        async throws
    {
        let (folder, other) = (target.path + "/folder", target.path + "/other")
        mkdir(folder, 0o755)
        let gate = FixtureGate()
        server.on("/file", .file(FixtureFile(content)).stalling(after: 5_000_000, at: gate))
        let get = try await home.ferry("get", "--detach", "-d", folder, server.url("/file"))
        #expect(get.exit == .exited(status: 0), "\(get.error)")
        let directory = try Directory(opening: folder)
        try await waitForFiles(in: folder) {
            try directory.names().contains {
                try directory.status(of: $0).map { $0.size >= 4_000_000 } ?? false
            }
        }
        rename(folder, other)
        mkdir(folder, 0o755)
        gate.open()
        try await untilComplete()
        try await untilExplained("waits for its directory: \(folder) was renamed or replaced")
        rmdir(folder)
        rename(other, folder)
        try await waitForFiles(in: folder) { try directory.names() == ["file"] }
        let arrived = try Data(contentsOf: URL(filePath: folder + "/file"))
        #expect(content.firstDifference(from: Array(arrived)) == nil)
    }

    @Test func `PLACE-2: a file for which there is no room is saved when there is`() async throws {
        // Others may write there: so it grows in the home.
        chmod(target.path, 0o1777)
        try target.fill()
        let small = FixtureContent.seeded(8, byteCount: 500_000)
        server.on("/file", .content(small))
        async let get = home.ferry("get", "-d", target.path, server.url("/file"))
        try await untilComplete()
        try await untilExplained("waits for room")
        target.empty()
        let ended = try await get
        #expect(ended.exit == .exited(status: 0), "\(ended.error)")
        try await untilLeft(["file"])
        #expect(!FileManager.default.fileExists(atPath: home.path + "/.local/share/ferry/unplaced"))
    }

    @Test func `PLACE-1: a finished file that is removed before it is taken is a failure`()
        async throws
    {
        try target.setWritable(true)
        chmod(target.path, 0o1777)
        try target.fill()
        server.on("/file", .content(.text("hello")))
        async let get = home.ferry("get", "-d", target.path, server.url("/file"))
        try await untilComplete()
        let downloads = try Directory(opening: home.state + "/downloads")
        for name in try downloads.names() { try downloads.remove(name) }
        target.empty()
        let ended = try await get
        #expect(ended.exit == .exited(status: 5))
        #expect(ended.error.contains("was removed before it could be saved"), "\(ended.error)")
    }
}
