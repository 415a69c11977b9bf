package import FoundationEssentials

extension Wire {
    /// A request that a task has made, and what it has cost.
    package struct Transaction: Codable, Hashable, Sendable {
        /// Whether its request and response are those that the task ends with; then they are not here.
        package var isLast: Bool
        /// The request, without what has proved who asks.
        package var request: Request?
        /// The response, if one came.
        package var response: Response?
        /// When it began; the times that follow are seconds after that.
        package var started: Date
        /// When the host's name began to be looked up.
        package var lookupStart: Double?
        /// When its address was known.
        package var lookupEnd: Double?
        /// When a connection began to be made.
        package var connectStart: Double?
        /// When TLS began to be set up.
        package var secureConnectStart: Double?
        /// When TLS was set up.
        package var secureConnectEnd: Double?
        /// When the connection could take the request.
        package var connectEnd: Double?
        /// When the request began to be sent.
        package var requestStart: Double?
        /// When its last byte had left.
        package var requestEnd: Double?
        /// When the first byte of the response came.
        package var responseStart: Double?
        /// When the exchange ended.
        package var responseEnd: Double?
        /// Whether the connection had been used before.
        package var isReusedConnection: Bool = false
        /// This machine's address, where there was a connection.
        package var localAddress: String?
        /// This machine's port, where there was a connection.
        package var localPort: Int?
        /// The other end's address, where there was a connection.
        package var remoteAddress: String?
        /// The other end's port, where there was a connection.
        package var remotePort: Int?
        /// The version of TLS, by the protocol's number; nothing without TLS.
        package var tlsVersion: Int?
        /// The cipher suite of TLS, by IANA's number; nothing without TLS.
        package var tlsCipherSuite: Int?
        /// The protocol's version, such as HTTP/1.1, where a response came.
        package var version: String?
        /// The size of the request's header.
        package var sentHeaderByteCount: Int64 = 0
        /// The size of the request's body, as far as it was sent.
        package var sentBodyByteCount: Int64 = 0
        /// The size of the response's header.
        package var receivedHeaderByteCount: Int64 = 0
        /// The size of the response's body, before it was decoded.
        package var receivedBodyByteCount: Int64 = 0
        /// The size of the response's body, decoded.
        package var decodedBodyByteCount: Int64 = 0

        /// Creates one that has just begun.
        package init(started: Date, isLast: Bool = false) {
            self.started = started
            self.isLast = isLast
        }
    }
}
