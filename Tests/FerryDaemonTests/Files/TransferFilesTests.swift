import FerrySystem
import FerryTestSupport
import FerryTransfer
import FoundationEssentials
import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(1)))
@LoopActor
struct TransferFilesTests {
    let temporary: TemporaryDirectory
    let files: TransferFiles
    let resumable: Directory

    init() throws {
        temporary = try TemporaryDirectory()
        let state = temporary.directory
        files = try TransferFiles(in: state)
        resumable = try state.openSubdirectory("resumable")
    }

    @Test func `a file waits 90 days for its resume data to be used, however old its bytes are`()
        throws
    {
        _ = try resumable.open("Resume_1", .createNew)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 0)],
            ofItemAtPath: resumable.path(of: "Resume_1")
        )
        let day = 86_400.0
        files.removeExpiredResumeFiles(now: Date())
        files.removeExpiredResumeFiles(now: Date() + 89 * day)
        #expect(try resumable.names() == ["Resume_1"])
        files.removeExpiredResumeFiles(now: Date() + 91 * day)
        #expect(try resumable.names() == [])
    }

    @Test(.enabled(if: SmallDisk.canBeMade, "needs a small disk"))
    func `what the disk has no room for is known before it is loaded`() throws {
        let disk = try SmallDisk(byteCount: 4 << 20)
        let files = try TransferFiles(in: disk.directory)
        #expect(files.shortage(of: 3 << 20) == nil)
        #expect(files.shortage(of: nil) == nil)
        let error = try #require(files.shortage(of: 5 << 20))
        #expect(error.code == .diskFull)
        #expect(error.message.contains("and 5242880 are needed"))
        try disk.fill()
        #expect(files.shortage(of: nil)?.code == .diskFull)
        #expect(files.shortage(of: 1)?.code == .diskFull)
    }
}
