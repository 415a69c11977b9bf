import Ferry
import FerryTestSupport
import Foundation
import Testing

/// What becomes of a WebSocket task's calls when the Swift task that waits for them is cancelled.
@Suite("Cancelled calls of WebSocket tasks", .timeLimit(.minutes(1)))
struct WebSocketCancellationTests {
    private let server: WebSocketServer
    private let session: URLSession

    init() async throws {
        _ = Home.path
        server = try await WebSocketServer.start()
        session = URLSession(configuration: .ephemeral)
    }

    private func open(_ path: String) throws -> URLSessionWebSocketTask {
        let task = session.webSocketTask(with: try #require(URL(string: server.url + path)))
        task.resume()
        return task
    }

    /// Receives with a time limit by a task group, as programs do.
    private func receive(
        of task: URLSessionWebSocketTask,
        limit: Duration
    ) async throws -> URLSessionWebSocketTask.Message {
        try await withThrowingTaskGroup(of: URLSessionWebSocketTask.Message.self) { group in
            group.addTask { try await task.receive() }
            group.addTask {
                try await Task.sleep(for: limit)
                throw CancellationError()
            }
            defer { group.cancelAll() }
            return try #require(try await group.next())
        }
    }

    @Test func `API-22: a time limit by a task group ends a receive, and loses no message`()
        async throws
    {
        let task = try open("/echo")
        await #expect(throws: CancellationError.self) {
            try await receive(of: task, limit: .milliseconds(1))
        }
        try await task.send(.string("later"))
        #expect(try await task.receive() == .string("later"))
        task.cancel()
    }

    @Test func `API-22: every message arrives once, in order, however many calls are cancelled`()
        async throws
    {
        let count = 300
        let task = try open("/count?count=\(count)")
        var received: [URLSessionWebSocketTask.Message] = []
        var number = 0
        while received.count < count {
            number += 1
            let call = Task { try await task.receive() }
            // At any moment of the call: before it, on its way to the loop, on its way back.
            for _ in 0..<number % 7 { await Task.yield() }
            if number % 3 != 0 { call.cancel() }
            if let message = try? await call.value { received.append(message) }
        }
        #expect(received == (0..<count).map { .string("\($0)") })
        task.cancel()
    }

    @Test func `API-22: one of several calls that wait is cancelled, and the others go on`()
        async throws
    {
        let task = try open("/echo")
        let calls = (0..<3).map { _ in Task { try await task.receive() } }
        calls[1].cancel()
        await expectURLError(.cancelled) { try await calls[1].value }
        try await task.send(.string("1"))
        try await task.send(.string("2"))
        let others = try await [calls[0].value, calls[2].value]
        #expect(Set(others) == [.string("1"), .string("2")])
        task.cancel()
    }

    @Test func `API-22: a message whose call is cancelled before its turn is not sent`()
        async throws
    {
        let task = session.webSocketTask(
            with: try #require(URL(string: server.url + "/echo"))
        )
        // Not resumed, so that everything waits.
        let call = Task { try await task.send(.string("never")) }
        let ping = Task { try await task.sendPing() }
        await session.flush()
        call.cancel()
        ping.cancel()
        await expectURLError(.cancelled) { try await call.value }
        await expectURLError(.cancelled) { try await ping.value }
        task.resume()
        try await task.send(.string("sent"))
        #expect(try await task.receive() == .string("sent"))
        try await task.sendPing()
        task.cancel()
    }

    @Test func `API-22: a call ends that waits for a server which does not read`() async throws {
        let task = try open("/deaf")
        // More than all buffers on the way can hold.
        for _ in 0..<64 { task.send(.data(Data(count: 1 << 20))) { _ in } }
        let sending = Task { try await task.send(.string("behind")) }
        let ping = Task { try await task.sendPing() }
        let receiving = Task { try await task.receive() }
        await session.flush()
        for cancelled in [sending, ping] { cancelled.cancel() }
        receiving.cancel()
        await expectURLError(.cancelled) { try await sending.value }
        await expectURLError(.cancelled) { try await ping.value }
        await expectURLError(.cancelled) { try await receiving.value }
        task.cancel()
    }

    @Test func `API-24: a ping can be awaited`() async throws {
        let task = try open("/echo")
        try await task.sendPing()
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.sendPing() }
    }
}
