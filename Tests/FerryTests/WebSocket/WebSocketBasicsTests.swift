import Ferry
import Foundation
import Testing

@Suite("WebSocket values", .timeLimit(.minutes(5))) struct WebSocketBasicsTests {
    private typealias CloseCode = URLSessionWebSocketTask.CloseCode

    @Test func `close codes have Apple's numbers`() {
        let numbers = [0] + Array(1000...1003) + Array(1005...1011) + [1015]
        let codes: [CloseCode] = [
            .invalid, .normalClosure, .goingAway, .protocolError, .unsupportedData,
            .noStatusReceived, .abnormalClosure, .invalidFramePayloadData, .policyViolation,
            .messageTooBig, .mandatoryExtensionMissing, .internalServerError, .tlsHandshakeFailure,
        ]
        #expect(codes.map(\.rawValue) == numbers)
        #expect(numbers.map { CloseCode(rawValue: $0) } == codes)
    }

    @Test func `any other number that fits is a code, too`() {
        for number in [1, 1004, 1012, 3000, 4999, 65_535] {
            #expect(CloseCode(rawValue: number)?.rawValue == number)
        }
        #expect(CloseCode(rawValue: -1) == nil)
        #expect(CloseCode(rawValue: 65_536) == nil)
    }

    @Test func `background sessions have no WebSocket tasks`() async {
        await #expect(processExitsWith: .failure) {
            _ = Home.path
            let session = URLSession(
                configuration: .background(withIdentifier: "sockets"),
                delegate: WebSocketRecorder(),
                delegateQueue: nil
            )
            guard let url = URL(string: "ws://127.0.0.1/") else { return }
            _ = session.webSocketTask(with: url)
        }
    }
}
