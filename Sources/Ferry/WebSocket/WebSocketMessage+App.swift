import FerryHTTP
import Foundation

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
