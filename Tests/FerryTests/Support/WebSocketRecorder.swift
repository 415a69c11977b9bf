import Ferry
import Foundation
import Testing

/// A delegate that notes what WebSocket tasks tell.
final class WebSocketRecorder: NSObject, URLSessionWebSocketDelegate {
    enum Call: Hashable, Sendable {
        case created
        case opened(String?)
        case closed(URLSessionWebSocketTask.CloseCode, String?)
        case completed(URLError.Code?, POSIXError.Code?)
        case answered(String)

        /// An end without an error.
        static let completed = Call.completed(nil, nil)
    }

    private let log = Awaited<[Call]>([])

    var calls: [Call] { log.value }

    func record(_ call: Call) { log.change { $0.append(call) } }

    /// Returns when the task has completed.
    func waitForEnd(sourceLocation: SourceLocation = #_sourceLocation) async {
        await log.wait(
            until: { calls in
                calls.contains { if case .completed = $0 { true } else { false } }
            },
            sourceLocation: sourceLocation
        )
    }

    /// Returns when a condition holds of the calls.
    func wait(
        sourceLocation: SourceLocation = #_sourceLocation,
        until condition: @escaping @Sendable ([Call]) -> Bool
    ) async {
        await log.wait(until: condition, sourceLocation: sourceLocation)
    }

    // MARK: - Delegate

    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
        record(.created)
    }

    func urlSession(
        _ session: URLSession,
        webSocketTask: URLSessionWebSocketTask,
        didOpenWithProtocol protocol: String?
    ) {
        record(.opened(`protocol`))
    }

    func urlSession(
        _ session: URLSession,
        webSocketTask: URLSessionWebSocketTask,
        didCloseWith closeCode: URLSessionWebSocketTask.CloseCode,
        reason: Data?
    ) {
        record(.closed(closeCode, reason.map { String(decoding: $0, as: UTF8.self) }))
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        record(.completed((error as? URLError)?.code, (error as? POSIXError)?.code))
    }
}
