import FerrySystem
import FerryTestSupport
import Glibc
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(1)))
@LoopActor
struct PartialFileTests {
    let temporary: TemporaryDirectory
    let synchronizer = FileSynchronizer(label: "test")
    static let otherBoot = BootIdentifier(rawValue: "other")

    init() throws { temporary = try TemporaryDirectory() }

    private func file(boot: BootIdentifier = .current) -> PartialFile {
        PartialFile(directory: temporary.directory, name: "file", currentBoot: boot)
    }

    private func bytes(_ count: Int, _ value: UInt8 = 1) -> [UInt8] {
        [UInt8](repeating: value, count: count)
    }

    // MARK: - What survives

    @Test func `nothing is there before the first byte of a body`() throws {
        let file = file()
        #expect(!file.isRecovered)
        #expect(try file.recover(checkpoint: nil) == nil)
        #expect(file.isRecovered)
        #expect(try temporary.directory.names() == [])
        #expect(file.checkpoint == nil)
    }

    @Test func `a killed process loses no byte, though nobody else heard of the file`() throws {
        let file = file()
        try file.begin(.tagged("a"))
        try file.write(bytes(40))
        // A second object stands for the next process: it knows the name and nothing else.
        let recovered = try #require(try self.file().recover(checkpoint: nil))
        #expect(recovered.writtenByteCount == 40)
        #expect(recovered.synchronizedByteCount == 0)
        #expect(recovered.version == .tagged("a"))
        #expect(recovered.generation == file.checkpoint?.generation)
    }

    @Test func `a file is its user's alone, and carries its record before its first byte`() throws {
        try file().begin(.tagged("a"))
        let status = try #require(try temporary.directory.status(of: "file"))
        #expect(status.permissions == 0o600)
        #expect(status.size == 0)
        let raw = try temporary.directory.open("file", .read).attribute("user.ferry.transfer")
        #expect(PartialFile.Record(decoding: try #require(raw))?.version == .tagged("a"))
    }

    @Test func `a power cut leaves what was synchronised`() async throws {
        let file = file()
        try file.begin(.tagged("a"))
        try file.write(bytes(40))
        #expect(await file.synchronize(by: synchronizer) == nil)
        let checkpoint = try #require(file.checkpoint)
        #expect(checkpoint.synchronizedByteCount == 40)
        try file.write(bytes(30, 2))
        let recovered = try self.file(boot: Self.otherBoot).recover(checkpoint: checkpoint)
        #expect(recovered?.writtenByteCount == 40)
        #expect(recovered?.synchronizedByteCount == 40)
        #expect(try temporary.contents(of: "file") == bytes(40))
    }

    @Test func `a power cut leaves nothing that no checkpoint vouches for`() async throws {
        let file = file()
        try file.begin(.tagged("a"))
        try file.write(bytes(40))
        #expect(await file.synchronize(by: synchronizer) == nil)
        var foreign = try #require(file.checkpoint)
        foreign.generation &+= 1
        #expect(try self.file(boot: Self.otherBoot).recover(checkpoint: foreign) == nil)
        #expect(try self.file(boot: Self.otherBoot).recover(checkpoint: nil) == nil)
        // The same boot needs no checkpoint, and is not misled by a foreign one.
        #expect(try self.file().recover(checkpoint: foreign)?.writtenByteCount == 40)
    }

    @Test func `what was recovered after a power cut counts as this boot's`() async throws {
        let file = file()
        try file.begin(.tagged("a"))
        try file.write(bytes(40))
        #expect(await file.synchronize(by: synchronizer) == nil)
        let next = self.file(boot: Self.otherBoot)
        try next.recover(checkpoint: file.checkpoint)
        try next.write(bytes(5))
        let killed = self.file(boot: Self.otherBoot)
        #expect(try killed.recover(checkpoint: nil)?.writtenByteCount == 45)
        #expect(killed.checkpoint?.bootIdentifier == Self.otherBoot)
    }

    @Test func `a file that a download begins anew is another one`() throws {
        let file = file()
        try file.begin(.tagged("a"))
        try file.write(bytes(40))
        let old = try #require(file.checkpoint)
        let oldStatus = try temporary.directory.status(of: "file")
        try file.begin(.tagged("b"))
        try file.write(bytes(30, 2))
        #expect(file.checkpoint?.generation != old.generation)
        #expect(try temporary.directory.status(of: "file")?.inode != oldStatus?.inode)
        #expect(try temporary.directory.names() == ["file"])
        // What a checkpoint of the first file says must not be taken for the second.
        var durable = old
        durable.synchronizedByteCount = 40
        #expect(try self.file(boot: Self.otherBoot).recover(checkpoint: durable) == nil)
        #expect(try self.file().recover(checkpoint: durable)?.version == .tagged("b"))
    }

