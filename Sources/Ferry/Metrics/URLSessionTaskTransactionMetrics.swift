import FerryHTTP
import FerrySystem
import FerryTransfer
public import Foundation
public import FoundationNetworking

/// The metrics of one request of a task and of its response.
///
/// A date is nil when its phase did not take place or had not ended.
open class URLSessionTaskTransactionMetrics: NSObject, @unchecked Sendable {
    // @unchecked because an open class cannot be checked; all properties are set once.
    private let sentRequest: URLRequest
    private let receivedResponse: URLResponse?
    private let fetchType: URLSessionTaskMetrics.ResourceFetchType
    private let isByProxy: Bool
    /// The conditions of the network when the request was sent, as far as they were known.
    private let conditions: Conditions
    let metrics: HTTPMetrics

    private init(
        request: URLRequest,
        response: URLResponse?,
        fetchType: URLSessionTaskMetrics.ResourceFetchType,
        isByProxy: Bool,
        conditions: Conditions = [],
        metrics: HTTPMetrics
    ) {
        sentRequest = request
        receivedResponse = response
        self.fetchType = fetchType
        self.isByProxy = isByProxy
        self.conditions = conditions
        self.metrics = metrics
        super.init()
    }

    /// Creates the metrics of a request that was sent.
    ///
    /// - Parameters:
    ///   - transaction: The request, its response and their metrics; a request that never began has neither dates nor
    ///     counts.
    ///   - originalRequest: The app's request, for its properties that are not sent.
    ///   - hasFailed: Whether the request has ended with an error, so that the response has no end.
    ///   - isProxyConnection: Whether it went through a proxy.
    convenience init(
        _ transaction: LoadTransaction,
        originalRequest: URLRequest? = nil,
        hasFailed: Bool = false,
        isProxyConnection: Bool = false
    ) {
        var metrics = transaction.metrics ?? HTTPMetrics(startTime: .nan)
        if hasFailed || metrics.responseStart == nil { metrics.responseEnd = nil }
        // A request without a body is sent in one piece, and its end is not recorded.
        if metrics.responseStart != nil, metrics.sentBodyByteCount == 0 {
            metrics.requestEnd = metrics.requestEnd ?? metrics.requestStart
        }
        self.init(
            request: URLRequest(transaction, originalRequest: originalRequest),
            response: transaction.response.flatMap { HTTPURLResponse.make($0) },
            fetchType: .networkLoad,
            isByProxy: isProxyConnection,
            conditions: transaction.conditions,
            metrics: metrics
        )
    }

    /// Creates the metrics of a request that was answered from the session's cache.
    ///
    /// The dates are those of the cache lookup, as on Apple's systems.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - response: The response that was found.
    ///   - interval: The time of the cache lookup.
    convenience init(cached request: URLRequest, response: URLResponse, interval: DateInterval) {
        var metrics = HTTPMetrics(startTime: interval.start.timeIntervalSince1970)
        metrics.requestStart = .zero
        metrics.requestEnd = .zero
        metrics.responseStart = .seconds(interval.duration)
        metrics.responseEnd = metrics.responseStart
        self.init(
            request: request,
            response: response,
            fetchType: .localCache,
            isByProxy: false,
            metrics: metrics
        )
    }

    /// Creates the metrics of a request to an app's protocol object, a file or the URL itself instead of a server.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - response: The response; nil if there is none.
    ///   - interval: The time from the start to the end of the response.
    ///   - hasFailed: Whether it has ended with an error.
    convenience init(
        served request: URLRequest,
        response: URLResponse?,
        interval: DateInterval,
        hasFailed: Bool
    ) {
        var metrics = HTTPMetrics(startTime: interval.start.timeIntervalSince1970)
        if response != nil, !hasFailed { metrics.responseEnd = .seconds(interval.duration) }
        self.init(
            request: request,
            response: response,
            fetchType: .unknown,
            isByProxy: false,
            metrics: metrics
        )
    }

    /// The request, with the header fields that were sent.
    ///
    /// Without fields that authenticate the user, unless the app has set them itself.
    open var request: URLRequest { sentRequest }

    /// The response; nil if none was received.
    open var response: URLResponse? { receivedResponse }

    /// The source of the response.
    open var resourceFetchType: URLSessionTaskMetrics.ResourceFetchType { fetchType }

    /// Whether the connection went through a proxy.
    open var isProxyConnection: Bool { isByProxy }

    /// Whether the network was cellular when the request was sent.
    ///
    /// On Linux that is what NetworkManager says of the whole machine, and only known while a task is there that
    /// avoids some network: one with ``URLSessionConfiguration/allowsCellularAccess``,
    /// ``URLSessionConfiguration/allowsExpensiveNetworkAccess`` or
    /// ``URLSessionConfiguration/allowsConstrainedNetworkAccess`` set to false. False if it is not known, for a
    /// response from the cache, and for an app's protocol object.
    public var isCellular: Bool { conditions.contains(.cellularNetwork) }

    /// Whether the network was expensive when the request was sent; known as ``isCellular`` is.
    public var isExpensive: Bool { conditions.contains(.expensiveNetwork) }

    /// Whether the user wanted few bytes on the network when the request was sent; known as ``isCellular`` is.
    public var isConstrained: Bool { conditions.contains(.constrainedNetwork) }
}

