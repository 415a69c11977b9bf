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
            response = transaction.response
        }
        takePhases(metrics)
        localAddress = metrics.connection?.local.address
        localPort = metrics.connection.map { Int($0.local.port) }
        remoteAddress = metrics.connection?.remote.address
        remotePort = metrics.connection.map { Int($0.remote.port) }
        tlsVersion = metrics.tls.map { Int($0.version) }
        tlsCipherSuite = metrics.tls.map { Int($0.cipherSuite) }
        version = metrics.version
        isCellular = transaction.conditions.contains(.cellularNetwork) ? true : nil
        isExpensive = transaction.conditions.contains(.expensiveNetwork) ? true : nil
        isConstrained = transaction.conditions.contains(.constrainedNetwork) ? true : nil
    }

    private mutating func takePhases(_ metrics: HTTPMetrics) {
        lookupStart = metrics.lookupStart?.inMicroseconds
        lookupEnd = metrics.lookupEnd?.inMicroseconds
        connectStart = metrics.connectStart?.inMicroseconds
        secureConnectStart = metrics.secureConnectStart?.inMicroseconds
        secureConnectEnd = metrics.secureConnectEnd?.inMicroseconds
        connectEnd = metrics.connectEnd?.inMicroseconds
        requestStart = metrics.requestStart?.inMicroseconds
        requestEnd = metrics.requestEnd?.inMicroseconds
        responseStart = metrics.responseStart?.inMicroseconds
        responseEnd = metrics.responseEnd?.inMicroseconds
    }
}

extension Wire.Response {
    /// The number of bytes in the names and values of the header fields.
    var fieldByteCount: Int { fields.reduce(0) { $0 + $1.byteCount } }

    /// Returns the response with a maximum of bytes in its header fields, leaving out the longest.
    ///
    /// The queue keeps a response until its task is gone, and again with the event that reports it.
    func bounded(to maximum: Int) -> Wire.Response {
        var excess = fieldByteCount - maximum
        guard excess > 0 else { return self }
        var left: Set<Int> = []
        let longestFirst = fields.indices.sorted {
            (-fields[$0].byteCount, $0) < (-fields[$1].byteCount, $1)
        }
        for index in longestFirst where excess > 0 {
            excess -= fields[index].byteCount
            left.insert(index)
        }
        var bounded = self
        bounded.fields = fields.indices.filter { !left.contains($0) }.map { fields[$0] }
        return bounded
    }
}

extension Duration {
    fileprivate var inMicroseconds: Int {
        Int(components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000)
    }
}

extension Wire.Field {
    fileprivate var byteCount: Int { name.utf8.count + value.utf8.count }
}
