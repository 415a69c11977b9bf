import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryDaemon

/// Places of files on disks that do not answer, or not any more.
@Suite(.enabled(if: HangingDisk.canBeMade), .timeLimit(.minutes(1)))
@LoopActor
struct FilePlacesTests {
    private let temporary: TemporaryDirectory
    private let queue = BlockingQueue(label: "test.files", threadLimit: 4)

    init() throws { temporary = try TemporaryDirectory() }

    private var downloads: Directory { temporary.directory }

    /// Links to a place, as an earlier daemon has.
    private func link(to directory: String) throws {
        try downloads.makeLink("file.place", to: directory + "/.ferry-1")
    }

    @Test func `REL-1: a place that does not answer is given up for now, and stays known`()
        async throws
    {
        let disk = try await HangingDisk(byteCount: 0)
        try link(to: disk.path + "/directory")
        try await disk.hang(.lookup)
        let places = FilePlaces(in: downloads, patience: .milliseconds(50))
        #expect(places.place(of: 1) == nil)
        #expect(await !places.reopen(for: 1, named: "file", on: queue))
        #expect(places.place(of: 1) == nil)
        #expect(places.path(named: "file") == disk.path + "/directory/.ferry-1")
        try await disk.goOn()
    }

    @Test func `REL-1: a place that a file system of a program's has covered is none any more`()
        async throws
    {
        let disk = try await HangingDisk(byteCount: 0)
        try link(to: disk.path + "/directory")
        let places = FilePlaces(in: downloads)
        #expect(await places.reopen(for: 1, named: "file", on: queue))
        #expect(places.place(of: 1) == nil)
        #expect(places.path(named: "file") == nil)
    }

    @Test func `a place on a disk of this machine is found again`() async throws {
        let disk = try SmallDisk(byteCount: 1 << 20)
        try link(to: disk.path)
        let places = FilePlaces(in: downloads)
        #expect(await places.reopen(for: 1, named: "file", on: queue))
        let place = try #require(places.place(of: 1))
        #expect(place.directory.path == disk.path)
        #expect(place.name == ".ferry-1")
    }
}
