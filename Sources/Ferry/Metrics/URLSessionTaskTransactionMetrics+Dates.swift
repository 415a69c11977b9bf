import FerryHTTP
public import Foundation

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