    @Test func `what an interrupted beginning left behind is in nobody's way`() throws {
        for name in ["file.new", "file.record.new"] {
            _ = try temporary.directory.open(name, .createNew).rawValue
        }
        _ = try temporary.directory.open("file", .createNew).rawValue
        let file = file()
        #expect(try file.recover(checkpoint: nil) == nil)
        try file.begin(.tagged("a"))
        try file.write(bytes(1))
        #expect(try self.file().recover(checkpoint: nil)?.writtenByteCount == 1)
    }

    @Test func `a version that nothing proves leaves nothing`() throws {
        let file = file()
        var version = ResourceVersion.tagged("a")
        version.validator = nil
        try file.begin(version)
        try file.write(bytes(40))
        #expect(file.byteCount == 40)
        #expect(try self.file().recover(checkpoint: nil) == nil)
    }

    @Test func `a file longer than its resource leaves nothing`() throws {
        let file = file()
        try file.begin(.tagged("a", total: 39))
        try file.write(bytes(40))
        #expect(try self.file().recover(checkpoint: nil) == nil)
    }

    @Test(arguments: ["", "{}", "garbage"])
    func `a record that is damaged leaves nothing`(text: String) throws {
        let file = file()
        try file.begin(.tagged("a"))
        try file.write(bytes(40))
        try temporary.directory.open("file", .readWrite)
            .setAttribute("user.ferry.transfer", Array(text.utf8))
        #expect(try self.file().recover(checkpoint: file.checkpoint) == nil)
    }

    // MARK: - Writing

    @Test func `a resumed file goes on at its end, and learns what is new`() throws {
        let file = file()
        try file.begin(.tagged("a", total: nil))
        try file.write(bytes(40))
        try file.resume(.tagged("a"))
        try file.write(bytes(11, 2))
        #expect(try temporary.contents(of: "file") == bytes(40) + bytes(11, 2))
        let recovered = try self.file().recover(checkpoint: nil)
        #expect(recovered?.version == .tagged("a"))
        #expect(recovered?.generation == file.checkpoint?.generation)
    }

    @Test func `fruitless resumptions are counted by the file, until it begins anew`() throws {
        let file = file()
        try file.noteFruitlessResumptions(3)
        #expect(try temporary.directory.names() == [])
        try file.begin(.tagged("a"))
        try file.write(bytes(40))
        try file.noteFruitlessResumptions(3)
        #expect(try self.file().recover(checkpoint: nil)?.fruitlessResumptionCount == 3)
        try file.begin(.tagged("b"))
        #expect(file.checkpoint?.fruitlessResumptionCount == 0)
    }

    @Test func `a file knows what it holds`() throws {
        let file = file()
        try file.begin(.tagged("a"))
        try file.write([1, 2, 3, 4])
        #expect(try file.holds([3, 4], at: 2))
        #expect(try file.holds([1, 2, 3, 4], at: 0))
        #expect(try file.holds([], at: 4))
        #expect(try !file.holds([3, 5], at: 2))
        #expect(try !file.holds([4, 5], at: 3))
    }

    @Test func `bytes before the beginning are refused`() {
        for attempt in [
            { try self.file().write(bytes(1)) },
            { _ = try self.file().holds([1], at: 0) },
            { try self.file().resume(.tagged("a")) },
        ] {
            let error = #expect(throws: TransferError.self) { try attempt() }
            #expect(error?.code == .internalFailure)
        }
    }

