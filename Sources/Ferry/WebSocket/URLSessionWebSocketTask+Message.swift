import FerryHTTP
public import Foundation

extension URLSessionWebSocketTask {
    /// A message of the WebSocket protocol.
    public enum Message: Hashable, Sendable {
        /// Bytes.
        case data(Data)
        /// Text, which is sent as UTF-8.
        case string(String)
    }

    /// The messages of the task, besides its end.
    enum News: Sendable {
        /// The connection is open.
        case opened(protocol: String?)
        /// Both ends have sent a close frame.
        case closed(CloseCode, reason: Data?)
        /// The result of a call.
        case answer(@Sendable () -> Void)
    }
}

extension WebSocketMessage {
    init(_ message: URLSessionWebSocketTask.Message) {
        switch message {
        case .data(let data): self = .binary(Array(data))
        case .string(let text): self = .text(text)
        }
    }
}

extension URLSessionWebSocketTask.Message {
    init(_ message: WebSocketMessage) {
        switch message {
        case .binary(let bytes): self = .data(Data(bytes))
        case .text(let text): self = .string(text)
        }
    }
}
