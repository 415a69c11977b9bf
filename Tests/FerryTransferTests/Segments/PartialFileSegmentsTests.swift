import FerrySystem
import FerryTestSupport
import FoundationEssentials
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(1)))
@LoopActor
struct PartialFileSegmentsTests {
    private let temporary: TemporaryDirectory
    private let synchronizer = FileSynchronizer(label: "test")
    private static let otherBoot = BootIdentifier(rawValue: "other")

    init() throws { temporary = try TemporaryDirectory() }

    private func file(
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

    /// 100 bytes of which the first ten, and ten from byte 50 on, are there.
    private func begin(_ file: PartialFile) throws {
        try file.begin(.tagged("a"))
        try file.write([UInt8](repeating: 1, count: 10))
        try file.beginSegments()
        try file.write([UInt8](repeating: 2, count: 10), at: 50)
    }

    private let parts = ByteRanges([0..<10, 50..<60])

    @Test func `a killed process loses no byte, wherever it was written`() throws {
        try begin(file())
        let next = file()
        let recovered = try #require(try next.recover(checkpoint: nil))
        #expect(recovered.segments?.written == parts)
        #expect(recovered.writtenByteCount == 20)
        #expect(recovered.synchronizedByteCount == 0)
        #expect(next.written == parts)
        #expect(try next.holds([UInt8](repeating: 2, count: 10), at: 50))
        #expect(try !next.holds([UInt8](repeating: 0, count: 10), at: 20))
    }

    @Test func `SEC-6: a file whose table somebody has cut off vouches for none of its holes`()
        async throws
    {
        let file = file()
        try begin(file)
        #expect(await file.synchronize(by: synchronizer) == nil)
        let checkpoint = try #require(file.checkpoint)
        try temporary.directory.open("file", .readWrite).truncate(to: 60)
        // What is known to have been there is there.
        let recovered = try self.file().recover(checkpoint: checkpoint)
        #expect(recovered?.segments?.written == parts)
        try temporary.directory.open("file", .readWrite).truncate(to: 60)
        #expect(try self.file().recover(checkpoint: nil) == nil)
    }

    @Test(arguments: [PartialFile.RecordKeeping.always, .onDemand])
    func `SEC-6: a table is not put behind what somebody has cut`(
        keeping: PartialFile.RecordKeeping
    ) throws {
        let file = file(keeping)
        try file.begin(.tagged("a"))
        try file.write([UInt8](repeating: 1, count: 10))
        if keeping == .onDemand { try file.beginSegments() }
        try temporary.directory.open("file", .readWrite).truncate(to: 5)
        let error = #expect(throws: TransferError.self) {
            if keeping == .onDemand { try file.storeRecord() } else { try file.beginSegments() }
        }
        #expect(error?.code == .fileChanged)
        #expect(try temporary.directory.status(of: "file")?.size == 5)
        // The five bytes are those that were written; of a file without a record nobody knows.
        let recovered = try file.recover(checkpoint: nil)
        #expect(recovered?.writtenByteCount == (keeping == .always ? 5 : nil))
    }

    @Test func `a file that is complete says no more that it has a table`() throws {
        let file = file()
        try file.begin(.tagged("a"))
        try file.beginSegments()
        try file.write([UInt8](repeating: 2, count: 100), at: 0)
        try file.endSegments()
        #expect(try self.file().recover(checkpoint: nil)?.writtenByteCount == 100)
    }

    @Test func `a file that is complete has its table until its record is stored without`() throws {
        let file = file()
        try file.begin(.bulky("a"))
        try file.beginSegments()
        try file.write([UInt8](repeating: 2, count: 100), at: 0)
        // In the way of another record, as a full disk is.
        _ = try temporary.directory.openSubdirectory("file.record.new")
        #expect(throws: TransferError.self) { try file.endSegments() }
        try temporary.directory.rename("file.record.new", to: temporary.directory, as: "aside")
        #expect(try self.file().recover(checkpoint: nil)?.writtenByteCount == 100)
    }

    @Test func `SEC-6: a file that others have cut does not get its length back`() throws {
        let file = file()
        try begin(file)
        try file.write([UInt8](repeating: 3, count: 40), at: 10)
        try file.write([UInt8](repeating: 4, count: 40), at: 60)
        try temporary.directory.open("file", .readWrite).truncate(to: 50)
        let error = #expect(throws: TransferError.self) { try file.endSegments() }
        #expect(error?.code == .fileChanged)
    }

    @Test func `a power cut leaves the parts that were synchronised`() async throws {
        let file = file()
        try begin(file)
        #expect(await file.synchronize(by: synchronizer) == nil)
        let checkpoint = try #require(file.checkpoint)
        try file.write([UInt8](repeating: 3, count: 10), at: 60)
        #expect(checkpoint.synchronizedByteCount == 10)
        let next = self.file(boot: Self.otherBoot)
        #expect(try next.recover(checkpoint: checkpoint)?.segments?.written == parts)
        // The table says so from now on.
        let later = self.file(boot: Self.otherBoot)
        #expect(try later.recover(checkpoint: nil)?.segments?.written == parts)
    }

    @Test func `after a power cut nothing counts that no checkpoint vouches for`() async throws {
        let file = file()
        try file.begin(.tagged("a"))
        try file.write([UInt8](repeating: 1, count: 10))
        #expect(await file.synchronize(by: synchronizer) == nil)
        let checkpoint = try #require(file.checkpoint)
        try file.beginSegments()
        try file.write([UInt8](repeating: 2, count: 10), at: 50)
        let next = self.file(boot: Self.otherBoot)
        let recovered = try #require(try next.recover(checkpoint: checkpoint))
        #expect(recovered.segments == nil)
        #expect(recovered.writtenByteCount == 10)
        #expect(try temporary.contents(of: "file").count == 10)
    }

