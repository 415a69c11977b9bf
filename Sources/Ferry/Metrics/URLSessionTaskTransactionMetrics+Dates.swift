import FerryHTTP
public import Foundation

extension URLSessionTaskTransactionMetrics {
    /// When the task began to fetch the resource, from the network or from the cache.
    public var fetchStartDate: Date? { date(.zero) }

    /// When the host's name began to be looked up; nil on a connection that was there.
    public var domainLookupStartDate: Date? { date(metrics.lookupStart) }

    /// When the host's address was known; nil on a connection that was there.
    public var domainLookupEndDate: Date? { date(metrics.lookupEnd) }

    /// When a connection began to be made; nil on one that was there.
    public var connectStartDate: Date? { date(metrics.connectStart) }

    /// When TLS began to be set up; nil without TLS and on a connection that was there.
    public var secureConnectionStartDate: Date? { date(metrics.secureConnectStart) }

    /// When TLS was set up; nil without TLS and on a connection that was there.
    public var secureConnectionEndDate: Date? { date(metrics.secureConnectEnd) }

    /// When the connection could take the request; nil on one that was there.
    public var connectEndDate: Date? { date(metrics.connectEnd) }

    /// When the request began to be sent.
    public var requestStartDate: Date? { date(metrics.requestStart) }

    /// When the last byte of the request had been sent.
    ///
    /// On Linux the same as ``requestStartDate`` for a request without a body, which goes out in one piece.
    public var requestEndDate: Date? { date(metrics.requestEnd) }

    /// When the first byte of the response came.
    public var responseStartDate: Date? { date(metrics.responseStart) }

    /// When the last byte of the response had come; nil when it did not.
    public var responseEndDate: Date? { date(metrics.responseEnd) }

    /// A moment counted from the beginning; nil for no moment, and where nothing has begun.
    private func date(_ time: Duration?) -> Date? {
        guard let time, metrics.startTime.isFinite else { return nil }
        return Date(timeIntervalSince1970: metrics.startTime + time / .seconds(1))
    }
}