    @Test(.enabled(if: SmallDisk.canBeMade, "needs a mount"))
    func `a full disk is named, and what fitted counts`() throws {
        let small = try SmallDisk(byteCount: 64 * 1024)
        let file = PartialFile(directory: small.directory, name: "file")
        try file.begin(.tagged("a", total: nil))
        let error = #expect(throws: TransferError.self) { try file.write(bytes(1 << 20)) }
        #expect(error?.code == .diskFull)
        #expect(file.byteCount > 0)
        #expect(
            try small.directory.open("file", .read).readToEnd(limit: 1 << 20).count
                == Int(file.byteCount)
        )
        // Beginning anew needs no more room than there is: the old file goes.
        try file.begin(.tagged("b", total: nil))
        try file.write(bytes(4096, 2))
        #expect(try small.directory.open("file", .read).readToEnd(limit: 1 << 20) == bytes(4096, 2))
    }

    // MARK: - Places that are not ours

    @Test func `a link behind the name is not followed`() throws {
        symlink("/etc/passwd", temporary.directory.path(of: "file"))
        let error = #expect(throws: TransferError.self) {
            try self.file().recover(checkpoint: nil)
        }
        #expect(error?.code == .cannotCreateFile)
        // Beginning replaces the link, not what it points to.
        try file().begin(.tagged("a"))
        #expect(try temporary.directory.status(of: "file")?.isRegularFile == true)
    }

    @Test func `a directory behind the name is refused`() throws {
        _ = try temporary.directory.openSubdirectory("file")
        for attempt in [
            { _ = try self.file().recover(checkpoint: nil) },
            { try self.file().begin(.tagged("a")) },
        ] {
            let error = #expect(throws: TransferError.self) { try attempt() }
            #expect(error?.code == .cannotCreateFile)
        }
    }

    @Test(.enabled(if: geteuid() == 0, "needs to give a file away"))
    func `a file of another user is refused`() throws {
        let file = file()
        try file.begin(.tagged("a"))
        chown(file.path, 12_345, 12_345)
        let error = #expect(throws: TransferError.self) {
            try self.file().recover(checkpoint: nil)
        }
        #expect(error?.code == .cannotCreateFile)
    }

    @Test func `a directory that is gone is named`() throws {
        let directory = try temporary.directory.openSubdirectory("gone")
        rmdir(directory.path)
        let file = PartialFile(directory: directory, name: "file")
        #expect(try file.recover(checkpoint: nil) == nil)
        let error = #expect(throws: TransferError.self) { try file.begin(.tagged("a")) }
        #expect(error?.code == .cannotCreateFile)
        #expect(error?.message.contains(directory.path) == true)
    }

    // MARK: - Records beside the file

    @Test func `a record that the file cannot carry lies beside it`() throws {
        let file = file()
        try file.begin(.bulky("a"))
        try file.write(bytes(40))
        #expect(try temporary.directory.names().sorted() == ["file", "file.record"])
        #expect(try self.file().recover(checkpoint: nil)?.version == .bulky("a"))
        #expect(try self.file().recover(checkpoint: nil)?.writtenByteCount == 40)
    }

    @Test func `a record beside the file does not outlive the boot`() async throws {
        let file = file()
        try file.begin(.bulky("a"))
        try file.write(bytes(40))
        #expect(await file.synchronize(by: synchronizer) == nil)
        #expect(try self.file(boot: Self.otherBoot).recover(checkpoint: file.checkpoint) == nil)
    }

    @Test func `a record beside the file follows each beginning`() throws {
        let file = file()
        try file.begin(.bulky("a"))
        try file.write(bytes(40))
        try file.begin(.bulky("b"))
        #expect(try self.file().recover(checkpoint: nil) == nil)
        try file.write(bytes(5))
        #expect(try self.file().recover(checkpoint: nil)?.version == .bulky("b"))
        try file.begin(.tagged("c"))
        try file.write(bytes(6))
        #expect(try self.file().recover(checkpoint: nil)?.version == .tagged("c"))
        try file.begin(.bulky("d"))
        try file.write(bytes(7))
        #expect(try self.file().recover(checkpoint: nil)?.version == .bulky("d"))
    }

    @Test func `the old file says nothing once the record beside it is the new one's`() throws {
        let file = file()
        try file.begin(.bulky("a"))
        try file.write(bytes(40))
        // The moment between the two renames of a beginning.
        try temporary.directory.rename("file", to: temporary.directory, as: "old")
        try self.file().begin(.bulky("b"))
        try temporary.directory.rename(
            "old",
            to: temporary.directory,
            as: "file",
            replacing: true
        )
        try temporary.directory.open("file", .readWrite).truncate(to: 0)
        #expect(try self.file().recover(checkpoint: nil) == nil)
    }

    // MARK: - The disk

    @Test func `a synchronisation is void for a file begun meanwhile`() async throws {
        let file = file()
        try file.begin(.tagged("a"))
        try file.write(bytes(40))
        let pending = file.beginSynchronizing(by: synchronizer)
        try file.begin(.tagged("b"))
        try file.write(bytes(50))
        #expect(await pending.result == nil)
        #expect(file.checkpoint?.synchronizedByteCount == 0)
    }

    @Test func `a synchronisation counts what was written when it began`() async throws {
        let gate = Gate()
        let file = PartialFile(
            directory: temporary.directory,
            name: "file",
            currentBoot: .current
        ) { _, _ in gate.wait() }
        try file.begin(.tagged("a"))
        try file.write(bytes(40))
        let pending = file.beginSynchronizing(by: synchronizer)
        try file.write(bytes(10))
        gate.open()
        #expect(await pending.result == nil)
        #expect(file.checkpoint?.synchronizedByteCount == 40)
    }

    @Test func `a synchronisation is void for a file that was opened again meanwhile`() async throws
    {
        let gate = Gate()
        let file = PartialFile(
            directory: temporary.directory,
            name: "file",
            currentBoot: .current
        ) { _, _ in gate.wait() }
        try file.begin(.tagged("a"))
        try file.write(bytes(40))
        let pending = file.beginSynchronizing(by: synchronizer)
        try file.recover(checkpoint: nil)
        gate.open()
        #expect(await pending.result == nil)
        #expect(file.checkpoint?.synchronizedByteCount == 0)
    }

    @Test func `a file closed meanwhile is not synchronised by another's descriptor`() async throws
    {
        let file = file()
        try file.begin(.tagged("a"))
        try file.write(bytes(40))
        let pending = file.beginSynchronizing(by: synchronizer)
        file.close()
        #expect(await pending.result == nil)
        #expect(file.checkpoint == nil)
    }

    @Test func `bytes whose write-back failed are given up`() async throws {
        let failures = FailureSwitch()
        let file = PartialFile(
            directory: temporary.directory,
            name: "file",
            currentBoot: .current
        ) { (_, _) throws(TransferError) in try failures.check() }
        try file.begin(.tagged("a"))
        try file.write(bytes(40))
        #expect(await file.synchronize(by: synchronizer) == nil)
        try file.write(bytes(20))
        failures.isFailing = true
        #expect(await file.synchronize(by: synchronizer)?.code == .cannotWriteToFile)
        #expect(file.byteCount == 40)
        #expect(try temporary.contents(of: "file").count == 40)
        #expect(try self.file().recover(checkpoint: nil)?.writtenByteCount == 40)
    }

    @Test func `the directory is synchronised once for each beginning`() async throws {
        let anchors = Recorder<Bool>()
        let file = PartialFile(
            directory: temporary.directory,
            name: "file",
            currentBoot: .current
        ) { _, isAnchored in anchors.append(!isAnchored) }
        try file.begin(.tagged("a"))
        for _ in 0..<3 { _ = await file.synchronize(by: synchronizer) }
        try file.begin(.tagged("b"))
        for _ in 0..<2 { _ = await file.synchronize(by: synchronizer) }
        #expect(anchors.elements == [true, false, false, true, false])
    }

    // MARK: - Places

    @Test func `a published file is replaced by accident never, and bears no record`() throws {
        let target = try temporary.directory.openSubdirectory("target")
        let file = file()
        try file.begin(.tagged("a"))
        try file.write(bytes(40))
        _ = try target.open("taken", .createNew).rawValue
        let error = #expect(throws: TransferError.self) {
            try file.publish(to: target, as: "taken")
        }
        #expect(error?.code == .cannotCreateFile)
        #expect(file.byteCount == 40)
        try file.publish(to: target, as: "free")
        #expect(try target.open("free", .read).readToEnd(limit: 100) == bytes(40))
        #expect(try target.open("free", .read).attribute("user.ferry.transfer") == nil)
        #expect(try temporary.directory.names() == ["target"])
        let again = #expect(throws: TransferError.self) {
            try file.publish(to: target, as: "again")
        }
        #expect(again?.code == .fileMissing)
    }

    @Test(arguments: [ResourceVersion.tagged("a"), .bulky("a")])
    func `a moved file can be continued`(version: ResourceVersion) throws {
        let target = try temporary.directory.openSubdirectory("target")
        let file = file()
        try file.begin(version)
        try file.write(bytes(40))
        try file.move(to: target, as: "other")
        #expect(file.path == target.path + "/other")
        try file.write(bytes(1))
        let moved = PartialFile(directory: target, name: "other")
        #expect(try moved.recover(checkpoint: nil)?.writtenByteCount == 41)
        #expect(try temporary.directory.names() == ["target"])
    }

    @Test func `a file that is not there cannot be moved`() throws {
        let error = #expect(throws: TransferError.self) {
            try self.file().move(to: temporary.directory, as: "other")
        }
        #expect(error?.code == .fileMissing)
    }

    @Test(arguments: [ResourceVersion.tagged("a"), .bulky("a")])
    func `a removed file leaves nothing`(version: ResourceVersion) throws {
        let file = file()
        try file.begin(version)
        try file.write(bytes(40))
        try file.remove()
        #expect(try temporary.directory.names() == [])
        #expect(file.byteCount == 0)
        try file.remove()
    }
}
