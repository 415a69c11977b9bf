package import FerrySystem

/// The sizes and times of one exchange.
///
/// Times are measured from the exchange's start; a time is `nil` if its phase did not take place or had not
/// ended.
package struct HTTPMetrics: Hashable, Sendable {
    /// When the exchange was started, in seconds since 1970.
    package var startTime: Double
    /// When the lookup of the host's name began.
    package var lookupStart: Duration?
    /// When the host's address was known.
    package var lookupEnd: Duration?
    /// When the connection began to be made.
    package var connectStart: Duration?
    /// When TLS began to be set up on it.
    package var secureConnectStart: Duration?
    /// When TLS was set up.
    package var secureConnectEnd: Duration?
    /// When the connection could take the request.
    package var connectEnd: Duration?
    /// When the request began to be sent.
    package var requestStart: Duration?
    /// When the last byte of the request had been read from its source.
    package var requestEnd: Duration?
    /// When the first byte of the response arrived.
    package var responseStart: Duration?
    /// When the exchange ended.
    package var responseEnd: Duration?

    /// Whether the connection had been used before.
    package var isReusedConnection = false
    /// The addresses of both ends of the connection.
    package var connection: InternetConnection?
    /// The negotiated TLS parameters; `nil` without TLS.
    package var tls: TLSParameters?
    /// The protocol of the response: `HTTP/1.1` or `HTTP/2`.
    package var version: String?
    /// The size of the request's header.
    package var sentHeaderByteCount: Int64 = 0
    /// The size of the request's body, as far as it was sent.
    package var sentBodyByteCount: Int64 = 0
    /// The size of the response's header, including those of interim responses.
    package var receivedHeaderByteCount: Int64 = 0
    /// The size of the response's body on the connection, before it was decoded.
    package var receivedBodyByteCount: Int64 = 0
    /// The size of the response's body, decoded.
    package var decodedBodyByteCount: Int64 = 0

    /// An exchange that has just begun.
    package init(startTime: Double) { self.startTime = startTime }
}

/// The TLS parameters that both ends of a connection have negotiated, as the protocol's numbers.
package struct TLSParameters: Hashable, Sendable {
    /// The version, such as 0x0304 for TLS 1.3.
    package var version: UInt16
    /// The cipher suite, by its number in IANA's registry.
    package var cipherSuite: UInt16

    /// Makes parameters from both numbers.
    package init(version: UInt16, cipherSuite: UInt16) {
        self.version = version
        self.cipherSuite = cipherSuite
    }
}

/// The metrics that the exchange records.
///
/// libcurl measures each phase from a start time of its own; the end of the lookup is known on both time
/// scales.
extension HTTPExchange {
    /// How long ago the exchange was started.
    var sinceStart: Duration { EventLoop.now - start }

    /// Records the connection, new or kept, and its phases.
    func recordConnection(_ connection: InternetConnection?, _ phases: CurlPhases) {
        let connectEnd = sinceStart
        metrics.requestStart = connectEnd
        metrics.connection = connection
        metrics.tls = easy?.tls
        guard let connectStart = metrics.connectStart, !phases.isReusedConnection else {
            return recordReuse()
        }
        let origin = connectStart - phases.lookup
        metrics.lookupEnd = connectStart
        metrics.lookupStart = min(metrics.lookupStart ?? origin, connectStart)
        metrics.connectEnd = connectEnd
        guard phases.secureConnect > .zero else { return }
        metrics.secureConnectStart = origin + phases.connect
        metrics.secureConnectEnd = min(origin + phases.secureConnect, connectEnd)
    }

    /// Records that the phases before the request did not take place, or were for a connection that another
    /// request used first.
    private func recordReuse() {
        metrics.isReusedConnection = true
        metrics.lookupStart = nil
        metrics.connectStart = nil
    }

    /// Records libcurl's counts before it releases the exchange.
    func recordCounts() {
        guard let easy else { return }
        metrics.version = machine.head?.version
        metrics.sentHeaderByteCount = easy.requestHeaderByteCount
        metrics.sentBodyByteCount = sentBodyByteCount
        metrics.receivedHeaderByteCount = easy.responseHeaderByteCount
        metrics.receivedBodyByteCount = easy.downloadedByteCount
        metrics.decodedBodyByteCount = machine.receivedByteCount
    }

    /// Records bytes of the body that bypassed libcurl.
    func recordSplicedBytes(count: Int) {
        metrics.receivedBodyByteCount += Int64(count)
        metrics.decodedBodyByteCount += Int64(count)
    }
}
