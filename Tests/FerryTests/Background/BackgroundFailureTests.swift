import FerrySystem
import FerryTestSupport
import FerryWire
import Foundation
import Synchronization
import Testing

@testable import Ferry

@Suite("Background sessions when something goes wrong", .timeLimit(.minutes(1)))
struct BackgroundFailureTests {
    private let daemon: ScriptedDaemon
    private let app: BackgroundApp
    private let url: URL

    init() async throws {
        daemon = try await ScriptedDaemon.started()
        app = BackgroundApp(daemon)
        url = try #require(URL(string: "https://example.com/song"))
    }

    // MARK: - A daemon that dies

    @Test func `what the daemon has not acknowledged is asked again of the next one`() async throws
    {
        let session = app.session()
        _ = session.downloadTask(with: url)
        await session.flush()
        await LoopActor.run {
            daemon.behaviours = ["CreateDownload": [.keepSilent], "Suspend": [.keepSilent]]
        }
        let task = session.downloadTask(with: url)
        task.resume()
        task.suspend()
        task.resume()
        await daemon.calls.wait(for: "Resume 2", count: 2)
        try await daemon.die()
        try await daemon.start()
        await session.flush()
        #expect(
            daemon.calls.requests == [
                "CreateDownload 1",
                "CreateDownload 2", "Resume 2", "Suspend 2", "Resume 2",
                "CreateDownload 2", "Resume 2", "Suspend 2", "Resume 2",
            ]
        )
        try await daemon.finish(2, in: "tracks", contents: "two")
        await app.recorder.waitForCompletions()
        #expect(app.recorder.calls.last == .completed(2, nil))
    }

    @Test func `a task that has ended is not created anew by the next daemon`() async throws {
        let session = app.session()
        await LoopActor.run { daemon.behaviours["CreateDownload"] = [.keepSilent] }
        session.downloadTask(with: url).resume()
        await daemon.calls.wait(for: "CreateDownload")
        try await daemon.finish(1, in: "tracks", contents: "one")
        await app.recorder.waitForCompletions()
        try await daemon.die()
        try await daemon.start()
        _ = session.downloadTask(with: url)
        await session.flush()
        let creations = daemon.calls.requests.filter { $0.hasPrefix("CreateDownload") }
        #expect(creations == ["CreateDownload 1", "CreateDownload 2"])
    }

    @Test func `what is asked for while there is no daemon waits for one, and nobody with it`()
        async throws
    {
        let session = app.session()
        _ = session.downloadTask(with: url)
        await session.flush()
        try await daemon.die()
        let task = session.downloadTask(with: url)
        #expect(task.taskIdentifier == 2)
        task.resume()
        #expect(app.recorder.story == ["created", "created"])
        try await daemon.start()
        await session.flush()
        #expect(daemon.calls.requests.suffix(2) == ["CreateDownload 2", "Resume 2"])
    }

    @Test func `events that were told are not told again by the next daemon`() async throws {
        let session = app.session()
        session.downloadTask(with: url).resume()
        session.downloadTask(with: url).resume()
        await session.flush()
        await LoopActor.run {
            daemon.behaviours["Acknowledge"] = [.refuse(.storeUnavailable(reason: "full"))]
        }
        // The refusal makes the session connect anew, and the daemon tells again.
        try await daemon.finish(1, in: "tracks", contents: "one")
        await daemon.calls.wait(for: "OpenSession", count: 2)
        await daemon.calls.wait(for: "ReceiveEvents", count: 2)
        try await daemon.finish(2, in: "tracks", contents: "two")
        await daemon.calls.wait(for: "Acknowledge 2")
        await session.flush()
        #expect(app.recorder.calls.count { $0.name == "finished" } == 2)
        #expect(app.recorder.calls.count { $0.name == "completed" } == 2)
        #expect(await daemon.sessions["tracks"]?.events == [])
    }

    @Test func `a session whose events end is opened again, and told what it has missed`()
        async throws
    {
        let session = app.session()
        session.downloadTask(with: url).resume()
        await session.flush()
        await daemon.endEvents(of: "tracks")
        try await daemon.finish(1, in: "tracks", contents: "one")
        await daemon.calls.wait(for: "OpenSession", count: 2)
        await app.recorder.waitForCompletions()
        #expect(app.recorder.calls.contains(.finished(1, contents: Data("one".utf8))))
    }

    @Test func `a session without anything to do is not opened again when its events end`()
        async throws
    {
        let session = app.session()
        await daemon.calls.wait(for: "ListTasks")
        #expect(await session.allTasks.isEmpty)
        await daemon.endEvents(of: "tracks")
        while (session.core.backend as? BackgroundBackend)?.connection.isOpen == true {
            await Task.yield()
        }
        #expect(daemon.calls.all.count { $0.hasPrefix("OpenSession") } == 1)
        session.downloadTask(with: url).resume()
        await session.flush()
        #expect(daemon.calls.requests == ["CreateDownload 1", "Resume 1"])
    }

    @Test func `an event that is told late is not acknowledged to a session that has begun anew`()
        async throws
    {
        let session = app.session()
        let task = session.downloadTask(with: url)
        task.resume()
        await session.flush()
        session.delegateQueue.isSuspended = true
        try await daemon.finish(1, in: "tracks", contents: "one")
        while task.countOfBytesReceived < 3 { await Task.yield() }
        // Another process of the app takes the events, and the session is gone with them.
        try await LoopActor.run {
            try daemon.die()
            daemon.sessions["tracks"] = nil
            try daemon.start()
        }
        await daemon.calls.wait(for: "ReceiveEvents", count: 2)
        session.downloadTask(with: url).resume()
        await daemon.calls.wait(for: "Resume 2")
        try await daemon.finish(2, in: "tracks", contents: "two")
        session.delegateQueue.isSuspended = false
        await daemon.calls.wait(for: "Acknowledge 1")
        await session.flush()
        #expect(app.recorder.calls.count { $0.name == "completed" } == 2)
        let acknowledged = daemon.calls.all.filter { $0.hasPrefix("Acknowledge") }
        #expect(acknowledged == ["Acknowledge 1"])
        #expect(await daemon.sessions["tracks"]?.events == [])
    }

    @Test func `who asks for tasks of a daemon that cannot be reached is answered`() async {
        let gate = DispatchSemaphore(value: 0)
        let app = BackgroundApp(
            daemon,
            connect: { () throws(DaemonError) in
                gate.wait()
                throw .executableNotFound(searched: [])
            }
        )
        let answered = Signal()
        let session = app.session()
        session.getAllTasks { tasks in
            if tasks.isEmpty { answered.give() }
        }
        // The question waits for the connection by now.
        await LoopActor.run {}
        for _ in 0..<100 { gate.signal() }
        await answered.wait()
    }

    @Test(arguments: 0...2)
    func `who asks for tasks of a daemon that dies over a page is answered by the next one`(
        page: Int
    ) async throws {
        let earlier = BackgroundApp(daemon)
        let before = earlier.session()
        for _ in 1...3 { before.downloadTask(with: url).resume() }
        await before.flush()
        try await earlier.die(with: daemon)
        let listed = daemon.calls.all.count { $0.hasPrefix("ListTasks") }
        let session = app.session()
        // It has looked whether there are any; from here on it lists them.
        await daemon.calls.wait(for: "ListTasks", count: listed + 1)
        await LoopActor.run {
            daemon.pageLength = 1
            let answers = Array(repeating: ScriptedDaemon.Behaviour.answer, count: page)
            daemon.behaviours["ListTasks"] = answers + [.die(afterwards: false)]
        }
        let tasks = await session.allTasks
        #expect(tasks.map(\.taskIdentifier) == [1, 2, 3])
    }

    @Test func `a session without anything to do does not bring the daemon back`() async throws {
        let session = app.session()
        await daemon.calls.wait(for: "ListTasks")
        await session.flush()
        #expect(await session.allTasks.isEmpty)
        try await daemon.die()
        try await daemon.start()
        await session.flush()
        #expect(daemon.calls.all.count { $0.hasPrefix("OpenSession") } == 1)
        session.downloadTask(with: url).resume()
        await session.flush()
        #expect(daemon.calls.requests == ["CreateDownload 1", "Resume 1"])
    }

    @Test func `a session with tasks of an earlier launch brings the daemon back`() async throws {
        let earlier = BackgroundApp(daemon)
        let session = earlier.session()
        session.downloadTask(with: url).resume()
        await session.flush()
        try await earlier.die(with: daemon)
        let opened = daemon.calls.all.count { $0.hasPrefix("OpenSession") }
        _ = app.session()
        await daemon.calls.wait(for: "OpenSession", count: opened + 1)
        await daemon.calls.wait { $0.last?.hasPrefix("ListTasks") == true }
        try await daemon.die()
        try await daemon.start()
        await daemon.calls.wait(for: "OpenSession", count: opened + 2)
        #expect(app.recorder.calls.isEmpty)
    }

    @Test func `a task that the daemon cannot store fails, and the next one need not`() async throws
    {
        let session = app.session()
        await LoopActor.run {
            let full = TransferInterfaceError.storeUnavailable(reason: "disk full")
            daemon.behaviours["CreateDownload"] = [.refuse(full)]
        }
        session.downloadTask(with: url).resume()
        await app.recorder.waitForCompletions()
        let error = try #require(app.recorder.error(ofTask: 1))
        #expect(error.code == .cannotWriteToFile)
        let underlying = try #require(error.userInfo[NSUnderlyingErrorKey] as? TransferDaemonError)
        #expect(underlying.code == .storeUnavailable)
        session.downloadTask(with: url).resume()
        await session.flush()
        #expect(await daemon.sessions["tracks"]?.tasks[2]?.state == .running)
    }

    @Test func `a command that the daemon cannot store is repeated until it can`() async throws {
        let session = app.session()
        await LoopActor.run {
            let full = TransferInterfaceError.storeUnavailable(reason: "disk full")
            daemon.behaviours["Resume"] = [.refuse(full), .refuse(full)]
        }
        let task = session.downloadTask(with: url)
        await session.flush()
        task.resume()
        await session.flush()
        #expect(
            daemon.calls.requests == ["CreateDownload 1"] + Array(repeating: "Resume 1", count: 3)
        )
        #expect(await daemon.sessions["tracks"]?.tasks[1]?.state == .running)
    }

    // MARK: - A daemon that cannot be had

    @Test func `a daemon that cannot be reached fails tasks with -997, and says why`() async throws
    {
        let error = DaemonError.executableNotFound(searched: ["/nowhere"])
        let isThere = Mutex(false)
        let daemonConnect = daemon.connect
        let app = BackgroundApp(daemon) { () throws(DaemonError) in
            guard isThere.withLock({ $0 }) else { throw error }
            return try daemonConnect()
        }
        let session = app.session()
        let task = session.downloadTask(with: url)
        task.resume()
        await app.recorder.waitForCompletions()
        let failure = try #require(app.recorder.error(ofTask: task.taskIdentifier))
        #expect(failure.code == .backgroundSessionWasDisconnected)
        let underlying = try #require(
            failure.userInfo[NSUnderlyingErrorKey] as? TransferDaemonError
        )
        #expect(underlying.code == .cannotStart)
        #expect(underlying.message.contains("/nowhere"))
        // USE-7: what people see first says what to do.
        #expect(failure.localizedDescription.contains("looked for /nowhere"))
        #expect(failure.localizedDescription.contains("set FERRY_DAEMON"))
        // It is let go of when its last method has returned, which has told of itself before.
        while await !session.allTasks.isEmpty { await Task.yield() }

        isThere.withLock { $0 = true }
        let next = session.downloadTask(with: url)
        next.resume()
        await session.flush()
        // The first task has a number of the session if it was made before the failure was known.
        let number = next.taskIdentifier
        #expect(daemon.calls.requests == ["CreateDownload \(number)", "Resume \(number)"])
    }

    @Test func `BG-10: a session that another process has fails tasks with -996`() async throws {
        let refusal = TransferInterfaceError.sessionInUse(identifier: "tracks", pid: getppid())
        // The session tries when it is made, and again with its first task if it has heard by then.
        await LoopActor.run { daemon.refusesOpening = [refusal, refusal] }
        let session = app.session()
        let task = session.downloadTask(with: url)
        task.resume()
        await app.recorder.waitForCompletions()
        let error = try #require(app.recorder.error(ofTask: task.taskIdentifier))
        #expect(error.code == .backgroundSessionInUseByAnotherProcess)
        #expect(error.userInfo[NSLocalizedFailureReasonErrorKey] as? String != nil)

        // The other process has ended.
        await LoopActor.run { daemon.refusesOpening = [] }
        let next = session.downloadTask(with: url)
        next.resume()
        await session.flush()
        // The first task has a number of the session if it was made before the failure was known.
        let number = next.taskIdentifier
        #expect(daemon.calls.requests == ["CreateDownload \(number)", "Resume \(number)"])
    }

    @Test func `a process that has just ended does not count as using the session`() async {
        let refusal = TransferInterfaceError.sessionInUse(identifier: "tracks", pid: getpid())
        await LoopActor.run { daemon.refusesOpening = [refusal, refusal] }
        let session = app.session()
        let task = session.downloadTask(with: url)
        #expect(task.taskIdentifier == 1)
        task.resume()
        await session.flush()
        #expect(daemon.calls.requests == ["CreateDownload 1", "Resume 1"])
    }

    @Test func `a session that is lost to another process fails its tasks`() async throws {
        let session = app.session()
        session.downloadTask(with: url).resume()
        await session.flush()
        let refusal = TransferInterfaceError.sessionInUse(identifier: "tracks", pid: getppid())
        await LoopActor.run { daemon.refusesOpening = [refusal] }
        try await daemon.die()
        try await daemon.start()
        await app.recorder.waitForCompletions()
        #expect(app.recorder.calls.last == .completed(1, .backgroundSessionInUseByAnotherProcess))
    }

    @Test func `a session that cannot be had can be invalidated`() async throws {
        let app = BackgroundApp(daemon) { () throws(DaemonError) in
            throw .notRunning(sockets: [])
        }
        let session = app.session()
        _ = session.downloadTask(with: url)
        session.invalidateAndCancel()
        await app.recorder.wait { $0.contains(.invalid) }
        #expect(app.recorder.story == ["created", "completed", "invalid"])
    }

    // MARK: - The end of the process

    @Test func `a program that ends right after asking waits until the daemon has it`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            _ = Home.path
            let daemon = try ScriptedDaemon()
            try await daemon.start(at: SocketLocations().directories)
            let isDurable = Mutex(false)
            ExitProbe.isDurable = { isDurable.withLock { $0 } }
            // Called after the session's own, which is registered later.
            atexit { _exit(ExitProbe.isDurable() ? 7 : 8) }
            await LoopActor.run {
                daemon.behaviours["CreateDownload"] = [
                    .answerLater(.milliseconds(300)) { isDurable.withLock { $0 = true } }
                ]
            }
            let configuration = URLSessionConfiguration.background(withIdentifier: "tracks")
            let session = URLSession(
                configuration: configuration,
                delegate: SessionRecorder(),
                delegateQueue: nil
            )
            session.downloadTask(with: try #require(URL(string: "http://localhost/"))).resume()
            exit(0)
        }
    }
}

