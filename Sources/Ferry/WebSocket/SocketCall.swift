import FerrySystem
import Foundation

/// A call of a WebSocket task for which a Swift task waits, on the event loop.
///
/// It ends once: with what the connection says, or with the cancellation of the Swift task. A message is taken by a call
/// on the loop, so that one that was cancelled before takes none.
@LoopActor
final class SocketCall<Value: Sendable>: Sendable {
    /// Makes the call, and returns the number by which it can be given up.
    typealias Beginning =
        @LoopActor @Sendable (
            InProcessWebSocket, @escaping @LoopActor (Result<Value, any Error>) -> Void
        ) -> UInt64?

    private let task: URLSessionWebSocketTask
    private let socket: InProcessWebSocket
    private let begin: Beginning
    private var continuation: CheckedContinuation<Value, any Error>?
    private var number: UInt64?
    private var isCancelled = false

    nonisolated init(
        _ task: URLSessionWebSocketTask,
        _ socket: InProcessWebSocket,
        _ begin: @escaping Beginning
    ) {
        self.task = task
        self.socket = socket
        self.begin = begin
    }

    /// Makes the call, unless the Swift task was cancelled before.
    func start(_ continuation: CheckedContinuation<Value, any Error>) {
        guard !isCancelled else { return continuation.resume(throwing: cancellation) }
        self.continuation = continuation
        number = begin(socket) { [self] result in
            guard let continuation = self.continuation else { return }
            self.continuation = nil
            // In its place among the task's other messages to the app.
            task.deliver(.socket(.answer { continuation.resume(with: result) }))
        }
    }

    /// The Swift task was cancelled.
    func cancel() {
        isCancelled = true
        guard let continuation else { return }
        self.continuation = nil
        if let number { socket.withdraw(number) }
        continuation.resume(throwing: cancellation)
    }

    private var cancellation: URLError {
        let reason = "The Swift task that waited was cancelled."
        return URLError(.cancelled, url: task.currentRequest?.url, reason: reason)
    }
}
