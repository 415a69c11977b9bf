import FerrySystem

/// What the exchange notes of itself.
///
/// libcurl tells how long each phase has taken, counted from a moment of its own; the end of the
/// lookup is known in both ways of counting.
extension HTTPExchange {
    /// How long ago the exchange was started.
    var sinceStart: Duration { EventLoop.now - start }

    /// There is a connection, new or kept.
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

    /// The phases before the request did not take place, or for a connection that another request
    /// was quicker to use.
    private func noteReuse() {
        metrics.isReusedConnection = true
        metrics.lookupStart = nil
        metrics.connectStart = nil
    }

    /// libcurl is about to let go of the exchange: what it has counted is noted.
    func noteCounts() {
        guard let easy else { return }
        metrics.version = machine.head?.version
        metrics.sentHeaderByteCount = easy.requestHeaderByteCount
        metrics.sentBodyByteCount = sentBodyByteCount
        metrics.receivedHeaderByteCount = easy.responseHeaderByteCount
        metrics.receivedBodyByteCount = easy.downloadedByteCount
        metrics.decodedBodyByteCount = machine.receivedByteCount
    }

    /// So many bytes of the body have come past libcurl.
    func noteSplicedBytes(count: Int) {
        metrics.receivedBodyByteCount += Int64(count)
        metrics.decodedBodyByteCount += Int64(count)
    }
}
