import FerrySystem
import FerryTestSupport
import FerryWire
import Foundation
import Glibc
import Testing

@testable import Ferry

/// Complete files of background sessions that are not where the daemon says.
@Suite(.timeLimit(.minutes(1))) struct AbsentFileTests {
    /// A delegate that says what it is told, in order.
    private final class Listener: NSObject, URLSessionDownloadDelegate, AbsentFileObserver {
        let news: AsyncStream<String>
        private let continuation: AsyncStream<String>.Continuation

        override init() { (news, continuation) = AsyncStream.makeStream() }

        func urlSession(
            _ session: URLSession,
            downloadTask: URLSessionDownloadTask,
            didFinishDownloadingTo location: URL
        ) {
            let text = try? String(contentsOf: location, encoding: .utf8)
            continuation.yield("finished \(text ?? "nothing")")
        }

        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            didCompleteWithError error: (any Error)?
        ) {
            let failure = (error as? URLError).map {
                "\($0.code.rawValue) \($0.userInfo[NSFilePathErrorKey] ?? "")"
            }
            continuation.yield("completed \(failure ?? "well")")
        }

        func urlSession(
            _ session: URLSession,
            downloadTask: URLSessionDownloadTask,
            waitsForFileIn directory: URL
        ) {
            continuation.yield("waits \(directory.lastPathComponent)")
        }
    }

    private let daemon: ScriptedDaemon
    private let app: BackgroundApp
    private let listener = Listener()
    private let temporary: TemporaryDirectory
    private let url: URL

    init() async throws {
        daemon = try await ScriptedDaemon.started()
        app = BackgroundApp(daemon)
        temporary = try TemporaryDirectory()
        url = try #require(URL(string: "https://example.com/song"))
    }

    /// Makes a task, and has the daemon say that its file is complete.
    private func finish(_ path: String, identity: String? = nil) async -> URLSession {
        let session = app.session(delegate: listener)
        session.downloadTask(with: url).resume()
        await session.flush()
        await LoopActor.run {
            daemon.emit(
                Wire.Event(kind: .completed, task: 1, path: path, directoryIdentity: identity),
                in: "tracks"
            )
        }
        return session
    }

    private func identity(of path: String) throws -> String {
        try DiskIdentity(of: Directory(opening: path)).text
    }

    @Test func `PLACE-1: a file that is there is delivered, and marked as one that may be taken`()
        async throws
    {
        let path = try temporary.write("la", to: "song")
        let session = await finish(path, identity: try identity(of: temporary.path))
        var news = listener.news.makeAsyncIterator()
        #expect(await news.next() == "finished la")
        #expect(await news.next() == "completed well")
        #expect(try temporary.names == ["song", "song.told"])
        await daemon.calls.wait(for: "Acknowledge")
        _ = session
    }

    @Test func `PLACE-1: a file that was removed fails the task, which names it`() async throws {
        let path = temporary.path + "/song"
        let session = await finish(path, identity: try identity(of: temporary.path))
        var news = listener.news.makeAsyncIterator()
        #expect(await news.next() == "completed -1100 \(path)")
        await daemon.calls.wait(for: "Acknowledge")
        _ = session
    }

    @Test func `PLACE-1: a file whose directory is missing is delivered when it is there`()
        async throws
    {
        let path = temporary.path + "/disk/downloads/song"
        let session = await finish(path)
        var news = listener.news.makeAsyncIterator()
        #expect(await news.next() == "waits downloads")
        _ = try temporary.directory.openSubdirectory("disk").openSubdirectory("other")
        _ = try temporary.write("la", to: "disk/other/song")
        #expect(!daemon.calls.requests.contains { $0.hasPrefix("Acknowledge") })
        #expect(rename(temporary.path + "/disk/other", temporary.path + "/disk/downloads") == 0)
        #expect(await news.next() == "finished la")
        #expect(await news.next() == "completed well")
        await daemon.calls.wait(for: "Acknowledge")
        _ = session
    }

    @Test func `PLACE-1: a directory of that path that is another one is not the file's`()
        async throws
    {
        let right = try temporary.directory.openSubdirectory("right").path
        let wrong = try temporary.directory.openSubdirectory("downloads").path
        _ = try temporary.write("la", to: "right/song")
        let session = await finish(wrong + "/song", identity: try identity(of: right))
        var news = listener.news.makeAsyncIterator()
        #expect(await news.next() == "waits downloads")
        #expect(rmdir(wrong) == 0)
        #expect(rename(right, wrong) == 0)
        #expect(await news.next() == "finished la")
        #expect(await news.next() == "completed well")
        _ = session
    }

    @Test(.enabled(if: SmallDisk.canBeMade))
    func `PLACE-1: a file on a disk that is not mounted is delivered when it is`() async throws {
        let disk = try SmallDisk(byteCount: 1 << 16)
        let point = try temporary.directory.openSubdirectory("point").path
        _ = try disk.directory.open("song", .createNew)
        let session = await finish(point + "/song", identity: try identity(of: disk.path))
        var news = listener.news.makeAsyncIterator()
        #expect(await news.next() == "waits point")
        try systemCall("mount") { mount(disk.path, point, nil, UInt(MS_BIND), nil) }
        defer { umount2(point, Int32(MNT_DETACH)) }
        #expect(await news.next() == "finished ")
        #expect(await news.next() == "completed well")
        _ = session
    }

    @Test func `PLACE-1: a file that waits does not hold up those of other tasks`() async throws {
        let session = await finish(temporary.path + "/disk/song")
        var news = listener.news.makeAsyncIterator()
        #expect(await news.next() == "waits disk")
        session.downloadTask(with: url).resume()
        await session.flush()
        try await daemon.finish(2, in: "tracks", contents: "two")
        #expect(await news.next() == "finished two")
        #expect(await news.next() == "completed well")
        _ = try temporary.directory.openSubdirectory("other")
        _ = try temporary.write("one", to: "other/song")
        #expect(rename(temporary.path + "/other", temporary.path + "/disk") == 0)
        #expect(await news.next() == "finished one")
    }

    @Test(arguments: [
        ("here", FinishedFile.Presence.here), ("taken", .taken), ("removed", .removed),
        ("elsewhere", .away), ("missing", .away), ("file", .away), ("unknown", .removed),
    ])
    func `PLACE-1: what is known of a file says where it is`(
        state: String,
        presence: FinishedFile.Presence
    ) throws {
        let path = temporary.path + "/d/song"
        let directory = try temporary.directory.openSubdirectory("d").path
        let identity = state == "unknown" ? nil : try identity(of: directory)
        let known = state == "elsewhere" ? "another" : identity
        let file = FinishedFile(path: path, directoryIdentity: known)
        switch state {
        case "here": _ = try temporary.write("", to: "d/song")
        case "taken": file.markDelivered()
        case "missing": #expect(rmdir(directory) == 0)
        case "file":
            #expect(rmdir(directory) == 0)
            _ = try temporary.write("", to: "d")
        default: break
        }
        #expect(file.presence() == presence)
    }
}
