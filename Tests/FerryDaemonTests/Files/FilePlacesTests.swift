import FerryStore
import FerrySystem
import FerryTestSupport
import FoundationEssentials
import Glibc
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
        let places = FilePlaces(in: downloads, timeout: .milliseconds(50))
        #expect(places.place(of: 1) == nil)
        #expect(await places.reopen(for: 1, named: "file", on: queue) == .doesNotAnswer)
        #expect(places.place(of: 1) == nil)
        #expect(places.path(named: "file") == disk.path + "/directory/.ferry-1")
        try await disk.proceed()
    }

    @Test func `REL-1: a place that a file system of a program's has covered is none meanwhile`()
        async throws
    {
        let disk = try await HangingDisk(byteCount: 0)
        try link(to: disk.path + "/directory")
        let places = FilePlaces(in: downloads)
        let refusal = await places.reopen(for: 1, named: "file", on: queue)
        #expect(refusal == .directory(.isNotOfThisMachine))
        #expect(places.place(of: 1) == nil)
        #expect(places.path(named: "file") == disk.path + "/directory/.ferry-1")
    }

    @Test func `a place on a disk of this machine is found again`() async throws {
        let disk = try SmallDisk(byteCount: 1 << 20)
        try link(to: disk.path)
        let places = FilePlaces(in: downloads)
        #expect(await places.reopen(for: 1, named: "file", on: queue) == nil)
        let place = try #require(places.place(of: 1))
        #expect(place.directory.path == disk.path)
        #expect(place.name == ".ferry-1")
    }

    private func mount(_ disk: SmallDisk, at path: String) throws {
        try systemCall("mount", path) {
            Glibc.mount(disk.path, path, nil, UInt(MS_BIND), nil)
        }
    }

    @Test
    func `REL-11: a disk that is not there costs no byte, and its file is deleted when it is`()
        async throws
    {
        let disk = try SmallDisk(byteCount: 1 << 20)
        let point = try TemporaryDirectory()
        try mount(disk, at: point.path)
        defer { umount2(point.path, Int32(MNT_DETACH)) }
        let places = FilePlaces(in: downloads)
        #expect(await places.choose(for: 1, named: "file", in: point.path, on: queue) == nil)
        let name = try #require(places.place(of: 1)?.name)
        _ = try disk.directory.open(name, .createNew)
        places.close(task: 1)
        // Its mount point is still there.
        #expect(umount2(point.path, Int32(MNT_DETACH)) == 0)
        #expect(await places.reopen(for: 1, named: "file", on: queue) == .isElsewhere)
        places.discard(task: 1, named: "file")
        await places.queue(for: point.path).run {}
        #expect(places.path(named: "file") == "\(point.path)/\(name)")
        try mount(disk, at: point.path)
        #expect(await places.reopen(for: 1, named: "file", on: queue) == nil)
        #expect(try places.place(of: 1)?.directory.status(of: name) != nil)
        places.discard(task: 1, named: "file")
        await places.queue(for: point.path).run {}
        #expect(try disk.directory.names() == [])
        #expect(try downloads.names() == [])
    }

    @Test func `REL-11: a file that was deleted is begun again in its place`() async throws {
        let disk = try SmallDisk(byteCount: 1 << 20)
        let places = FilePlaces(in: downloads)
        #expect(await places.choose(for: 1, named: "file", in: disk.path, on: queue) == nil)
        #expect(try disk.directory.names() == [])
        let name = places.place(of: 1)?.name
        places.close(task: 1)
        #expect(await places.reopen(for: 1, named: "file", on: queue) == nil)
        #expect(places.place(of: 1)?.name == name)
    }

    /// What a choice has come to whose disk answers when a gate opens.
    private func refusal(of choice: PlaceChoice, after gate: Gate) async -> FilePlaces.Refusal? {
        let outcome = await choice.made(by: queue) {
            gate.wait()
            return .failure(.isElsewhere)
        }
        guard case .failure(let refusal) = outcome else { return nil }
        return refusal
    }

    @Test func `REL-1: the loop does not wait for what makes a choice`() async throws {
        let never = try Gate()
        let late = PlaceChoice(timeout: .milliseconds(1))
        #expect(await refusal(of: late, after: never) == nil)
        #expect(!late.settle())
        never.open()
        // What was decided in time is waited for, and nothing else waits meanwhile.
        let later = try Gate()
        _ = EventLoop.shared.schedule(after: .milliseconds(50)) { later.open() }
        let early = PlaceChoice(timeout: .milliseconds(1))
        #expect(early.settle())
        #expect(await refusal(of: early, after: later) == .isElsewhere)
    }
}

/// What a thread waits at.
private final class Gate: Sendable {
    private let reading: FileDescriptor
    private let writing: FileDescriptor

    init() throws {
        var ends: [Int32] = [-1, -1]
        try systemCall("pipe") { pipe(&ends) }
        reading = FileDescriptor(owning: ends[0])
        writing = FileDescriptor(owning: ends[1])
    }

    func wait() {
        withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) {
            _ = try? reading.read(into: $0)
        }
    }

    func open() {
        _ = try? [UInt8(0)].withUnsafeBytes { try writing.writeAll($0) }
    }
}

/// What becomes of the files of a queue that has vanished.
@Suite(.timeLimit(.minutes(1))) struct PutAsideTests {
    private let state: TemporaryDirectory

    init() throws { state = try TemporaryDirectory() }

    @Test func `REL-10: the log of a queue that has vanished does not stay for the next one`()
        throws
    {
        try state.write("log", to: Store.logName)
        let lost = try LostQueue(in: state.directory, at: Date(timeIntervalSince1970: 0))
        #expect(lost?.message.contains("has vanished") == true)
        let names = try state.directory.names()
        #expect(names.count == 1 && names.allSatisfy { $0.hasPrefix("lost-1970-01-01T") })
        let aside = try state.directory.openSubdirectory(names.first ?? "-", creating: false)
        #expect(try aside.names() == [Store.logName])
    }

    @Test func `REL-10: a directory where nothing was served has lost nothing`() throws {
        #expect(try LostQueue(in: state.directory, at: Date())?.message == nil)
        #expect(try state.directory.names() == [])
    }
}
