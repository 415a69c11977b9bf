package import FerryHTTP
package import FerrySystem

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
    /// The conditions of the network when the request was sent, as far as they were known.
    package var conditions: Conditions

    /// Makes a transaction for a request that is about to be sent, or has ended.
    package init(
        request: TransferRequest,
        sentFields: [HTTPField],
        response: HTTPResponseHead? = nil,
        metrics: HTTPMetrics? = nil,
        conditions: Conditions = []
    ) {
        self.request = request
        self.sentFields = sentFields
        self.response = response
        self.metrics = metrics
        self.conditions = conditions
    }
}
