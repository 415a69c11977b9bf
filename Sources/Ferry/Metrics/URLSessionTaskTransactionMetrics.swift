import FerryHTTP
import FerryTransfer
public import Foundation
public import FoundationNetworking

/// What one request of a task and its response have cost, and when what of it happened.
///
/// A date is nil when its phase did not take place or had not ended.
open class URLSessionTaskTransactionMetrics: NSObject, @unchecked Sendable {
    // @unchecked because an open class cannot be checked; all it has is set once.
    private let sentRequest: URLRequest
    private let receivedResponse: URLResponse?
    private let fetchType: URLSessionTaskMetrics.ResourceFetchType
    private let isByProxy: Bool
    let metrics: HTTPMetrics

    private init(
        request: URLRequest,
        response: URLResponse?,
        fetchType: URLSessionTaskMetrics.ResourceFetchType,
        isByProxy: Bool,
        metrics: HTTPMetrics
    ) {
        sentRequest = request
        receivedResponse = response
        self.fetchType = fetchType
        self.isByProxy = isByProxy
        self.metrics = metrics
        super.init()
    }

    /// Tells of a request that was sent.
    ///
    /// - Parameters:
    ///   - transaction: The request, its response and what they have cost; one that never began has
    ///     neither dates nor counts.
    ///   - originalRequest: The app's request, for what is not sent of it.
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
        // A request without a body goes out in one piece, and no end of it is noted.
        if metrics.responseStart != nil, metrics.sentBodyByteCount == 0 {
            metrics.requestEnd = metrics.requestEnd ?? metrics.requestStart
        }
        self.init(
            request: URLRequest(transaction, originalRequest: originalRequest),
            response: transaction.response.flatMap { HTTPURLResponse.make($0) },
            fetchType: .networkLoad,
            isByProxy: isProxyConnection,
            metrics: metrics
        )
    }

    /// Tells of a request that was answered from the session's cache.
    ///
    /// Its dates are those of looking, as on Apple's systems.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - response: What was found.
    ///   - interval: From asking the cache to having its answer.
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

    /// Tells of a request that went to no server: to an object of the app's, a file, or what is in the URL.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - response: What was answered; nil for nothing.
    ///   - interval: From the beginning to the end of the answer.
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
    /// Without fields that have proved who the user is, unless the app has set them itself.
    open var request: URLRequest { sentRequest }

    /// The response; nil where none came.
    open var response: URLResponse? { receivedResponse }

    /// Where the response has come from.
    open var resourceFetchType: URLSessionTaskMetrics.ResourceFetchType { fetchType }

    /// Whether the connection went through a proxy.
    open var isProxyConnection: Bool { isByProxy }
}

extension URLRequest {
    /// The app's request as it was sent.
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
    /// How many bytes the request's header had; 0 from the cache.
    public var countOfRequestHeaderBytesSent: Int64 { metrics.sentHeaderByteCount }

    /// How many bytes of the request's body were sent.
    public var countOfRequestBodyBytesSent: Int64 { metrics.sentBodyByteCount }

    /// How many bytes of the request's body were taken from the app.
    ///
    /// On Linux the same as ``countOfRequestBodyBytesSent``: nothing is encoded on its way.
    public var countOfRequestBodyBytesBeforeEncoding: Int64 { metrics.sentBodyByteCount }

    /// How many bytes the response's header had, with those of interim responses; 0 from the cache.
    public var countOfResponseHeaderBytesReceived: Int64 { metrics.receivedHeaderByteCount }

    /// How many bytes of the response's body came, before they were unpacked; 0 from the cache.
    public var countOfResponseBodyBytesReceived: Int64 { metrics.receivedBodyByteCount }

    /// How many bytes of the response's body there were when they were unpacked; 0 from the cache.
    public var countOfResponseBodyBytesAfterDecoding: Int64 { metrics.decodedBodyByteCount }
}
