import FerryHTTP
import FerrySystem
import FerryTransfer
import FerryWire
import Foundation
import FoundationNetworking

extension LoadTransaction {
    /// Creates the transaction of a request in a background session, as the daemon reports it.
    ///
    /// - Parameters:
    ///   - transaction: The daemon's report.
    ///   - request: The request that its task ends with.
    ///   - response: The response that its task ends with.
    init(_ transaction: Wire.Transaction, request: TransferRequest, response: Wire.Response?) {
        let own = transaction.request.map { TransferRequest($0) } ?? request
        let head = transaction.isLast ? response : transaction.response
        self.init(
            request: own,
            sentFields: own.fields,
            response: head,
            metrics: HTTPMetrics(transaction),
            conditions: Conditions(transaction)
        )
    }
}

extension Conditions {
    fileprivate init(_ transaction: Wire.Transaction) {
        self = []
        if transaction.isCellular == true { insert(.cellularNetwork) }
        if transaction.isExpensive == true { insert(.expensiveNetwork) }
        if transaction.isConstrained == true { insert(.constrainedNetwork) }
    }
}

extension HTTPMetrics {
    fileprivate init(_ transaction: Wire.Transaction) {
        self.init(startTime: transaction.started.timeIntervalSince1970)
        takePhases(transaction)
        isReusedConnection = transaction.isReusedConnection
        connection = InternetConnection(transaction)
        tls = TLSParameters(transaction)
        version = transaction.version
        sentHeaderByteCount = transaction.sentHeaderByteCount
        sentBodyByteCount = transaction.sentBodyByteCount
        receivedHeaderByteCount = transaction.receivedHeaderByteCount
        receivedBodyByteCount = transaction.receivedBodyByteCount
        decodedBodyByteCount = transaction.decodedBodyByteCount
    }

    private mutating func takePhases(_ transaction: Wire.Transaction) {
        lookupStart = transaction.lookupStart.map { .microseconds($0) }
        lookupEnd = transaction.lookupEnd.map { .microseconds($0) }
        connectStart = transaction.connectStart.map { .microseconds($0) }
        secureConnectStart = transaction.secureConnectStart.map { .microseconds($0) }
        secureConnectEnd = transaction.secureConnectEnd.map { .microseconds($0) }
        connectEnd = transaction.connectEnd.map { .microseconds($0) }
        requestStart = transaction.requestStart.map { .microseconds($0) }
        requestEnd = transaction.requestEnd.map { .microseconds($0) }
        responseStart = transaction.responseStart.map { .microseconds($0) }
        responseEnd = transaction.responseEnd.map { .microseconds($0) }
    }
}

extension InternetConnection {
    fileprivate init?(_ transaction: Wire.Transaction) {
        guard let local = transaction.localAddress, let remote = transaction.remoteAddress,
            let localPort = transaction.localPort.flatMap({ UInt16(exactly: $0) }),
            let remotePort = transaction.remotePort.flatMap({ UInt16(exactly: $0) })
        else { return nil }
        self.init(
            local: End(address: local, port: localPort),
            remote: End(address: remote, port: remotePort)
        )
    }
}

extension TLSParameters {
    fileprivate init?(_ transaction: Wire.Transaction) {
        guard let version = transaction.tlsVersion.flatMap({ UInt16(exactly: $0) }),
            let suite = transaction.tlsCipherSuite.flatMap({ UInt16(exactly: $0) })
        else { return nil }
        self.init(version: version, cipherSuite: suite)
    }
}
