package import FerryHTTP

/// One request of a load and its response, and what they have cost.
package struct LoadTransaction: Hashable, Sendable {
    /// The request, without what was added to it.
    package var request: TransferRequest
    /// The fields that were sent.
    package var sentFields: [HTTPField]
    /// The response; `nil` where none came.
    package var response: HTTPResponseHead?
    /// What it has cost; `nil` while it is under way.
    package var metrics: HTTPMetrics?

    /// A request that is about to be sent, or what became of one.
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
