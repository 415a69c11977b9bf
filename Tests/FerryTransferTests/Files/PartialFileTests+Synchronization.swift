import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryTransfer

extension PartialFileTests {
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

    @Test(arguments: [false, true])
    func `a synchronisation is void for bytes that an earlier one's failure has given up`(
        hasSegments: Bool
    ) async throws {
        let failures = Countdown(1)
        let file = PartialFile(
            directory: temporary.directory,
            name: "file",
            currentBoot: .current
        ) { (_, _) throws(TransferError) in
            if failures.take() { throw TransferError(code: .cannotWriteToFile, message: "test") }
        }
        try file.begin(.tagged("a"))
        if hasSegments { try file.beginSegments() }
        try file.write(bytes(20), at: 0)
        let failing = file.beginSynchronizing(by: synchronizer)
        try file.write(bytes(20), at: 20)
        let later = file.beginSynchronizing(by: synchronizer)
        #expect(await failing.result?.code == .cannotWriteToFile)
        #expect(await later.result == nil)
        #expect(file.byteCount == 0)
        #expect(file.checkpoint?.synchronizedBytes == ByteRanges())
    }

    @Test func `the directory of a recovered file is synchronised if no checkpoint vouches for it`()
        async throws
    {
        let file = file()
        try file.begin(.tagged("a"))
        try file.write(bytes(40))
        let unsynchronized = try #require(file.checkpoint)
        var synchronized = unsynchronized
        synchronized.synchronizedByteCount = 10
        var foreign = synchronized
        foreign.generation &+= 1
        let cases: [(Checkpoint?, Bool)] = [
            (nil, false), (unsynchronized, false), (foreign, false), (synchronized, true),
        ]
        for (checkpoint, isAnchored) in cases {
            let anchors = Recorder<Bool>()
            let next = PartialFile(
                directory: temporary.directory,
                name: "file",
                currentBoot: .current
            ) { anchors.append($1) }
            #expect(try next.recover(checkpoint: checkpoint)?.writtenByteCount == 40)
            #expect(await next.synchronize(by: synchronizer) == nil)
            #expect(anchors.elements == [isAnchored])
        }
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
}
