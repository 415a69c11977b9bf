import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(1)))
@LoopActor
struct PartialFileTests {
    let temporary: TemporaryDirectory
    let synchronizer = FileSynchronizer(label: "test")
    static let otherBoot = BootIdentifier(rawValue: "other")

    init() throws { temporary = try TemporaryDirectory() }

    func file(
        boot: BootIdentifier = .current,
        _ keeping: PartialFile.RecordKeeping = .always
    ) -> PartialFile {
        PartialFile(
            directory: temporary.directory,
            name: "file",
            currentBoot: boot,
            recordKeeping: keeping
        )
    }

    func bytes(_ count: Int, _ value: UInt8 = 1) -> [UInt8] {
        [UInt8](repeating: value, count: count)
    }

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
        let file = file()
        try file.begin(.tagged("a"))
        // A write of no bytes shows what comes before them.
        try file.write([])
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
}