    @Test func `a table that is not this file's counts nothing`() throws {
        try begin(file())
        let raw = try temporary.directory.open("file", .readWrite)
        let table = PartialFile.SegmentTable(
            generation: 1,
            totalByteCount: 100,
            written: ByteRanges([0..<100])
        )
        try table.encoded.withUnsafeBytes { try raw.writeAll($0, at: 4096) }
        #expect(try file().recover(checkpoint: nil) == nil)
    }

    @Test func `who does not know of tables trusts no byte`() throws {
        let file = file()
        try begin(file)
        let checkpoint = try #require(file.checkpoint)
        let size = Int64(try temporary.contents(of: "file").count)
        #expect(checkpoint.trustedByteCount(currentBoot: .current, fileSize: size) == 0)
    }

    @Test func `a file that is complete is an ordinary one`() async throws {
        let file = file()
        try begin(file)
        try file.write([UInt8](repeating: 3, count: 40), at: 10)
        try file.write([UInt8](repeating: 4, count: 40), at: 60)
        try file.endSegments()
        #expect(!file.hasSegments)
        #expect(file.checkpoint?.segments == nil)
        #expect(file.checkpoint?.writtenByteCount == 100)
        #expect(try temporary.contents(of: "file").count == 100)
        #expect(await file.synchronize(by: synchronizer) == nil)
        #expect(file.checkpoint?.synchronizedByteCount == 100)
        #expect(try self.file().recover(checkpoint: nil)?.writtenByteCount == 100)
    }

    @Test func `one that was complete when its process died is completed by the next`() throws {
        let file = file()
        try begin(file)
        try file.write([UInt8](repeating: 3, count: 40), at: 10)
        try file.write([UInt8](repeating: 4, count: 40), at: 60)
        let recovered = try #require(try self.file().recover(checkpoint: nil))
        #expect(recovered.segments == nil)
        #expect(recovered.writtenByteCount == 100)
        #expect(try temporary.contents(of: "file").count == 100)
    }

    @Test func `a disk that fails leaves the parts that were on it before`() async throws {
        let switched = FailureSwitch()
        let file = PartialFile(
            directory: temporary.directory,
            name: "file",
            currentBoot: .current
        ) { (file, isAnchored) throws(TransferError) in
            try switched.check()
            try file.synchronize(withRecord: !isAnchored)
        }
        try begin(file)
        #expect(await file.synchronize(by: synchronizer) == nil)
        try file.write([UInt8](repeating: 3, count: 10), at: 80)
        switched.isFailing = true
        #expect(await file.synchronize(by: synchronizer) != nil)
        #expect(file.written == parts)
        #expect(try self.file().recover(checkpoint: nil)?.segments?.written == parts)
    }

    @Test func `a file that nobody else knows tells of its parts when it is to`() throws {
        let file = file(.onDemand)
        try begin(file)
        #expect(try temporary.contents(of: "file").count == 60)
        try file.storeRecord()
        #expect(try self.file().recover(checkpoint: nil)?.segments?.written == parts)
    }

    @Test func `resume data keeps the parts, and is none for who does not know of them`() throws {
        let file = file()
        try begin(file)
        let data = try ResumeData(request: TransferRequest(url: "http://host/file"), file: file)
        #expect(data.byteCount == 20)
        let blob = try data.encoded()
        #expect(blob[7] == 2)
        #expect(try ResumeData(decoding: blob) == data)
        var relabelled = blob
        relabelled[7] = 1
        #expect(throws: TransferError.self) { try ResumeData(decoding: relabelled) }
    }

    @Test func `a file that is taken over keeps its parts`() async throws {
        let file = file()
        try begin(file)
        let data = try ResumeData(request: TransferRequest(url: "http://host/file"), file: file)
        let target = try temporary.directory.openSubdirectory("other")
        let adopted = try await PartialFile.adopt(
            data,
            into: target,
            as: "adopted",
            on: synchronizer.queue
        )
        #expect(try adopted.recover(checkpoint: data.checkpoint)?.segments?.written == parts)
    }

    @Test(.enabled(if: SmallDisk.canBeMade, "needs a mount"))
    func `a file that is taken over from another disk keeps its parts`() async throws {
        let small = try SmallDisk(byteCount: 4 << 20)
        let file = file()
        try begin(file)
        let data = try ResumeData(request: TransferRequest(url: "http://host/file"), file: file)
        let adopted = try await PartialFile.adopt(
            data,
            into: try Directory(opening: small.path),
            as: "adopted",
            on: synchronizer.queue
        )
        #expect(try adopted.recover(checkpoint: data.checkpoint)?.segments?.written == parts)
        #expect(try adopted.holds([UInt8](repeating: 2, count: 10), at: 50))
    }

    @Test func `a checkpoint with parts comes back from JSON, and one without is as it was`()
        throws
    {
        let file = file()
        try begin(file)
        let checkpoint = try #require(file.checkpoint)
        let json = try JSONEncoder().encode(checkpoint)
        #expect(try JSONDecoder().decode(Checkpoint.self, from: json) == checkpoint)
        var ordinary = checkpoint
        ordinary.segments = nil
        let text = String(decoding: try JSONEncoder().encode(ordinary), as: UTF8.self)
        #expect(!text.contains("segments"))
    }
}

extension PartialFile {
    /// Writes bytes at a place of the file.
    func write(_ bytes: [UInt8], at offset: Int64) throws(TransferError) {
        let result = bytes.withUnsafeBytes { raw in
            Result { () throws(TransferError) in try write(raw, at: offset) }
        }
        try result.get()
    }
}
