#if DEBUG
import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryTransfer

/// What a power cut leaves depends on the order in which files and directories are forced onto the disk.
@Suite(.serialized, .timeLimit(.minutes(1)))
@LoopActor
struct FileOrderTests {
    private let temporary: TemporaryDirectory
    private let record: SystemCallRecord
    private let queue = BlockingQueue(label: "test")

    init() throws {
        temporary = try TemporaryDirectory()
        record = SystemCallRecord(
            of: ["fsync", "fdatasync", "renameat2", "unlinkat"],
            in: temporary.path
        )
    }

    private func written() throws -> PartialFile {
        let file = PartialFile(directory: temporary.directory, name: "file")
        try file.begin(.tagged("a"))
        try file.write([UInt8](repeating: 1, count: 40))
        return file
    }

    @Test
    func
        `TEST-6: a new file's directory is forced onto the disk behind it, before anybody hears of it`()
        async throws
    {
        let file = try written()
        let calls = await record.during {
            #expect(await file.synchronize(by: FileSynchronizer(label: "test")) == nil)
        }
        #expect(calls == ["fsync /file", "fsync "])
        // The name is there for good: the next time the bytes will do.
        try file.write([1])
        let more = await record.during {
            #expect(await file.synchronize(by: FileSynchronizer(label: "test")) == nil)
        }
        #expect(more == ["fdatasync /file"])
    }

    @Test func `TEST-6: a file that has moved is forced with its new directory`() async throws {
        let file = try written()
        #expect(await file.synchronize(by: FileSynchronizer(label: "test")) == nil)
        let other = try temporary.directory.openSubdirectory("other")
        try file.move(to: other, as: "moved")
        let calls = await record.during {
            #expect(await file.synchronize(by: FileSynchronizer(label: "test")) == nil)
        }
        #expect(calls == ["fsync /other/moved", "fsync /other"])
    }

    @Test func `TEST-6: a file that is taken over has its name for good when that is told`()
        async throws
    {
        let data = try ResumeData(
            request: TransferRequest(url: "http://host/file"),
            file: written()
        )
        let mine = try temporary.directory.openSubdirectory("mine")
        let queue = queue
        let calls = await record.during {
            _ = try? await PartialFile.adopt(data, into: mine, as: "file", on: queue)
        }
        #expect(calls == ["renameat2 /file to \(temporary.path)/mine/file", "fsync /mine"])
    }

    @Test func `TEST-6: a record beside a file is taken over before the file`() async throws {
        let file = PartialFile(directory: temporary.directory, name: "file")
        try file.begin(.bulky("a"))
        try file.write([UInt8](repeating: 1, count: 40))
        let data = try ResumeData(request: TransferRequest(url: "http://host/file"), file: file)
        let mine = try temporary.directory.openSubdirectory("mine")
        let queue = queue
        let calls = await record.during {
            _ = try? await PartialFile.adopt(data, into: mine, as: "file", on: queue)
        }
        // Without it the file could not be continued by a process that finds it.
        #expect(
            calls == [
                "renameat2 /file.record to \(temporary.path)/mine/file.record",
                "renameat2 /file to \(temporary.path)/mine/file", "fsync /mine",
            ]
        )
    }

    @Test(.enabled(if: SmallDisk.canBeMade))
    func `TEST-6: a file of another disk is copied for good before the original goes`() async throws
    {
        let disk = try SmallDisk(byteCount: 1 << 20)
        let left = PartialFile(directory: disk.directory, name: "left")
        try left.begin(.tagged("a"))
        try left.write([UInt8](repeating: 1, count: 40))
        let data = try ResumeData(request: TransferRequest(url: "http://host/file"), file: left)
        let everything = SystemCallRecord(of: ["fsync", "unlinkat"], in: "")
        let (queue, directory) = (queue, temporary.directory)
        let calls = await everything.during {
            _ = try? await PartialFile.adopt(data, into: directory, as: "file", on: queue)
        }
        let own = calls.filter { $0.contains(temporary.path) || $0.contains(disk.path) }
            // A record beside the file, where the file system has no attributes.
            .filter { !$0.hasSuffix(".new") }
        #expect(
            own == [
                "fsync \(temporary.path)/file", "fsync \(temporary.path)",
                "unlinkat \(disk.path)/left", "unlinkat \(disk.path)/left.record",
                "fsync \(temporary.path)",
            ]
        )
    }
}
#endif
