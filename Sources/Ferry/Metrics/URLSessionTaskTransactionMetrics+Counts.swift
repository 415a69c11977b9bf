import FerryHTTP

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
