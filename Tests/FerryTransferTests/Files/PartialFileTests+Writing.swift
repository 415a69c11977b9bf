import FerrySystem
import FerryTestSupport
import Glibc
import Testing

@testable import FerryTransfer

extension PartialFileTests {
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
        try file.recordFruitlessResumptions(3)
        #expect(try temporary.directory.names() == [])
        try file.begin(.tagged("a"))
        try file.write(bytes(40))
        try file.recordFruitlessResumptions(3)
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

    /// What is said of the file when it should be as it was written.
    private func disturbance(of file: PartialFile) -> TransferError.Code? {
        do throws(TransferError) {
            try file.requireIntact()
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `SEC-6: nothing more is written to a file that was deleted`() throws {
        let file = file()
        try file.begin(.tagged("a"))
        try file.write(bytes(10))
        try temporary.directory.remove("file")
        let error = #expect(throws: TransferError.self) { try file.write(bytes(10)) }
        #expect(error?.code == .fileChanged)
    }

    @Test func `SEC-6: neither a longer file nor another in its place is what was written`() throws
    {
        let file = file()
        let path = temporary.directory.path(of: "file")
        try file.begin(.tagged("a"))
        try file.write(bytes(10))
        #expect(disturbance(of: file) == nil)
        // The file itself is still there, under another name.
        #expect(rename(path, path + ".old") == 0)
        try temporary.write(bytes(10), to: "file")
        #expect(disturbance(of: file) == .fileChanged)
        #expect(rename(path + ".old", path) == 0)
        #expect(disturbance(of: file) == nil)
        try temporary.write(bytes(1), to: "file", at: 10)
        #expect(disturbance(of: file) == .fileChanged)
    }
}
