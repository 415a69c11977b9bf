import FerrySystem
import FerryTestSupport
import Glibc
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(1)))
@LoopActor
struct AdoptionTests {
    let temporary: TemporaryDirectory
    let queue = BlockingQueue(label: "test")
    let request = TransferRequest(url: "http://host/file")

    /// Whether `/dev/shm` can be written and is another file system than `/tmp`.
    nonisolated private static let hasOtherDisk: Bool = {
        var memory = stat()
        var disk = stat()
        return access("/dev/shm", W_OK) == 0 && stat("/dev/shm", &memory) == 0
            && stat("/tmp", &disk) == 0 && memory.st_dev != disk.st_dev
    }()

    init() throws { temporary = try TemporaryDirectory() }

    /// A file that a cancelled download has left, and what the app keeps of it.
    private func resumeData(
        _ version: ResourceVersion = .tagged("a"),
        in directory: Directory? = nil
    ) throws -> ResumeData {
        let file = PartialFile(directory: directory ?? temporary.directory, name: "left")
        try file.begin(version)
        try file.write([UInt8](repeating: 1, count: 40))
        return try ResumeData(request: request, file: file)
    }

    private func adopt(
        _ data: ResumeData,
        as name: String = "mine"
    ) async throws(TransferError) -> PartialFile {
        try await PartialFile.adopt(data, into: temporary.directory, as: name, on: queue)
    }

    private func failure(_ data: ResumeData, as name: String = "mine") async -> TransferError.Code?
    {
        do {
            _ = try await adopt(data, as: name)
            return nil
        } catch {
            return error.code
        }
    }

    // MARK: - Making resume data

    @Test func `RD-2: resume data names the file and what is in it`() throws {
        let data = try resumeData()
        #expect(data.path == temporary.path + "/left")
        #expect(data.byteCount == 40)
        #expect(data.checkpoint.version == .tagged("a"))
        #expect(data.currentURL == request.url)
        #expect(try ResumeData(decoding: data.encoded()) == data)
    }

