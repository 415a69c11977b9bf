import FerrySystem
import FerryTestSupport
import Glibc
import Testing

@testable import FerryTransfer

/// Copies of complete files.
@Suite(.timeLimit(.minutes(1)))
@LoopActor
struct CopyingTests {
    private let temporary: TemporaryDirectory
    private let queue = BlockingQueue(label: "test")
    private let content = [UInt8](repeating: 7, count: 40)

    init() throws { temporary = try TemporaryDirectory() }

    private func source() throws -> PartialFile {
        let file = PartialFile(directory: temporary.directory, name: "whole")
        try file.begin(.tagged("a"))
        try file.write(content)
        return file
    }

    private func target(in directory: Directory? = nil) -> PartialFile {
        PartialFile(directory: directory ?? temporary.directory, name: "copy")
    }

    @Test func `API-17: a copy has the bytes and the record of the file`() async throws {
        let copying = PartialFile.Copying(byteCount: 40, greatestByteCount: 40)
        let target = target()
        #expect(try await copying.run(from: try source(), to: target, on: queue))
        #expect(try temporary.directory.open("copy", .read).readToEnd(limit: 99) == content)
        #expect(try target.recover(checkpoint: nil)?.version == .tagged("a"))
    }

    @Test func `API-17: nothing is left of a copy that was given up`() async throws {
        let copying = PartialFile.Copying(byteCount: 40, greatestByteCount: 40)
        let source = try source()
        let names = try temporary.names
        copying.abandon()
        await #expect(throws: TransferError.self) {
            _ = try await copying.run(from: source, to: target(), on: queue)
        }
        #expect(try temporary.names == names)
    }

    @Test(.enabled(if: TemporaryDirectory.hasOtherDisk))
    func `API-17: a large file is not copied to where it cannot be shared`() async throws {
        let other = try TemporaryDirectory(in: "/dev/shm")
        let source = try source()
        let large = PartialFile.Copying(byteCount: 40, greatestByteCount: 39)
        let target = target(in: other.directory)
        #expect(try await !large.run(from: source, to: target, on: queue))
        #expect(try other.names == [])
        let small = PartialFile.Copying(byteCount: 40, greatestByteCount: 40)
        #expect(try await small.run(from: source, to: target, on: queue))
    }

    @Test func `API-17: a file that was cut is not copied`() async throws {
        let copying = PartialFile.Copying(byteCount: 41, greatestByteCount: 99)
        let source = try source()
        let error = await #expect(throws: TransferError.self) {
            _ = try await copying.run(from: source, to: target(), on: queue)
        }
        #expect(error?.code == .fileMissing)
        #expect(try temporary.directory.status(of: "copy") == nil)
    }

    @Test(.enabled(if: SmallDisk.canBeMade, "needs a mount"))
    func `API-17: a copy for which there is no room leaves nothing`() async throws {
        let disk = try SmallDisk(byteCount: 64 << 10)
        let source = PartialFile(directory: temporary.directory, name: "whole")
        try source.begin(.tagged("a"))
        try source.write([UInt8](repeating: 7, count: 1 << 20))
        let copying = PartialFile.Copying(byteCount: 1 << 20, greatestByteCount: 1 << 20)
        let error = await #expect(throws: TransferError.self) {
            _ = try await copying.run(from: source, to: target(in: disk.directory), on: queue)
        }
        #expect(error?.code == .diskFull)
        #expect(try disk.directory.names() == [])
    }
}

extension TemporaryDirectory {
    /// Whether `/dev/shm` can be written and is another file system than `/tmp`.
    fileprivate static let hasOtherDisk: Bool = {
        var memory = stat()
        var disk = stat()
        return access("/dev/shm", W_OK) == 0 && stat("/dev/shm", &memory) == 0
            && stat("/tmp", &disk) == 0 && memory.st_dev != disk.st_dev
    }()
}
