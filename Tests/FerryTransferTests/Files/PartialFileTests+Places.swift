import FerrySystem
import FerryTestSupport
import Glibc
import Testing

@testable import FerryTransfer

extension PartialFileTests {
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

    @Test func `a file that may have any name takes none that another file has`() throws {
        try temporary.directory.open("taken", .createNew).truncate(to: 1)
        var names = ["last", "free", "taken", "taken"]
        let file = PartialFile(directory: temporary.directory) { names.removeLast() }
        try file.begin(.tagged("a"))
        #expect(file.name == "free")
        // It begins anew under its own name.
        try file.write(bytes(40))
        try file.begin(.tagged("b"))
        #expect(file.name == "free")
        #expect(try temporary.directory.names().sorted() == ["free", "taken"])
        // After its removal its name may be another file's.
        try file.remove()
        _ = try temporary.directory.open("free", .createNew)
        try file.begin(.tagged("c"))
        #expect(file.name == "last")
        #expect(try temporary.directory.status(of: "taken")?.size == 1)
    }

    @Test(arguments: [ResourceVersion.tagged("a"), .bulky("a")])
    func `a finished file keeps its name and bears no record`(version: ResourceVersion) throws {
        let file = file(.onDemand)
        try file.begin(version)
        try file.write(bytes(40))
        try file.storeRecord()
        file.finish()
        #expect(try temporary.directory.names() == ["file"])
        #expect(try self.file().recover(checkpoint: nil) == nil)
    }

    @Test func `no two contents have the same generation`() throws {
        let file = file()
        let generations = try (0..<100).map { _ in
            try file.begin(.tagged("a"))
            return file.checkpoint?.generation
        }
        #expect(Set(generations).count == 100)
    }

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
