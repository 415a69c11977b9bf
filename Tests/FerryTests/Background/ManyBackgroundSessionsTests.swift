import FerrySystem
import FerryTestSupport
import FerryWire
import Foundation
import Testing

@testable import Ferry

/// Many background sessions of one process.
@Suite("Many background sessions", .timeLimit(.minutes(1)))
struct ManyBackgroundSessionsTests {
    private let daemon: ScriptedDaemon
    private let app: BackgroundApp
    private let url: URL

    init() async throws {
        daemon = try await ScriptedDaemon.started()
        app = BackgroundApp(daemon)
        url = try #require(URL(string: "https://example.com/song"))
    }

    /// The threads of this process that connect to a daemon.
    private var connectingThreads: Int {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.count { task in
            let name = try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
            return name == "ferry.backgroun\n"
        }
    }

    @Test func `API-23: a thousand sessions have one connection, and one thread`() async throws {
        let before = connectingThreads
        let sessions = (1...1000).map { app.session("session \($0)") }
        for session in sessions { session.downloadTask(with: url).resume() }
        for session in sessions { await session.flush() }
        #expect(await daemon.connectionCount == 2)
        #expect(daemon.calls.requests.count { $0 == "CreateDownload 1" } == 1000)
        #expect(connectingThreads <= before + 1)
        // Each gets what is meant for it.
        for number in 1...1000 {
            try await daemon.finish(1, in: "session \(number)", contents: "\(number)")
        }
        await app.recorder.waitForCompletions(1000)
        let contents = app.recorder.calls.compactMap { call in
            if case .finished(_, let contents?) = call { contents } else { nil }
        }
        #expect(Set(contents).count == 1000)
    }

    @Test func `API-23: making a task waits for nothing, and the task waits for the daemon`()
        async throws
    {
        let gate = FixtureGate()
        let connect = daemon.connect
        let app = BackgroundApp(daemon) { () throws(DaemonError) in
            gate.wait()
            return try connect()
        }
        let sessions = (1...100).map { app.session("session \($0)") }
        let tasks = sessions.map { $0.downloadTask(with: url) }
        for task in tasks { task.resume() }
        #expect(tasks.allSatisfy { $0.state == .running })
        #expect(daemon.calls.all.isEmpty)
        let all = Task { await sessions[0].allTasks }
        gate.open()
        #expect(await all.value == [tasks[0]])
        for session in sessions { await session.flush() }
        #expect(daemon.calls.requests.count { $0 == "Resume 1" } == 100)
    }

    @Test func `API-23: tasks that the daemon has not numbered have numbers of their own`() {
        let numbers = (1...3).map { _ in BackgroundConnection.unusedTaskIdentifier() }
        // As many as there are microseconds since 1970, which JSON's numbers hold exactly.
        #expect(numbers.allSatisfy { $0 > 1_700_000_000_000_000 && $0 < 1 << 53 })
        #expect(numbers == numbers.sorted())
    }

    @Test func `API-23: the end of one session leaves the others`() async throws {
        let (one, two) = (app.session("one"), app.session("two"))
        two.downloadTask(with: url).resume()
        await one.flush()
        await two.flush()
        _ = await one.allTasks
        one.finishTasksAndInvalidate()
        await daemon.calls.wait(for: "ReleaseSession")
        #expect(await daemon.connectionCount == 2)
        #expect(await daemon.sessions["one"]?.owner == nil)
        #expect(await daemon.sessions["two"]?.owner != nil)
        try await daemon.finish(1, in: "two", contents: "two")
        await app.recorder.waitForCompletions()
        #expect(daemon.calls.all.count { $0.hasPrefix("OpenSession two") } == 1)
        two.finishTasksAndInvalidate()
        // The last one closes the connection.
        await daemon.closings.wait { $0.count == 2 }
        #expect(await daemon.connectionCount == 0)
    }

    @Test func `API-23: a session whose delegate is slow does not hold up another`() async throws {
        let gate = FixtureGate()
        let slow = SessionRecorder { if case .finished = $0 { gate.wait() } }
        let app = BackgroundApp(daemon, recorder: slow)
        let one = app.session("one")
        let two = URLSession(
            backgroundIdentifier: "two",
            configuration: URLSessionConfiguration.background(withIdentifier: "two").snapshot,
            delegate: self.app.recorder,
            among: app.sessions
        )
        _ = await two.allTasks
        two.downloadTask(with: url).resume()
        await two.flush()
        let count = EventLedger.limit + 10
        for _ in 1...count { one.downloadTask(with: url).resume() }
        await one.flush()
        for task in 1...count { try await daemon.finish(task, in: "one", contents: "x") }
        await daemon.calls.wait(for: "HoldEvents true")
        try await daemon.finish(1, in: "two", contents: "two")
        await self.app.recorder.waitForCompletions()
        gate.open()
        await daemon.calls.wait(for: "HoldEvents false")
        await slow.waitForCompletions(count)
    }

    @Test func `API-23: all sessions come back when the daemon has died`() async throws {
        let sessions = (1...20).map { app.session("session \($0)") }
        for session in sessions { session.downloadTask(with: url).resume() }
        for session in sessions { await session.flush() }
        try await daemon.die()
        try await daemon.start()
        await daemon.calls.wait { $0.count { $0.hasPrefix("ReceiveEvents") } >= 40 }
        for number in 1...20 {
            try await daemon.finish(1, in: "session \(number)", contents: "\(number)")
        }
        await app.recorder.waitForCompletions(20)
        #expect(await daemon.connectionCount == 2)
    }
}
