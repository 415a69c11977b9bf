package import FerryHTTP

/// One request of a load, its response and its metrics.
package struct LoadTransaction: Hashable, Sendable {
    /// The request, without what was added to it.
    package var request: TransferRequest
    /// The fields that were sent.
    package var sentFields: [HTTPField]
    /// The response; `nil` if none arrived.
    package var response: HTTPResponseHead?
    /// The metrics; `nil` while it is in progress.
    package var metrics: HTTPMetrics?

    /// Makes a transaction for a request that is about to be sent, or has ended.
    package init(
        request: TransferRequest,
        sentFields: [HTTPField],
        response: HTTPResponseHead? = nil,
        metrics: HTTPMetrics? = nil
    ) {
        self.request = request
        self.sentFields = sentFields
        self.response = response
        self.metrics = metrics
    }
}