/// What a C function that can capture nothing needs to know.
private enum ExitProbe {
    nonisolated(unsafe) static var isDurable: @Sendable () -> Bool = { false }
}

/// Files of background sessions on disks that do not answer.
@Suite(.enabled(if: HangingDisk.canBeMade), .timeLimit(.minutes(1)))
struct BackgroundHangTests {
    private let daemon: ScriptedDaemon
    private let app: BackgroundApp
    private let url: URL

    init() async throws {
        daemon = try await ScriptedDaemon.started()
        app = BackgroundApp(daemon)
        url = try #require(URL(string: "https://example.com/song"))
    }

    @Test
    func `REL-1: a finished file whose disk does not answer holds up its session's queue alone`()
        async throws
    {
        let disk = try await HangingDisk(byteCount: 5)
        let session = app.session()
        session.downloadTask(with: url).resume()
        await session.flush()
        try await disk.hang(.lookup)
        await LoopActor.run {
            daemon.emit(Wire.Event(kind: .completed, task: 1, path: disk.file), in: "tracks")
        }
        try await disk.waitUntilHanging(.lookup)
        // The loop goes on: another task is made, and the daemon hears of it.
        session.downloadTask(with: url).resume()
        await daemon.calls.wait(for: "CreateDownload 2")
        try await disk.proceed()
        await app.recorder.waitForCompletions()
        #expect(app.recorder.calls.contains(.completed(1, nil)))
    }
}
