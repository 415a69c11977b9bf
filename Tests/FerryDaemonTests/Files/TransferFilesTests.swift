import FerryStore
import FerrySystem
import FerryTestSupport
import FerryTransfer
import FoundationEssentials
import Glibc
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
    private func write(_ text: String, of task: TaskID) throws -> PartialFile {
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

    private func resumeData(of task: TaskID) throws -> Data {
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
        #expect(files.shortage(of: 3 << 20, for: 1) == nil)
        #expect(files.shortage(of: nil, for: 1) == nil)
        let error = try #require(files.shortage(of: 5 << 20, for: 1))
        #expect(error.code == .diskFull)
        #expect(error.message.contains("and 5242880 are needed"))
        try disk.fill()
        #expect(files.shortage(of: nil, for: 1)?.code == .diskFull)
        #expect(files.shortage(of: 1, for: 1)?.code == .diskFull)
    }

    @Test func `REL-11: a file on a missing disk is an error that names it and may pass`()
        async throws
    {
        let path = temporary.path + "/disk/.ferry-1"
        try downloads.makeLink("CFNetworkDownload_000007.tmp.place", to: path)
        let error = await #expect(throws: TransferError.self) {
            try await files.findFile(of: 7, on: files.queue)
        }
        #expect(error?.code == .fileUnreachable)
        #expect(error?.message.hasPrefix("\(path) cannot be opened: ") == true)
    }

    @Test func `REL-11: who waits for a file's own disk holds up no other file`() async throws {
        for task in 7...8 {
            _ = try temporary.directory.openSubdirectory("disk\(task)")
            let path = temporary.path + "/disk\(task)/.ferry-1"
            try downloads.makeLink("CFNetworkDownload_00000\(task).tmp.place", to: path)
            try await files.findFile(of: TaskID(Int64(task)), on: files.queue)
        }
        #expect(files.synchronizer(of: 9) === files.synchronizer)
        #expect(files.synchronizer(of: 7) !== files.synchronizer)
        #expect(files.synchronizer(of: 7).queue !== files.synchronizer(of: 8).queue)
    }

    @Test func `a file is looked for if an earlier ferryd or this one may have written it`() throws
    {
        let later = try TransferFiles(in: temporary.directory)
        _ = try write("abc", of: 7)
        #expect(later.findLeftovers().tasks == [7])
        #expect(try later.file(of: 7).recover(checkpoint: nil)?.writtenByteCount == 3)
        // Only its owner writes to that directory, so nobody writes this file but for the test.
        _ = try write("abcd", of: 8)
        #expect(try later.file(of: 8).recover(checkpoint: nil) == nil)
        #expect(try later.file(of: 8).recover(checkpoint: nil)?.writtenByteCount == 4)
    }

    @Test func `TEST-13: what is discarded is gone, with all that lies beside it`() async throws {
        let downloads = try temporary.directory.openSubdirectory("downloads")
        let uploads = try temporary.directory.openSubdirectory("uploads")
        let name = "CFNetworkDownload_000007.tmp"
        for suffix in [""] + PartialFile.companionSuffixes {
            _ = try downloads.open(name + suffix, .createNew)
        }
        _ = try uploads.open("Upload_7", .createNew)
        _ = try downloads.open("CFNetworkDownload_000008.tmp", .createNew)
        #expect(files.findLeftovers().tasks == [7, 8])
        files.discard(task: 7)
        await files.queue.run {}
        #expect(try downloads.names() == ["CFNetworkDownload_000008.tmp"])
        #expect(try uploads.names() == [])
    }

    @Test func `what a dead ferryd has left beside a complete file is found, and goes without it`()
        async throws
    {
        let name = "CFNetworkDownload_000007.tmp"
        for suffix in [""] + PartialFile.companionSuffixes {
            _ = try downloads.open(name + suffix, .createNew)
        }
        _ = try downloads.open("CFNetworkDownload_000008.tmp", .createNew)
        let found = files.findLeftovers()
        #expect(found.tasks == [7, 8])
        #expect(found.tasksWithCompanions == [7])
        files.discardCompanions(ofEnded: 7)
        await untilIdle()
        #expect(try downloads.names().sorted() == [name, "CFNetworkDownload_000008.tmp"])
        files.discardFile(ofEnded: 7)
        await untilIdle()
        #expect(try downloads.names() == ["CFNetworkDownload_000008.tmp"])
    }

    @Test(arguments: ["state renamed", "replaced by a link", "in place", "removed"])
    func `REL-17: a finished file is told by a path that leads to it`(change: String) async throws {
        _ = try write("la", of: 7)
        let told = files.path(of: 7)
        let state = try temporary.directory.openSubdirectory("state")
        let moved = try TransferFiles(in: state)
        _ = try state.openSubdirectory("downloads").open("CFNetworkDownload_000007.tmp", .createNew)
        let here = state.path + "/downloads"
        // It is looked for again in the next turn of the loop.
        #expect(moved.present(fileAt: told).path.hasPrefix(here))
        await withCheckedContinuation { turn in LoopActor.perform { turn.resume() } }
        let there = temporary.path + "/there"
        switch change {
        case "state renamed": #expect(rename(state.path, there) == 0)
        case "replaced by a link":
            #expect(rename(here, there) == 0)
            #expect(symlink(there, here) == 0)
        case "removed":
            #expect(unlink(here + "/CFNetworkDownload_000007.tmp") == 0)
            #expect(rmdir(here) == 0)
        default: break
        }
        let (path, directoryIdentity) = moved.present(fileAt: told)
        #expect(path.hasSuffix("/CFNetworkDownload_000007.tmp"))
        #expect((access(path, F_OK) == 0) == (change != "removed"))
        // Whoever finds another directory there knows that it is another.
        let directory = String(path.dropLast("/CFNetworkDownload_000007.tmp".count))
        let identity = try? DiskIdentity(of: Directory(opening: directory)).text
        #expect((directoryIdentity == identity) == (change != "removed"))
    }

    @Test(arguments: [
        "/mnt", "/mnt/a b", "/mnt/Téléchargements", "/mnt/Иван/Музыка/Загрузки", "/mnt/🎵/下载",
        "/e\u{301}",
    ])
    func `PLACE-1: a file that is for another disk is recognized by its own name`(directory: String)
    {
        func identity(_ name: String) -> String? {
            files.present(fileAt: directory + "/" + name).directoryIdentity
        }
        #expect(identity(".ferry-abc-k3y9") == "k3y9")
        #expect(identity(".ferry-abc") == nil)
        #expect(identity("abc") == nil)
    }

    @Test func `PLACE-1: the mark of a file that an app is being told of stays until it is gone`()
        async throws
    {
        let name = "CFNetworkDownload_000007.tmp"
        try downloads.makeLink(name + PartialFile.toldSuffix, to: "told")
        #expect(files.findLeftovers().tasks == [7])
        files.discardCompanions(ofEnded: 7)
        await untilIdle()
        #expect(try downloads.names() == [name + PartialFile.toldSuffix])
        files.discardFile(ofEnded: 7)
        await untilIdle()
        #expect(try downloads.names() == [])
        try downloads.makeLink(name + PartialFile.toldSuffix, to: "told")
        files.discard(task: 7)
        await untilIdle()
        #expect(try downloads.names() == [])
    }

    @Test func `a complete file is sealed without its name`() throws {
        let file = try write("la", of: 1)
        files.complete(file, of: 1)
        let name = try #require(files.path(of: 1).split(separator: "/").last.map(String.init))
        try downloads.rename(name, to: downloads, as: "moved")
        files.seal(task: 1)
        #expect(try downloads.open("moved", .read).attribute("user.ferry.transfer") == nil)
    }

    @Test(.enabled(if: SmallDisk.canBeMade, "needs a small disk"))
    func `a complete file at a place of its own is sealed there, by which the place is closed`()
        async throws
    {
        let disk = try SmallDisk(byteCount: 4 << 20)
        _ = await files.choosePlace(for: 7, in: disk.path, on: BlockingQueue(label: "test"))
        let file = try write("la", of: 7)
        files.complete(file, of: 7)
        files.seal(task: 7)
        #expect(files.places.place(of: 7) == nil)
        let name = try #require(try disk.directory.names().first)
        #expect(try disk.directory.names().count == 1)
        #expect(try disk.directory.open(name, .read).attribute("user.ferry.transfer") == nil)
    }

    /// The files of a disk without the records that lie beside them where it has no attributes.
    private func names(on disk: SmallDisk) throws -> [String] {
        try disk.directory.names().filter { !$0.hasSuffix(".record") }
    }

    /// A file of a task, and resume data of it.
    private func resumeDataOfNewFile(of task: TaskID) throws -> Data {
        let file = files.file(of: task)
        try file.begin(
            ResourceVersion(validator: .strongETag("\"a\""), totalByteCount: 9, url: "http://host/")
        )
        try ([1, 2, 3] as [UInt8]).withUnsafeBytes { try file.write($0) }
        return try files.makeResumeData(
            task: task,
            request: TransferRequest(url: "http://host/"),
            currentURL: nil,
            checkpoint: file.checkpoint
        )
    }

    @Test(.enabled(if: SmallDisk.canBeMade, "needs a small disk"))
    func `REL-11: a file that is for another disk grows there, and is found and deleted`()
        async throws
    {
        let disk = try SmallDisk(byteCount: 4 << 20)
        let queue = BlockingQueue(label: "test")
        #expect(await files.choosePlace(for: 7, in: disk.path, on: queue) == nil)
        let path = files.path(of: 7)
        #expect(path.hasPrefix(disk.path + "/.ferry-"))
        let data = try resumeDataOfNewFile(of: 7)
        #expect(try ResumeData(decoding: Array(data)).path == path)
        #expect(try names(on: disk).map { disk.path + "/" + $0 } == [path])
        #expect(files.shortage(of: 5 << 20, for: 7)?.message.contains(disk.path) == true)
        #expect(files.shortage(of: 5 << 20, for: 8) == nil)
        // The next daemon finds it.
        let next = try TransferFiles(in: temporary.directory)
        #expect(next.findLeftovers().tasks == [7])
        #expect(next.path(of: 7) == path)
        #expect(next.present(fileAt: path).path == path)
        next.discard(task: 7)
        await next.places.queue(for: disk.path).run {}
        #expect(try disk.directory.names() == [])
        #expect(next.findLeftovers().tasks == [])
    }

    @Test(.enabled(if: SmallDisk.canBeMade, "needs a small disk"))
    func `REL-11: resume data keeps its file where it is, and a task goes on with it there`()
        async throws
    {
        let disk = try SmallDisk(byteCount: 4 << 20)
        let queue = BlockingQueue(label: "test")
        _ = await files.choosePlace(for: 7, in: disk.path, on: queue)
        let data = try resumeDataOfNewFile(of: 7)
        try files.keep(task: 7, for: data)
        await files.places.queue(for: disk.path).run {}
        #expect(files.findLeftovers().tasks == [])
        #expect(try names(on: disk).count == 1)
        let checkpoint = try await files.adopt(data, for: 8, on: queue)
        #expect(checkpoint.writtenByteCount == 3)
        #expect(files.path(of: 8).hasPrefix(disk.path + "/.ferry-"))
        #expect(try files.file(of: 8).recover(checkpoint: checkpoint)?.writtenByteCount == 3)
        #expect(try names(on: disk).count == 1)
    }

    @Test(.enabled(if: SmallDisk.canBeMade, "needs a small disk"))
    func `REL-11: a file that nobody continues goes after 90 days, wherever it has grown`()
        async throws
    {
        let disk = try SmallDisk(byteCount: 4 << 20)
        let queue = BlockingQueue(label: "test")
        _ = await files.choosePlace(for: 7, in: disk.path, on: queue)
        try files.keep(task: 7, for: resumeDataOfNewFile(of: 7))
        let day = 86_400.0
        files.removeExpiredResumeFiles(now: Date() + 89 * day)
        await files.places.queue(for: disk.path).run {}
        #expect(try names(on: disk).count == 1)
        #expect(try resumable.names().count == 1)
        files.removeExpiredResumeFiles(now: Date() + 91 * day)
        await files.places.queue(for: disk.path).run {}
        #expect(try disk.directory.names() == [])
        #expect(try resumable.names() == [])
    }

    @Test func `REL-11: a file whose directory is of no use grows in the daemon's own`()
        async throws
    {
        let queue = BlockingQueue(label: "test")
        for target in [temporary.path, "/nonexistent", "/proc", "/dev/null"] {
            let refusal = await files.choosePlace(for: 7, in: target, on: queue)
            #expect((refusal == nil) == (target == temporary.path), "\(target)")
            #expect(files.path(of: 7).hasPrefix(temporary.path + "/downloads/"))
        }
        #expect(files.findLeftovers().tasks == [])
    }

    @Test(.enabled(if: SmallDisk.canBeMade, "needs a small disk"))
    func `REL-11: what has begun to grow at the daemon's goes on there`() async throws {
        let disk = try SmallDisk(byteCount: 4 << 20)
        _ = try resumeDataOfNewFile(of: 7)
        let path = files.path(of: 7)
        let queue = BlockingQueue(label: "test")
        #expect(await files.choosePlace(for: 7, in: disk.path, on: queue) == nil)
        #expect(files.path(of: 7) == path)
        #expect(try disk.directory.names() == [])
    }

    @Test(.enabled(if: SmallDisk.canBeMade, "needs a small disk"))
    func `REL-11: whatever lies beside a file goes with it`() async throws {
        let disk = try SmallDisk(byteCount: 4 << 20)
        _ = await files.choosePlace(for: 7, in: disk.path, on: BlockingQueue(label: "test"))
        let name = files.path(of: 7).dropFirst(disk.path.utf8.count + 1)
        for suffix in [""] + PartialFile.companionSuffixes {
            try disk.directory.open(name + suffix, .create).close()
        }
        files.discard(task: 7)
        await files.places.queue(for: disk.path).run {}
        #expect(try disk.directory.names() == [])
    }
}
