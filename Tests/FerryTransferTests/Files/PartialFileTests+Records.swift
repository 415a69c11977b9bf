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

    @Test(arguments: [ResourceVersion.tagged("a"), .bulky("a")])
    func `a file that one write completes has no record until its bytes are to be found later`(
        version: ResourceVersion
    )
        throws
    {
        let file = file()
        try file.begin(version)
        try file.write(bytes(100))
        #expect(try self.file().recover(checkpoint: file.checkpoint) == nil)
        file.close()
        #expect(try self.file().recover(checkpoint: nil)?.writtenByteCount == 100)
    }

    @Test func `a longer file has a record, though one write completes it`() throws {
        for (count, recovered) in [(16 << 10, nil), (16 << 10 + 1, Int64(16 << 10 + 1))] {
            let file = file()
            try file.begin(.tagged("a", total: Int64(count)))
            try file.write(bytes(count))
            #expect(try self.file().recover(checkpoint: nil)?.writtenByteCount == recovered)
        }
    }

    @Test func `a record beside an earlier file does not become that of a file without one`() throws
    {
        let file = file()
        try file.begin(.bulky("a"))
        try file.write(bytes(40))
        try file.begin(.tagged("b"))
        try file.write(bytes(100))
        #expect(try temporary.directory.names() == ["file"])
        #expect(try self.file().recover(checkpoint: nil) == nil)
    }

    @Test func `a record goes before its file, so that none is left for the next one`() throws {
        #expect(PartialFile.suffixesToRemove.last == "")
        let file = file()
        try file.begin(.bulky("a"))
        try file.remove()
        #expect(try temporary.directory.names() == [])
    }

    @Test(arguments: [ResourceVersion.tagged("a"), .bulky("a")])
    func `the record of a complete file goes by the file that is open`(
        version: ResourceVersion
    )
        throws
    {
        let file = file()
        try file.begin(version)
        try file.write(bytes(100))
        file.removeRecord()
        #expect(try temporary.directory.names() == ["file"])
        let raw = try temporary.directory.open("file", .read).attribute("user.ferry.transfer")
        #expect(raw == nil)
    }
}
