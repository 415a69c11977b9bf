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

    // MARK: - Files that change hands

    private var downloads: Directory {
        get throws { try temporary.directory.openSubdirectory("downloads") }
    }

    private static let request = TransferRequest(url: "http://host/file")

    /// A task's file, with these bytes of a longer resource.
    private func write(_ text: String, of task: Int64) throws -> PartialFile {
        let file = files.file(of: task)
        try file.begin(
            ResourceVersion(
                validator: .strongETag("\"a\""),
                totalByteCount: 100,
                url: Self.request.url
            )
        )
        try Array(text.utf8).withUnsafeBytes { try file.write($0) }
        try file.storeRecord()
        return file
    }

    private func resumeData(of task: Int64) throws -> Data {
        try files.makeResumeData(
            task: task,
            request: Self.request,
            currentURL: nil,
            checkpoint: nil
        )
    }

    @Test func `TEST-13: nothing of a transfer's record is left on a file that is complete`() throws
    {
        let file = try write("la", of: 1)
        file.close()
        let path = files.path(of: 1)
        try Data("{}".utf8).write(to: URL(filePath: path + ".record"))
        files.seal(task: 1)
        #expect(try downloads.names() == [path.split(separator: "/").last.map(String.init)])
        let sealed = try downloads.open(String(path.split(separator: "/").last ?? ""), .readWrite)
        #expect(try sealed.attribute("user.ferry.transfer") == nil)
    }

    @Test func `TEST-13: a task's file goes where its resume data says`() async throws {
        try write("la", of: 1).close()
        let data = try resumeData(of: 1)
        try files.keep(task: 1, for: data)
        let path = try ResumeData(decoding: Array(data)).path
        #expect(try resumable.names() == [path.split(separator: "/").last.map(String.init)])
        #expect(FileManager.default.contents(atPath: path)?.starts(with: "la".utf8) == true)
        await untilIdle()
        #expect(try downloads.names() == [])
        // Said again, by a ferryd that died before it could note that.
        try files.keep(task: 1, for: data)
        #expect(FileManager.default.contents(atPath: path)?.starts(with: "la".utf8) == true)
    }

    @Test func `TEST-13: resume data that was not used keeps its file, and the task's own goes`()
        async throws
    {
        try write("la", of: 1).close()
        let unused = try resumeData(of: 1)
        try files.keep(task: 1, for: unused)
        try write("lo", of: 2).close()
        try files.keep(task: 2, for: unused)
        await untilIdle()
        #expect(try downloads.names() == [])
        let path = try ResumeData(decoding: Array(unused)).path
        #expect(try resumable.names() == [path.split(separator: "/").last.map(String.init)])
        #expect(FileManager.default.contents(atPath: path)?.starts(with: "la".utf8) == true)
    }

    /// Returns when files that were to be deleted are.
    private func untilIdle() async {
        await withCheckedContinuation { continuation in
            files.queue.perform { continuation.resume() }
        }
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
