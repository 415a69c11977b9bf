import FerryHTTP
import FerrySystem
import FerryTestSupport
import FerryWire
import Foundation
import Glibc
import Testing

@testable import Ferry

/// Files that a background session saves at a target, across launches.
@Suite(.timeLimit(.minutes(1))) struct BackgroundFileTests {
    private let daemon: ScriptedDaemon
    private let app: BackgroundApp
    private let temporary: TemporaryDirectory
    private let url: URL
    private var target: URL { URL(filePath: temporary.path + "/song") }

    init() async throws {
        daemon = try await ScriptedDaemon.started()
        app = BackgroundApp(daemon)
        temporary = try TemporaryDirectory()
        url = try #require(URL(string: "https://example.com/song"))
    }

    private func call(
        _ session: URLSession,
        _ url: URL? = nil,
        cancelsWithTask: Bool = false
    ) -> Task<Int, any Error> {
        Task { [url = url ?? self.url, target] in
            let response = try await session.file(
                from: url,
                to: target,
                cancelsWithTask: cancelsWithTask
            )
            return (response as? HTTPURLResponse)?.statusCode ?? 0
        }
    }

    private var content: String? { try? String(contentsOf: target, encoding: .utf8) }

    @Test func `the file replaces the one at its target, and the end is acknowledged then`()
        async throws
    {
        try Data("old".utf8).write(to: target)
        let session = app.session(hasDelegate: false)
        let call = call(session)
        await daemon.calls.wait(for: "Resume 1")
        #expect(await acknowledgedCount == 0)
        let options = await daemon.sessions["tracks"]?.tasks[1]?.options
        #expect(options?.refusesErrorResponses == true)
        #expect(options?.directory != nil)
        let file = try await daemon.finish(1, in: "tracks", contents: "la")
        #expect(try await call.value == 200)
        #expect(content == "la")
        #expect(!FileManager.default.fileExists(atPath: file.path))
        await session.flush()
        #expect(await acknowledgedCount == 1)
        let mask = try #require(ProcessAttributes.currentFileModeMask)
        var status = stat()
        #expect(stat(target.path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o666 & ~mask)
    }

    private var acknowledgedCount: Int {
        get async { await daemon.acknowledgements.joined().count }
    }

    /// At which step the app is killed.
    enum Step: CaseIterable, Sendable {
        case requested, complete, told, moved, acknowledged
    }

    @Test(arguments: Step.allCases)
    func `a launch after a kill at any step takes the same transfer`(_ step: Step) async throws {
        let session = app.session(hasDelegate: false)
        let first = call(session)
        await daemon.calls.wait(for: "Resume 1")
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        var file: URL?
        if step != .requested {
            file = try await daemon.finish(1, in: "tracks", contents: "la")
            let task = try #require(session.core.tasks.first)
            while task.state != .completed { await Task.yield() }
        }
        try await app.die(with: daemon)
        let finished = file.map { FinishedFile(path: $0.path) }
        switch step {
        case .requested, .complete: break
        case .told: finished?.markDelivered()
        case .moved, .acknowledged:
            finished?.markDelivered()
            try FileManager.default.moveItem(at: #require(file), to: target)
        }
        let next = BackgroundApp(daemon).session(hasDelegate: false)
        let second = call(next)
        if step == .requested {
            await daemon.calls.wait(for: "ReceiveEvents", count: 2)
            try await daemon.finish(1, in: "tracks", contents: "la")
        }
        #expect(try await second.value == 200)
        #expect(content == "la")
        await next.flush()
        #expect(await acknowledgedCount == 1)
        #expect(daemon.calls.requests.filter { $0.hasPrefix("CreateDownload") }.count == 1)
    }

    @Test func `a file that an earlier launch has taken, and that is gone, is loaded again`()
        async throws
    {
        let session = app.session(hasDelegate: false)
        let first = call(session)
        await daemon.calls.wait(for: "Resume 1")
        let file = try await daemon.finish(1, in: "tracks", contents: "la")
        first.cancel()
        _ = await first.result
        // It may have been saved before the cancellation.
        guard content == nil else { return }
        FinishedFile(path: file.path).markDelivered()
        try FileManager.default.removeItem(at: file)
        let second = call(session)
        await daemon.calls.wait(for: "Resume 2")
        try await daemon.finish(2, in: "tracks", contents: "lala")
        #expect(try await second.value == 200)
        #expect(content == "lala")
    }

    @Test func `two calls for one target are one transfer`() async throws {
        let session = app.session(hasDelegate: false)
        let calls = (1...4).map { _ in call(session) }
        await daemon.calls.wait(for: "Resume 1")
        try await daemon.finish(1, in: "tracks", contents: "la")
        for call in calls { #expect(try await call.value == 200) }
        #expect(content == "la")
        #expect(daemon.calls.requests.filter { $0.hasPrefix("CreateDownload") }.count == 1)
    }

    @Test
    func `what was saved in a run is not loaded again while another of its transfers is left`()
        async throws
    {
        let other = URL(filePath: temporary.path + "/other")
        let session = app.session(hasDelegate: false)
        let first = call(session)
        await daemon.calls.wait(for: "Resume 1")
        let second = Task { [url] in try await session.file(from: url, to: other) }
        await daemon.calls.wait(for: "Resume 2")
        let descriptions = await daemon.sessions["tracks"]?.tasks.mapValues(\.description)
        try await daemon.finish(1, in: "tracks", contents: "la")
        _ = try await first.value
        await session.flush()
        await LoopActor.run { daemon.endedTasks = [endedTask(descriptions?[1] ?? nil)] }
        try await app.die(with: daemon)
        second.cancel()
        let next = BackgroundApp(daemon).session(hasDelegate: false)
        #expect(try await next.file(from: url, to: target).expectedContentLength == 2)
        #expect(daemon.calls.requests.filter { $0.hasPrefix("CreateDownload") }.count == 2)
        // Who asks once more wants it once more.
        let again = call(next)
        await daemon.calls.wait(for: "Resume 3")
        try await daemon.finish(3, in: "tracks", contents: "lala")
        #expect(try await again.value == 200)
        #expect(content == "lala")
    }

    @Test func `another request for the same target is another transfer`() async throws {
        let session = app.session(hasDelegate: false)
        let first = call(session)
        await daemon.calls.wait(for: "Resume 1")
        let second = call(session, URL(string: "https://example.com/song?page=2"))
        await daemon.calls.wait(for: "Resume 2")
        try await daemon.finish(2, in: "tracks", contents: "second")
        #expect(try await second.value == 200)
        #expect(content == "second")
        try await daemon.finish(1, in: "tracks", contents: "first")
        #expect(try await first.value == 200)
        #expect(content == "first")
    }

    @Test(arguments: [true, false])
    func `a cancelled call leaves the transfer running unless it says otherwise`(
        cancelsWithTask: Bool
    ) async throws {
        let session = app.session(hasDelegate: false)
        let call = call(session, cancelsWithTask: cancelsWithTask)
        await daemon.calls.wait(for: "Resume 1")
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        await session.flush()
        let isCancelled = daemon.calls.requests.contains { $0.hasPrefix("Cancel") }
        #expect(isCancelled == cancelsWithTask)
        guard cancelsWithTask else { return }
        // Nobody wants the end, and the next call is another transfer.
        let next = self.call(session)
        await daemon.calls.wait(for: "Resume 2")
        try await daemon.finish(2, in: "tracks", contents: "la")
        #expect(try await next.value == 200)
        await session.flush()
        #expect(await acknowledgedCount == 2)
        while !session.core.tasks.isEmpty { await Task.yield() }
    }

    @Test func `a transfer of an earlier launch is cancelled, too, where the call says so`()
        async throws
    {
        let session = app.session(hasDelegate: false)
        let first = call(session)
        await daemon.calls.wait(for: "Resume 1")
        first.cancel()
        _ = await first.result
        try await app.die(with: daemon)
        let next = BackgroundApp(daemon).session(hasDelegate: false)
        let second = call(next, cancelsWithTask: true)
        while next.core.tasks.isEmpty { await Task.yield() }
        second.cancel()
        _ = await second.result
        await daemon.calls.wait(for: "Cancel 1")
    }

    @Test func `a file that is loaded again in a run is not taken for the one of before`()
        async throws
    {
        let session = app.session(hasDelegate: false)
        let first = call(session)
        await daemon.calls.wait(for: "Resume 1")
        let description = await daemon.sessions["tracks"]?.tasks[1]?.description
        try await daemon.finish(1, in: "tracks", contents: "old")
        _ = try await first.value
        await LoopActor.run { daemon.endedTasks = [endedTask(description)] }
        let second = call(session)
        await daemon.calls.wait(for: "Resume 2")
        try await app.die(with: daemon)
        second.cancel()
        let next = BackgroundApp(daemon).session(hasDelegate: false)
        let third = call(next)
        await daemon.calls.wait(for: "ReceiveEvents", count: 2)
        try await daemon.finish(2, in: "tracks", contents: "newer")
        #expect(try await third.value == 200)
        #expect(content == "newer")
    }

    private func endedTask(_ description: String?) -> Wire.EndedTask {
        Wire.EndedTask(
            id: 1,
            application: "/bin/app",
            session: "tracks",
            identifier: 1,
            description: description,
            url: "https://example.com/song",
            receivedByteCount: 2,
            created: Date(),
            ended: Date()
        )
    }

    @Test func `a file that was removed is an error, also where an old one has its name`()
        async throws
    {
        try Data("old".utf8).write(to: target)
        let session = app.session(hasDelegate: false)
        let call = call(session)
        await daemon.calls.wait(for: "Resume 1")
        let event = Wire.Event(kind: .completed, task: 1, path: daemon.directory + "/gone")
        await LoopActor.run { daemon.emit(event, in: "tracks") }
        await #expect(throws: URLError.self) { try await call.value }
        #expect(content == "old")
    }

    @Test func `a session that was invalidated says so`() async throws {
        let session = app.session(hasDelegate: false)
        session.invalidateAndCancel()
        do {
            _ = try await call(session).value
            Issue.record("The session has made a task.")
        } catch let error as URLError {
            #expect(error.code == .resourceUnavailable)
        }
    }

    @Test func `a session that cannot be opened is tried again by the next call`() async throws {
        let session = await app.refusedSession(of: daemon)
        do {
            _ = try await call(session).value
            Issue.record("The session was open.")
        } catch let error as URLError {
            #expect(error.code == .backgroundSessionInUseByAnotherProcess)
        }
        let second = call(session)
        await daemon.calls.wait(for: "Resume 1")
        try await daemon.finish(1, in: "tracks", contents: "la")
        #expect(try await second.value == 200)
    }

    @Test func `a session that is cancelled ends, whether calls wait or not`() async throws {
        let session = app.session(hasDelegate: false)
        let first = call(session)
        await daemon.calls.wait(for: "Resume 1")
        let second = Task { [url, temporary] in
            try await session.file(from: url, to: URL(filePath: temporary.path + "/other"))
        }
        await daemon.calls.wait(for: "Resume 2")
        second.cancel()
        _ = await second.result
        session.invalidateAndCancel()
        await #expect(throws: URLError.self) { try await first.value }
        for try await _ in session.events {}
        #expect(session.core.tasks.isEmpty)
    }

    @Test func `an error of the transfer is thrown once, and the next call tries again`()
        async throws
    {
        let session = app.session(hasDelegate: false)
        let first = call(session)
        await daemon.calls.wait(for: "Resume 1")
        let failure = Wire.Failure(code: "badServerResponse", message: "404")
        let event = Wire.Event(kind: .completed, task: 1, failure: failure)
        await LoopActor.run { daemon.emit(event, in: "tracks") }
        await #expect(throws: URLError.self) { try await first.value }
        let second = call(session)
        await daemon.calls.wait(for: "Resume 2")
        try await daemon.finish(2, in: "tracks", contents: "la")
        #expect(try await second.value == 200)
    }

    @Test func `a file that cannot be moved stays, and the next call moves it`() async throws {
        let session = app.session(hasDelegate: false)
        let first = call(session)
        await daemon.calls.wait(for: "Resume 1")
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: false)
        let file = try await daemon.finish(1, in: "tracks", contents: "la")
        do {
            _ = try await first.value
            Issue.record("A directory was replaced.")
        } catch let error as URLError {
            #expect(error.code == .cannotWriteToFile)
        }
        #expect(FileManager.default.fileExists(atPath: file.path))
        #expect(await acknowledgedCount == 0)
        try FileManager.default.removeItem(at: target)
        #expect(try await call(session).value == 200)
        #expect(content == "la")
    }

    @Test(arguments: [
        ("", URLError.Code.fileIsDirectory), (".", .fileIsDirectory), ("..", .fileIsDirectory),
        ("new/", .fileIsDirectory), ("directory", .fileIsDirectory),
        ("missing/song", .cannotCreateFile), ("song/song", .cannotCreateFile),
    ])
    func `a target that cannot be is refused before anything is loaded`(
        _ path: String,
        _ code: URLError.Code
    ) async throws {
        try Data("a file".utf8).write(to: target)
        let session = app.session(hasDelegate: false)
        try FileManager.default.createDirectory(
            atPath: temporary.path + "/directory",
            withIntermediateDirectories: false
        )
        let target = URL(filePath: temporary.path + "/" + path)
        do {
            try await session.file(from: url, to: target)
            Issue.record("\(target) was taken.")
        } catch let error as URLError {
            #expect(error.code == code)
            #expect(error.userInfo[NSFilePathErrorKey] as? String != nil)
        }
        #expect(session.core.tasks.isEmpty)
    }

    @Test func `a loop over the events does not get these transfers`() async throws {
        let session = app.session(hasDelegate: false)
        let call = call(session)
        await daemon.calls.wait(for: "Resume 1")
        session.downloadTask(with: url).resume()
        await session.flush()
        try await daemon.finish(1, in: "tracks", contents: "la")
        try await daemon.finish(2, in: "tracks", contents: "other")
        var ends: [Int] = []
        for try await event in session.events {
            guard case .end(let task, _) = event else { continue }
            ends.append(task.taskIdentifier)
            session.finishTasksAndInvalidate()
        }
        #expect(ends == [2])
        #expect(try await call.value == 200)
    }

    @Test func `a file on another file system is copied as a whole`() async throws {
        let shared = "/dev/shm/ferry-test-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: shared,
            withIntermediateDirectories: false
        )
        defer { try? FileManager.default.removeItem(atPath: shared) }
        let saved = try SavedFile(URL(filePath: shared + "/song"), from: url)
        let source = temporary.path + "/source"
        try Data("la".utf8).write(to: URL(filePath: source))
        // What a process has left that was killed while it copied.
        try Data("l".utf8).write(to: URL(filePath: shared + "/.ferry-source"))
        try saved.take(FinishedFile(path: source), from: url)
        #expect(try FileManager.default.contentsOfDirectory(atPath: shared) == ["song"])
        #expect(try String(contentsOfFile: shared + "/song", encoding: .utf8) == "la")
        #expect(!FileManager.default.fileExists(atPath: source))
    }
}
