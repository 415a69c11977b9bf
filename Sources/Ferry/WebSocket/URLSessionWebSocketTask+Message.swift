public import Foundation

extension URLSessionWebSocketTask {
    /// A message of the WebSocket protocol.
    public enum Message: Hashable, Sendable {
        /// Bytes.
        case data(Data)
        /// Text, which travels as UTF-8.
        case string(String)
    }

    /// What the task has to tell, beside its end.
    enum News: Sendable {
        /// The connection is open.
        case opened(protocol: String?)
        /// Both ends have said goodbye.
        case closed(CloseCode, reason: Data?)
        /// What comes of a call.
        case answer(@Sendable () -> Void)
    }
}
