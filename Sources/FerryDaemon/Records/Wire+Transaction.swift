import FerryHTTP
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials

extension Wire.Transaction {
    /// Creates the metrics of a request, without what was added to it as proof of identity.
    ///
    /// The last one has no request and response: the task's events report them.
    init(_ transaction: LoadTransaction, isLast: Bool) {
        let metrics = transaction.metrics ?? HTTPMetrics(startTime: 0)
        self.init(
            isLast: isLast && transaction.response != nil,
            started: Date(timeIntervalSince1970: metrics.startTime),
            isReusedConnection: metrics.isReusedConnection,
            sentHeaderByteCount: metrics.sentHeaderByteCount,
            sentBodyByteCount: metrics.sentBodyByteCount,
            receivedHeaderByteCount: metrics.receivedHeaderByteCount,
            receivedBodyByteCount: metrics.receivedBodyByteCount,
            decodedBodyByteCount: metrics.decodedBodyByteCount
        )
        if !self.isLast {
            request = Wire.Request(transaction.request)
            // The counts include its length.
            request?.body = nil
            response = transaction.response.map { Wire.Response($0) }
        }
        takePhases(metrics)
        localAddress = metrics.connection?.local.address
        localPort = metrics.connection.map { Int($0.local.port) }
        remoteAddress = metrics.connection?.remote.address
        remotePort = metrics.connection.map { Int($0.remote.port) }
        tlsVersion = metrics.tls.map { Int($0.version) }
        tlsCipherSuite = metrics.tls.map { Int($0.cipherSuite) }
        version = metrics.version
    }

    private mutating func takePhases(_ metrics: HTTPMetrics) {
        lookupStart = metrics.lookupStart?.inSeconds
        lookupEnd = metrics.lookupEnd?.inSeconds
        connectStart = metrics.connectStart?.inSeconds
        secureConnectStart = metrics.secureConnectStart?.inSeconds
        secureConnectEnd = metrics.secureConnectEnd?.inSeconds
        connectEnd = metrics.connectEnd?.inSeconds
        requestStart = metrics.requestStart?.inSeconds
        requestEnd = metrics.requestEnd?.inSeconds
        responseStart = metrics.responseStart?.inSeconds
        responseEnd = metrics.responseEnd?.inSeconds
    }
}
