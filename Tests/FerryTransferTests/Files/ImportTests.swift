import FerrySystem
import FerryTestSupport
import Glibc
import Testing

@testable import FerryTransfer

/// The bytes that another program has loaded.
@Suite(.timeLimit(.minutes(1))) @LoopActor struct ImportTests {
    private let temporary: TemporaryDirectory
    private let request = TransferRequest(url: "http://host/file")
    private let content = (0..<9000).map { UInt8(truncatingIfNeeded: $0 * 7) }

    init() throws {
        temporary = try TemporaryDirectory()
        _ = try temporary.write(content, to: "theirs")
    }

    private func copy(
        _ byteCount: Int64,
        of name: String = "theirs",
        total: Int64 = 20_000
    ) throws(TransferError) -> ResumeData {
        try PartialFile.copy(
            byteCount,
            of: (temporary.directory, name),
            for: request,
            totalByteCount: total,
            into: temporary.directory,
            as: "copy"
        )
    }

    @Test func `their first bytes are continued, and their file stays`() async throws {
        let data = try copy(5000)
        #expect(data.byteCount == 5000)
        #expect(data.path == temporary.path + "/copy")
        #expect(try ResumeData(decoding: try data.encoded()) == data)
        let queue = BlockingQueue(label: "test")
        let file = try await PartialFile.adopt(
            data,
            into: temporary.directory,
            as: "mine",
            on: queue
        )
        let recovered = try #require(try file.recover(checkpoint: data.checkpoint))
        #expect(recovered.writtenByteCount == 5000)
        #expect(recovered.version.totalByteCount == 20_000)
        #expect(try file.holds(Array(content[..<5000]), at: 0))
        #expect(try temporary.contents(of: "theirs") == content)
    }

    @Test func `the copy survives a power cut`() async throws {
        let data = try copy(5000)
        let boot = BootIdentifier(rawValue: "other")
        let file = PartialFile(directory: temporary.directory, name: "copy", currentBoot: boot)
        #expect(try file.recover(checkpoint: data.checkpoint)?.writtenByteCount == 5000)
    }

    @Test(arguments: [0, -1, 20_001]) func `what cannot be a part is refused`(byteCount: Int64) {
        let error = #expect(throws: TransferError.self) { try copy(byteCount) }
        #expect(error?.code == .resumeDataInvalid)
        #expect((try? temporary.directory.names()) == ["theirs"])
    }

    @Test func `a file that is gone or is shorter leaves nothing behind`() throws {
        let error = #expect(throws: TransferError.self) { try copy(100, of: "absent") }
        #expect(error?.code == .fileMissing)
        #expect(throws: TransferError.self) { try copy(9001) }
        #expect(try temporary.directory.names() == ["theirs"])
    }

    @Test func `only a request that can be continued is one for a part`() {
        let post = TransferRequest(url: "http://host/file", method: "POST")
        let error = #expect(throws: TransferError.self) {
            try PartialFile.copy(
                100,
                of: (temporary.directory, "theirs"),
                for: post,
                totalByteCount: 200,
                into: temporary.directory,
                as: "copy"
            )
        }
        #expect(error?.code == .resumeDataInvalid)
    }
}