extension URLRequest {
    /// Creates the app's request as it was sent.
    fileprivate init(_ transaction: LoadTransaction, originalRequest: URLRequest?) {
        var sent = transaction.request
        sent.fields = transaction.sentFields.filter { field in
            let isProof = field.isNamed("Authorization") || field.isNamed("Proxy-Authorization")
            return !isProof || transaction.request.fields.contains(field)
        }
        let request = URLRequest(sent)
        self = originalRequest?.redirected(as: sent) ?? request
        allHTTPHeaderFields = request.allHTTPHeaderFields
    }
}

extension URLSessionTaskTransactionMetrics {
    /// The number of bytes in the request's header; 0 from the cache.
    public var countOfRequestHeaderBytesSent: Int64 { metrics.sentHeaderByteCount }

    /// The number of bytes of the request's body that were sent.
    public var countOfRequestBodyBytesSent: Int64 { metrics.sentBodyByteCount }

    /// The number of bytes of the request's body that were taken from the app.
    ///
    /// On Linux the same as ``countOfRequestBodyBytesSent``: nothing is encoded on the way.
    public var countOfRequestBodyBytesBeforeEncoding: Int64 { metrics.sentBodyByteCount }

    /// The number of bytes in the response's header, including interim responses; 0 from the cache.
    public var countOfResponseHeaderBytesReceived: Int64 { metrics.receivedHeaderByteCount }

    /// The number of bytes of the response's body before decompression; 0 from the cache.
    public var countOfResponseBodyBytesReceived: Int64 { metrics.receivedBodyByteCount }

    /// The number of bytes of the response's body after decompression; 0 from the cache.
    public var countOfResponseBodyBytesAfterDecoding: Int64 { metrics.decodedBodyByteCount }
}

extension URLSessionTaskTransactionMetrics {
    /// The registered name of the protocol, `http/1.1` or `h2`; nil if no response was received.
    ///
    /// See [IANA's registry](https://www.iana.org/assignments/tls-extensiontype-values).
    public var networkProtocolName: String? {
        guard let version = metrics.version?.lowercased() else { return nil }
        return switch version {
        case "http/2", "http/2.0": "h2"
        case "http/3", "http/3.0": "h3"
        default: version
        }
    }

    /// Whether the connection had been used before.
    public var isReusedConnection: Bool { metrics.isReusedConnection }

    /// This machine's address: `192.0.2.1` or `2001:db8::1`; nil where there was no connection.
    public var localAddress: String? { metrics.connection?.local.address }

    /// This machine's port; nil where there was no connection.
    public var localPort: Int? { metrics.connection.map { Int($0.local.port) } }

    /// The server's address, or that of a proxy; nil where there was no connection.
    public var remoteAddress: String? { metrics.connection?.remote.address }

    /// The server's port, or that of a proxy; nil where there was no connection.
    public var remotePort: Int? { metrics.connection.map { Int($0.remote.port) } }

    /// The version of TLS; nil without TLS.
    public var negotiatedTLSProtocolVersion: tls_protocol_version_t? {
        metrics.tls.flatMap { tls_protocol_version_t(rawValue: $0.version) }
    }

    /// The cipher suite of TLS; nil without TLS, and for one that Apple has no name for.
    public var negotiatedTLSCipherSuite: tls_ciphersuite_t? {
        metrics.tls.flatMap { tls_ciphersuite_t(rawValue: $0.cipherSuite) }
    }

    /// Whether the connection had several paths at once; false on Linux.
    public var isMultipath: Bool { false }

    /// The protocol by which the host name was looked up; ``URLSessionTaskMetrics/DomainResolutionProtocol/unknown`` on
    /// Linux, where the system looks names up.
    public var domainResolutionProtocol: URLSessionTaskMetrics.DomainResolutionProtocol { .unknown }
}

extension URLSessionTaskTransactionMetrics {
    /// When the task began to fetch the resource, from the network or from the cache.
    public var fetchStartDate: Date? { date(.zero) }

    /// When the lookup of the host name began; nil on a reused connection.
    public var domainLookupStartDate: Date? { date(metrics.lookupStart) }

    /// When the host's address was known; nil on a reused connection.
    public var domainLookupEndDate: Date? { date(metrics.lookupEnd) }

    /// When the connection attempt began; nil on a reused connection.
    public var connectStartDate: Date? { date(metrics.connectStart) }

    /// When the TLS handshake began; nil without TLS and on a reused connection.
    public var secureConnectionStartDate: Date? { date(metrics.secureConnectStart) }

    /// When the TLS handshake ended; nil without TLS and on a reused connection.
    public var secureConnectionEndDate: Date? { date(metrics.secureConnectEnd) }

    /// When the connection was ready for the request; nil on a reused connection.
    public var connectEndDate: Date? { date(metrics.connectEnd) }

    /// When the request began to be sent.
    public var requestStartDate: Date? { date(metrics.requestStart) }

    /// When the last byte of the request had been sent.
    ///
    /// On Linux the same as ``requestStartDate`` for a request without a body, which is sent in one piece.
    public var requestEndDate: Date? { date(metrics.requestEnd) }

    /// When the first byte of the response arrived.
    public var responseStartDate: Date? { date(metrics.responseStart) }

    /// When the last byte of the response arrived; nil if it did not.
    public var responseEndDate: Date? { date(metrics.responseEnd) }

    /// Returns the date at an offset from the start; nil without an offset, and if nothing has begun.
    private func date(_ time: Duration?) -> Date? {
        guard let time, metrics.startTime.isFinite else { return nil }
        return Date(timeIntervalSince1970: metrics.startTime + time / .seconds(1))
    }
}
