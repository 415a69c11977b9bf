import FerrySystem

/// The metrics that the exchange records.
///
/// libcurl measures each phase from a start time of its own; the end of the lookup is known on both time
/// scales.
extension HTTPExchange {
    /// How long ago the exchange was started.
    var sinceStart: Duration { EventLoop.now - start }

    /// Records the connection, new or kept, and its phases.
    func noteConnection(_ connection: InternetConnection?, _ phases: CurlPhases) {
        let connectEnd = sinceStart
        metrics.requestStart = connectEnd
        metrics.connection = connection
        metrics.tls = easy?.tls
        guard let connectStart = metrics.connectStart, !phases.isReusedConnection else {
            return noteReuse()
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
    private func noteReuse() {
        metrics.isReusedConnection = true
        metrics.lookupStart = nil
        metrics.connectStart = nil
    }

    /// Records libcurl's counts before it releases the exchange.
    func noteCounts() {
        guard let easy else { return }
        metrics.version = machine.head?.version
        metrics.sentHeaderByteCount = easy.requestHeaderByteCount
        metrics.sentBodyByteCount = sentBodyByteCount
        metrics.receivedHeaderByteCount = easy.responseHeaderByteCount
        metrics.receivedBodyByteCount = easy.downloadedByteCount
        metrics.decodedBodyByteCount = machine.receivedByteCount
    }

    /// Records bytes of the body that bypassed libcurl.
    func noteSplicedBytes(count: Int) {
        metrics.receivedBodyByteCount += Int64(count)
        metrics.decodedBodyByteCount += Int64(count)
    }
}
