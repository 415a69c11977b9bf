extension URLSessionWebSocketTask {
    /// The reason for the end of a WebSocket connection (RFC 6455 §7.4).
    ///
    /// - Important: On Linux there is one more case than on Apple's systems, for the codes that Apple's type
    ///   holds as raw values without a name.
    public enum CloseCode: RawRepresentable, Hashable, Sendable {
        /// There is no code, as the connection is not closed; 0.
        case invalid
        /// The connection has fulfilled its purpose; 1000.
        case normalClosure
        /// The other end goes away: a server that shuts down, a page that is left; 1001.
        case goingAway
        /// A breach of the protocol; 1002.
        case protocolError
        /// A message of a kind that is not accepted; 1003.
        case unsupportedData
        /// The close frame has no code; 1005, which is never sent.
        case noStatusReceived
        /// There was no close frame; 1006, which is never sent.
        case abnormalClosure
        /// A message whose content is not of its kind, such as text that is not UTF-8; 1007.
        case invalidFramePayloadData
        /// A message against the rules of the other end; 1008.
        case policyViolation
        /// A message that is too long; 1009.
        case messageTooBig
        /// An extension is missing; 1010.
        case mandatoryExtensionMissing
        /// The server cannot continue; 1011.
        case internalServerError
        /// TLS could not be set up; 1015, which is never sent.
        case tlsHandshakeFailure
        /// Any other code from 1 to 65535, such as those from 3000 to 4999, which applications give a meaning;
        /// on Apple's systems a raw value without a case.
        case other(UInt16)

        /// Creates the case of a code.
        ///
        /// - Parameter rawValue: The code; the result is nil for a number below 0 or above 65535.
        public init?(rawValue: Int) {
            guard let code = UInt16(exactly: rawValue) else { return nil }
            self = Self.named.first { $0.rawValue == rawValue } ?? .other(code)
        }

        /// The code as a number.
        public var rawValue: Int {
            switch self {
            case .invalid: 0
            case .normalClosure: 1000
            case .goingAway: 1001
            case .protocolError: 1002
            case .unsupportedData: 1003
            case .noStatusReceived: 1005
            case .abnormalClosure: 1006
            case .invalidFramePayloadData: 1007
            case .policyViolation: 1008
            case .messageTooBig: 1009
            case .mandatoryExtensionMissing: 1010
            case .internalServerError: 1011
            case .tlsHandshakeFailure: 1015
            case .other(let code): Int(code)
            }
        }

        /// The cases that Apple's type has.
        static let named: [Self] = [
            .invalid, .normalClosure, .goingAway, .protocolError, .unsupportedData,
            .noStatusReceived, .abnormalClosure, .invalidFramePayloadData, .policyViolation,
            .messageTooBig, .mandatoryExtensionMissing, .internalServerError, .tlsHandshakeFailure,
        ]
    }
}