    @Test func `RD-1: what cannot be continued has no resume data, and it is said why`() throws {
        let file = PartialFile(directory: temporary.directory, name: "left")
        #expect(throws: ResumeData.Unavailable.nothingReceived) {
            try ResumeData(request: request, file: file)
        }
        try file.begin(.tagged("a"))
        #expect(throws: ResumeData.Unavailable.nothingReceived) {
            try ResumeData(request: request, file: file)
        }
        try file.write([1])
        let post = TransferRequest(url: request.url, method: "POST")
        #expect(throws: ResumeData.Unavailable.requestNotResumable) {
            try ResumeData(request: post, file: file)
        }
        let other = TransferRequest(url: "ftp://host/file")
        #expect(throws: ResumeData.Unavailable.requestNotResumable) {
            try ResumeData(request: other, file: file)
        }
        var version = ResourceVersion.tagged("a")
        version.validator = nil
        try file.begin(version)
        try file.write([1])
        #expect(throws: ResumeData.Unavailable.noValidator) {
            try ResumeData(request: request, file: file)
        }
    }

    // MARK: - Taking over

    @Test(arguments: [ResourceVersion.tagged("a"), .bulky("a")])
    func `RD-12: the file moves to its new owner`(version: ResourceVersion) async throws {
        let elsewhere = try temporary.directory.openSubdirectory("elsewhere")
        let data = try resumeData(version, in: elsewhere)
        let file = try await adopt(data)
        let recovered = try file.recover(checkpoint: data.checkpoint)
        #expect(recovered?.writtenByteCount == 40)
        #expect(recovered?.version == version)
        #expect(try elsewhere.names() == [])
    }

    @Test(
        .enabled(if: hasOtherDisk, "needs two file systems"),
        arguments: [ResourceVersion.tagged("a"), .bulky("a")]
    )
    func `the file is copied from another disk`(version: ResourceVersion) async throws {
        let elsewhere = try TemporaryDirectory(in: "/dev/shm")
        let data = try resumeData(version, in: elsewhere.directory)
        let file = try await adopt(data)
        let recovered = try file.recover(checkpoint: data.checkpoint)
        #expect(recovered?.writtenByteCount == 40)
        #expect(recovered?.generation == data.checkpoint.generation)
        #expect(try temporary.contents(of: "mine") == [UInt8](repeating: 1, count: 40))
        #expect(try elsewhere.directory.names() == [])
    }

    @Test(.enabled(if: hasOtherDisk, "needs two file systems"))
    func `a file of several buffers is copied whole`() async throws {
        let elsewhere = try TemporaryDirectory(in: "/dev/shm")
        let left = PartialFile(directory: elsewhere.directory, name: "left")
        try left.begin(.tagged("a", total: nil))
        let bytes = (0..<(5 << 19) + 1).map { UInt8(truncatingIfNeeded: $0 * 31 >> 3) }
        try left.write(bytes)
        _ = try await adopt(try ResumeData(request: request, file: left))
        #expect(try temporary.contents(of: "mine") == bytes)
    }

    @Test func `RD-11: resume data can be used once`() async throws {
        let data = try resumeData()
        #expect(await failure(data) == nil)
        #expect(await failure(data, as: "other") == .fileMissing)
    }

    // MARK: - Once more, after a kill

    @Test(arguments: [ResourceVersion.tagged("a"), .bulky("a")])
    func `a file that was taken over already stays`(version: ResourceVersion) async throws {
        let data = try resumeData(version)
        _ = try await adopt(data)
        let file = try await adopt(data)
        #expect(try file.recover(checkpoint: data.checkpoint)?.writtenByteCount == 40)
    }

    @Test func `a file whose record was moved already is moved, too`() async throws {
        let elsewhere = try temporary.directory.openSubdirectory("elsewhere")
        let data = try resumeData(.bulky("a"), in: elsewhere)
        try elsewhere.rename("left.record", to: temporary.directory, as: "mine.record")
        let file = try await adopt(data)
        #expect(try file.recover(checkpoint: data.checkpoint)?.writtenByteCount == 40)
        #expect(try elsewhere.names() == [])
    }

    @Test(.enabled(if: hasOtherDisk, "needs two file systems"))
    func `a copy that was not finished is made again`() async throws {
        let elsewhere = try TemporaryDirectory(in: "/dev/shm")
        let data = try resumeData(in: elsewhere.directory)
        let record =
            try elsewhere.directory.open("left", .read).attribute("user.ferry.transfer")
            ?? elsewhere.contents(of: "left.record")
        let part = try temporary.directory.open("mine", .createNew)
        try part.setAttribute("user.ferry.transfer", record)
        try [UInt8](repeating: 1, count: 10).withUnsafeBytes { raw in try part.writeAll(raw) }
        let file = try await adopt(data)
        #expect(try file.recover(checkpoint: data.checkpoint)?.writtenByteCount == 40)
        #expect(try elsewhere.directory.names() == [])
    }

    @Test func `another file that took the place is not the one`() async throws {
        let data = try resumeData()
        let file = try await adopt(data)
        try file.begin(.tagged("b"))
        #expect(await failure(data) == .fileMissing)
    }

    @Test(.enabled(if: SmallDisk.canBeMade, "needs a small disk"))
    func `a copy for which there is no room leaves the original alone`() async throws {
        let small = try SmallDisk(byteCount: 1 << 16)
        let left = PartialFile(directory: temporary.directory, name: "left")
        try left.begin(.tagged("a", total: nil))
        try left.write([UInt8](repeating: 1, count: 1 << 20))
        let data = try ResumeData(request: request, file: left)
        await #expect(throws: TransferError.self) {
            _ = try await PartialFile.adopt(data, into: small.directory, as: "mine", on: queue)
        }
        #expect(try small.directory.names() == [])
        let file = try await adopt(data)
        #expect(try file.recover(checkpoint: data.checkpoint)?.writtenByteCount == 1 << 20)
    }

    // MARK: - What is not there

    @Test func `RD-10: a file that was purged is missing`() async throws {
        let data = try resumeData()
        unlink(data.path)
        #expect(await failure(data) == .fileMissing)
    }

    @Test func `a directory that was purged is missing`() async throws {
        let elsewhere = try temporary.directory.openSubdirectory("elsewhere")
        let data = try resumeData(in: elsewhere)
        unlink(data.path)
        rmdir(elsewhere.path)
        #expect(await failure(data) == .fileMissing)
    }

    @Test func `another file at that place is not taken`() async throws {
        let data = try resumeData()
        try temporary.directory.open("left", .readWrite)
            .setAttribute("user.ferry.transfer", [1, 2, 3])
        #expect(await failure(data) == .fileMissing)
        try PartialFile(directory: temporary.directory, name: "left").begin(.tagged("a"))
        #expect(await failure(data) == .fileMissing)
        unlink(data.path)
        symlink("/etc/passwd", data.path)
        #expect(await failure(data) == .cannotCreateFile)
        #expect(try temporary.directory.names() == ["left"])
    }

    @Test func `what a power cut took is fetched again`() async throws {
        let data = try resumeData()
        let boot = BootIdentifier(rawValue: "other")
        _ = try await adopt(data)
        let file = PartialFile(directory: temporary.directory, name: "mine", currentBoot: boot)
        #expect(try file.recover(checkpoint: data.checkpoint) == nil)
    }

    @Test func `what was synchronised survives a power cut`() async throws {
        let left = PartialFile(directory: temporary.directory, name: "left")
        try left.begin(.tagged("a"))
        try left.write([UInt8](repeating: 1, count: 30))
        #expect(await left.synchronize(by: FileSynchronizer(label: "test")) == nil)
        try left.write([UInt8](repeating: 1, count: 10))
        let data = try ResumeData(request: request, file: left)
        _ = try await adopt(data)
        let boot = BootIdentifier(rawValue: "other")
        let file = PartialFile(directory: temporary.directory, name: "mine", currentBoot: boot)
        #expect(try file.recover(checkpoint: data.checkpoint)?.writtenByteCount == 30)
    }
}
