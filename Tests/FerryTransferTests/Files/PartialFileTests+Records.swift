import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryTransfer

extension PartialFileTests {
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

    // MARK: Bodies in one piece

    @Test func `a body that comes in one piece has no record, and no other process believes it`()
        async throws
    {
        let file = file(.unlessComplete)
        try file.begin(.tagged("a"))
        try file.write(bytes(100))
        #expect(!file.hasRecord)
        #expect(try temporary.directory.names() == ["file"])
        let raw = try temporary.directory.open("file", .read).attribute("user.ferry.transfer")
        #expect(raw == nil)
        #expect(await file.synchronize(by: synchronizer) == nil)
        try file.requireIntact()
        #expect(try self.file(.unlessComplete).recover(checkpoint: file.checkpoint) == nil)
    }

    @Test(arguments: [1, 40, 99])
    func `a first piece that is not all there is comes behind the record`(count: Int) throws {
        let file = file(.unlessComplete)
        try file.begin(.tagged("a"))
        try file.write(bytes(count))
        #expect(file.hasRecord)
        let recovered = try self.file(.unlessComplete).recover(checkpoint: nil)
        #expect(recovered?.version == .tagged("a"))
        #expect(recovered?.writtenByteCount == Int64(count))
    }

    @Test func `a body of which nobody knows the length has its record before its bytes`() throws {
        let file = file(.unlessComplete)
        try file.begin(.tagged("a", total: nil))
        try file.write(bytes(40))
        #expect(try self.file().recover(checkpoint: nil)?.writtenByteCount == 40)
    }

    @Test func `a record that lies beside the file before does not speak for the next one`() throws
    {
        try file().begin(.bulky("a"))
        let file = file(.unlessComplete)
        try file.begin(.tagged("b"))
        try file.write(bytes(100))
        #expect(file.hasRecord)
        #expect(try self.file().recover(checkpoint: nil)?.version == .tagged("b"))
    }

    @Test func `a record goes before its file, so that none is left for the next one`() throws {
        #expect(PartialFile.suffixesToRemove.last == "")
        let file = file()
        try file.begin(.bulky("a"))
        try file.remove()
        #expect(try temporary.directory.names() == [])
    }

    @Test func `a file whose bytes may come anywhere has its record first`() throws {
        let file = file(.unlessComplete)
        try file.begin(.tagged("a"))
        try file.beginSegments()
        #expect(file.hasRecord)
        try file.write(bytes(10), at: 50)
        #expect(
            try self.file().recover(checkpoint: nil)?.segments?.written == ByteRanges([50..<60])
        )
    }
}
