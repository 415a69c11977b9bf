import FerrySystem
import FerryTestSupport
import FerryWire
import Foundation
import Glibc
import Synchronization
import Testing

@testable import Ferry

/// Every awaited call of the API in a Swift task that is cancelled before it, during it, and after it.
@Suite("Cancelled calls", .timeLimit(.minutes(1)))
struct CancelledCallTests {
    /// What a call does in a Swift task that is cancelled while it waits.
    enum Outcome: Hashable, Sendable {
        /// It throws `URLError.Code.cancelled`.
        case urlError
        /// It throws `TransferDaemonError.Code.cancelled`.
        case daemonError
        /// It cannot throw, and returns.
        case returns
    }

    /// A call, as a row of the table.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let outcome: Outcome
        /// Makes the call of something that never answers.
        let call: @Sendable (Hanging) async throws -> Void

        init(
            _ name: String,
            _ outcome: Outcome,
            _ call: @escaping @Sendable (Hanging) async throws -> Void
        ) {
            testDescription = name
            self.outcome = outcome
            self.call = call
        }
    }

    /// What never answers: a server, a delegate queue, a daemon.
    struct Hanging: Sendable {
        let url: URL
        let session: URLSession
        /// A session whose delegate queue stands still.
        let stuck: URLSession
        let daemon: TransferDaemon
        let socket: URLSessionWebSocketTask
        let application: Application

        var post: URLRequest {
            var request = URLRequest(url: url)
            request.httpMethod = "POST"
            return request
        }
    }

    static let rows: [Row] = [
        Row("data(from:)", .urlError) { _ = try await $0.session.data(from: $0.url) },
        Row("data(for:)", .urlError) { _ = try await $0.session.data(for: $0.post) },
        Row("upload(for:from:)", .urlError) {
            _ = try await $0.session.upload(for: $0.post, from: Data([1]))
        },
        Row("upload(for:fromFile:)", .urlError) {
            _ = try await $0.session.upload(
                for: $0.post,
                fromFile: URL(fileURLWithPath: "/proc/self/exe")
            )
        },
        Row("download(from:)", .urlError) { _ = try await $0.session.download(from: $0.url) },
        Row("download(for:)", .urlError) { _ = try await $0.session.download(for: $0.post) },
        Row("bytes(from:)", .urlError) { _ = try await $0.session.bytes(from: $0.url) },
        Row("bytes(for:)", .urlError) { _ = try await $0.session.bytes(for: $0.post) },
        Row("receive()", .urlError) { _ = try await $0.socket.receive() },
        Row("send(_:)", .urlError) { try await $0.socket.send(.string("a")) },
        Row("sendPing()", .urlError) { try await $0.socket.sendPing() },
        Row("tasks", .returns) { _ = await $0.stuck.tasks },
        Row("allTasks", .returns) { _ = await $0.stuck.allTasks },
        Row("flush()", .returns) { await $0.stuck.flush() },
        Row("reset()", .returns) { await $0.stuck.reset() },
        Row("runUntilBackgroundEventsAreHandled()", .returns) {
            await $0.application.runUntilBackgroundEventsAreHandled()
        },
        Row("page()", .daemonError) { _ = try await $0.daemon.page() },
        Row("transfers()", .daemonError) { for try await _ in $0.daemon.transfers() {} },
        Row("transfer(_:)", .daemonError) { _ = try await $0.daemon.transfer(1) },
        Row("changes()", .returns) { for try await _ in $0.daemon.changes() {} },
        Row("pause(_:)", .daemonError) { try await $0.daemon.pause(1) },
        Row("resume(_:)", .daemonError) { try await $0.daemon.resume(1) },
        Row("cancel(_:)", .daemonError) { try await $0.daemon.cancel(1) },
        Row("relink(_:to:)", .daemonError) { try await $0.daemon.relink(1, to: $0.url) },
        Row("setPriority(_:of:)", .daemonError) { try await $0.daemon.setPriority(1, of: 1) },
        Row("setRates(_:)", .daemonError) { try await $0.daemon.setRates(.init()) },
        Row("timetable()", .daemonError) { _ = try await $0.daemon.timetable() },
        Row("addRule(_:)", .daemonError) { _ = try await $0.daemon.addRule("pause") },
        Row("removeRule(_:)", .daemonError) { _ = try await $0.daemon.removeRule("pause") },
        Row("settings()", .daemonError) { _ = try await $0.daemon.settings() },
        Row("reload()", .daemonError) { _ = try await $0.daemon.reload() },
        Row("hooks()", .daemonError) { _ = try await $0.daemon.hooks() },
        Row("removeHook(ofApplication:)", .daemonError) {
            try await $0.daemon.removeHook(ofApplication: "a")
        },
        Row("quit(application:)", .daemonError) { _ = try await $0.daemon.quit(application: "a") },
        Row("status()", .daemonError) { _ = try await $0.daemon.status() },
        Row("stop()", .daemonError) { _ = try await $0.daemon.stop() },
    ]

    private let server: FixtureServer
    private let gate = FixtureGate()
    private let hanging: Hanging
    private let silence: SilentSocket
    private let stuckQueue = OperationQueue()
    private let delegate = LateDelegate()

    init() throws {
        _ = Home.path
        server = try FixtureServer()
        server.on("/never", .content(.text("la")).waiting(at: gate))
        let url = try server.address("/never")
        let session = URLSession(configuration: .ephemeral)
        stuckQueue.isSuspended = true
        silence = try SilentSocket()
        hanging = Hanging(
            url: url,
            session: session,
            stuck: URLSession(
                configuration: .ephemeral,
                delegate: nil,
                delegateQueue: stuckQueue
            ),
            daemon: silence.daemon,
            // Never resumed, so that all of its calls wait.
            socket: session.webSocketTask(with: url),
            application: Application(
                environment: .init(
                    launchReason: .backgroundURLSession(identifier: "tracks"),
                    executablePath: "/bin/true",
                    relaunch: nil
                )
            )
        )
        hanging.application.delegate = delegate
    }

    private func end() {
        gate.open()
        stuckQueue.isSuspended = false
        silence.end()
        delegate.end()
    }

    private func check(_ result: Result<Void, any Error>, _ row: Row) {
        switch (row.outcome, result) {
        case (.returns, .success): break
        case (.urlError, .failure(let error as URLError)): #expect(error.code == .cancelled)
        case (.daemonError, .failure(let error as TransferDaemonError)):
            #expect(error.code == .cancelled)
        default: Issue.record("\(row.testDescription): \(result)")
        }
    }

    @Test(arguments: rows)
    func `API-22: a call that waits for ever ends with its Swift task`(row: Row) async {
        defer { end() }
        let waits = FixtureGate()
        let call = Task { [hanging] in
            waits.open()
            try await row.call(hanging)
        }
        await AppFiles.queue.run { waits.wait() }
        // Also when it has got as far as the event loop.
        for _ in 0..<5 { await LoopActor.run {} }
        call.cancel()
        check(await call.result, row)
    }

    @Test(arguments: rows)
    func `API-22: a call in a Swift task that was cancelled before ends at once`(row: Row) async {
        defer { end() }
        let call = Task { [hanging] in
            try? await Task.sleep(for: .seconds(3600))
            try await row.call(hanging)
        }
        call.cancel()
        check(await call.result, row)
        #expect(server.requests.isEmpty, "nothing was sent")
    }

    @Test func `API-22: what has ended before the cancellation stays as it is`() async throws {
        defer { end() }
        server.on("/there", .content(.text("la")))
        let url = try server.address("/there")
        let session = hanging.session
        let call = Task {
            let data = try await session.data(from: url).0
            let file = try await session.download(from: url).0
            withUnsafeCurrentTask { $0?.cancel() }
            return (data, file)
        }
        let (data, file) = try await call.value
        #expect(data == Data("la".utf8))
        #expect(try Data(contentsOf: file) == data)
        try FileManager.default.removeItem(at: file)
    }

    @Test func `API-22: resume data is waited for, as it would be lost`() async throws {
        defer { end() }
        server.on(
            "/song",
            .file(FixtureFile(.seeded(1, byteCount: 10_000))).stalling(after: 5000, at: gate)
        )
        let task = hanging.session.downloadTask(with: try server.address("/song"))
        task.resume()
        try await server.waitForStall(at: "/song")
        while task.countOfBytesReceived == 0 { await LoopActor.run {} }
        let call = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await task.cancelByProducingResumeData()
        }
        #expect(await call.value != nil)
    }
}

/// A delegate that has handled the events only when the test ends.
private final class LateDelegate: ApplicationDelegate {
    private let handlers = Mutex<[@Sendable () -> Void]>([])

    func application(
        _ application: Application,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping @Sendable () -> Void
    ) {
        handlers.withLock { $0.append(completionHandler) }
    }

    nonisolated func end() {
        let handlers = handlers.withLock { handlers in
            defer { handlers = [] }
            return handlers
        }
        for handler in handlers { handler() }
    }
}

/// A daemon that takes connections and says nothing.
private final class SilentSocket: Sendable {
    let daemon: TransferDaemon
    private let socket: Int32

    init() throws {
        let home = Home.path + "/silent-\(UUID().uuidString.prefix(8))"
        let starter = DaemonStarter(environment: ["HOME": home, "XDG_STATE_HOME": home + "/state"])
        let directory = try Directory(
            opening: home + "/state/ferry/run",
            creatingPrivate: true
        )
        socket = try UnixSocket.listen(SocketLocations.socketName, in: directory).release()
        daemon = TransferDaemon(
            backend: AdministrationConnection(startsIfNeeded: false, starter: starter)
        )
    }

    func end() { close(socket) }
}
