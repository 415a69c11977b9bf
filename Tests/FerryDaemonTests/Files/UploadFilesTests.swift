import FerryHTTP
import FerryStore
import FerrySystem
import FerryTestSupport
import FerryWire
import FoundationEssentials
import Glibc
import Testing

@testable import FerryDaemon
@testable import FerryTransfer

@Suite(.timeLimit(.minutes(1)))
@LoopActor
struct UploadFilesTests {
    let temporary: TemporaryDirectory
    let uploads: Directory
    let queue = BlockingQueue(label: "test")
    let files: UploadFiles

    init() throws {
        temporary = try TemporaryDirectory()
        uploads = try temporary.directory.openSubdirectory("uploads")
        files = UploadFiles(in: uploads, on: queue)
    }

    private func write(_ byteCount: Int64) throws {
        try temporary.write(FixtureContent.seeded(5, byteCount: byteCount).bytes, to: "source")
    }

    private func open() throws -> (UserFile, UploadState) {
        let file = try temporary.directory.open("source", .read)
        let state = UploadState(
            path: temporary.directory.path(of: "source"),
            identity: try file.identity(),
            boot: .current
        )
        return (UserFile(file), state)
    }

    private func secure(
        _ file: UserFile,
        _ state: UploadState,
        for task: TaskID
    ) async -> UploadState? {
        await files.secure(file, state, for: task, on: queue)
    }

    /// What a task would send, until it cannot go on.
    private func bytes(
        of task: TaskID,
        _ state: UploadState,
        from files: UploadFiles? = nil
    ) async throws -> [UInt8] {
        let source = (files ?? self.files).source(of: task, state, on: queue)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            switch buffer.withUnsafeMutableBytes({ source.read(into: $0) }) {
            case .bytes(let count): bytes += buffer[..<count]
            case .later:
                await withCheckedContinuation { next in source.whenReadable { next.resume() } }
            case .end, .failed: return bytes
            }
        }
    }

    private func failure(
        of task: TaskID,
        _ state: UploadState,
        from files: UploadFiles? = nil
    ) async -> TransferError.Code? {
        let source = (files ?? self.files).source(of: task, state, on: queue)
        return await withCheckedContinuation { next in
            source.check { next.resume(returning: $0?.code) }
        }
    }

    @Test(arguments: [0, 1, 300_000, 16 << 20] as [Int64])
    func `BG-42: a small file is kept, whatever becomes of it`(byteCount: Int64) async throws {
        try write(byteCount)
        let (file, state) = try open()
        let kept = try #require(await secure(file, state, for: 7))
        #expect(kept.place == .copy)
        try temporary.write([1, 2, 3], to: "source")
        try temporary.directory.remove("source")
        let content = FixtureContent.seeded(5, byteCount: byteCount)
        #expect(content.firstDifference(from: try await bytes(of: 7, kept)) == nil)
        #expect(files.tasks() == [7])
        files.discard(task: 7)
        await queue.run {}
        #expect(files.tasks() == [])
    }

    @Test func `BG-42: of a large file the open file is kept, or a file with the same blocks`()
        async throws
    {
        let byteCount = UploadFiles.greatestCopy + 1
        try write(byteCount)
        let (file, state) = try open()
        let kept = await secure(file, state, for: 7)
        try temporary.directory.remove("source")
        let content = FixtureContent.seeded(5, byteCount: byteCount)
        let sent = try await bytes(of: 7, kept ?? state)
        #expect(content.firstDifference(from: sent) == nil)
        guard kept == nil else { return }
        #expect(files.tasks() == [])
        // The next daemon has only the path.
        let next = UploadFiles(in: uploads, on: queue)
        #expect(await failure(of: 7, state, from: next) == .fileMissing)
    }

    #if DEBUG
    @Test func `BG-42: whatever is to be sent is on the disk, with its name, when that is told`()
        async
    {
        // The calls are recorded of a whole process.
        await #expect(processExitsWith: .success) { @LoopActor in
            for byteCount in [1000, UploadFiles.greatestCopy + 1] {
                let tests = try UploadFilesTests()
                try tests.write(byteCount)
                let (file, state) = try tests.open()
                let path = tests.temporary.path
                let record = SystemCallRecord(of: ["fsync", "renameat2"], in: path)
                let calls = await record.during { _ = await tests.secure(file, state, for: 7) }
                let isKept = tests.files.tasks() == [7]
                #expect(isKept || byteCount > UploadFiles.greatestCopy)
                let expected =
                    isKept
                    ? [
                        "fsync /uploads/Upload_7.new",
                        "renameat2 /uploads/Upload_7.new to \(path)/uploads/Upload_7",
                        "fsync /uploads",
                    ] : ["fsync /source"]
                #expect(calls == expected)
            }
        }
    }
    #endif

    @Test func `BG-42: a file that has changed before it could be kept is not kept`() async throws {
        try write(1000)
        let (file, state) = try open()
        try temporary.write([1], to: "source", at: 1000)
        #expect(await secure(file, state, for: 7) == nil)
        #expect(files.tasks() == [])
        #expect(try await bytes(of: 7, state).count < 1000)
    }

    @Test func `BG-42: a file of the same size with other bytes is not kept`() async throws {
        try write(1000)
        let (file, state) = try open()
        try temporary.write([1], to: "source", at: 0)
        // The clock of files may not have gone on since.
        let time = timespec(tv_sec: 1_000_000, tv_nsec: 0)
        #expect(utimensat(AT_FDCWD, state.path, [time, time], 0) == 0)
        #expect(await secure(file, state, for: 7) == nil)
        #expect(files.tasks() == [])
    }

    @Test func `a later daemon finds the file by its path, if it is the same`() async throws {
        try write(1000)
        var (_, state) = try open()
        #expect(try await bytes(of: 7, state).count == 1000)
        // After another start of the system its file system may have another number.
        state.boot = BootIdentifier(rawValue: "earlier")
        state.identity.device += 1
        #expect(try await bytes(of: 7, state).count == 1000)
        state.identity.inode += 1
        #expect(try await bytes(of: 7, state).count == 0)
        try temporary.directory.remove("source")
        #expect(await failure(of: 7, state) == .fileMissing)
    }

    @Test func `what stands in the place of the file does not make the daemon wait`() async throws {
        try write(1000)
        let (_, state) = try open()
        try temporary.directory.remove("source")
        #expect(mkfifo(temporary.directory.path(of: "source"), 0o600) == 0)
        #expect(try await bytes(of: 7, state) == [])
    }

    @Test func `what was begun and not finished is found and deleted`() async throws {
        _ = try uploads.open("Upload_7.new", .createNew)
        #expect(files.tasks() == [7])
        files.discard(task: 7)
        await queue.run {}
        #expect(try uploads.names() == [])
    }

    @Test func `what is known of a file survives the store`() throws {
        try write(10)
        let (_, state) = try open()
        #expect(Encoded(state).value == state)
    }

    @Test func `BG-42: of a repeated call the first file is sent`() async throws {
        try write(UploadFiles.greatestCopy + 1)
        let (file, state) = try open()
        #expect(await secure(file, state, for: 7) == nil)
        try temporary.write([1, 2, 3], to: "other")
        let other = UserFile(try temporary.directory.open("other", .read))
        #expect(await secure(other, state, for: 7) == nil)
        #expect(await failure(of: 7, state) == nil)
    }
}
