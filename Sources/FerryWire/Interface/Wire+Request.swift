package import FoundationEssentials

extension Wire {
    /// A request for a resource.
    package struct Request: Codable, Hashable, Sendable {
        /// The resource's address: http or https.
        package var url: String
        /// The request's method, such as GET.
        package var method: String
        /// The header fields, in the order in which they are sent.
        package var fields: [Field]
        /// The body.
        package var body: Data?
        /// How many seconds may pass without a byte before the attempt is given up; 0 for ever.
        package var idleTimeout: Double
        /// The address that the task was made for, where another one has taken its place: what belongs to the
        /// session, such as its fields, is meant for that one's origin alone.
        package var madeFor: String?

        /// Creates a request.
        package init(
            url: String,
            method: String,
            fields: [Field],
            body: Data? = nil,
            idleTimeout: Double,
            madeFor: String? = nil
        ) {
            self.url = url
            self.method = method
            self.fields = fields
            self.body = body
            self.idleTimeout = idleTimeout
            self.madeFor = madeFor
        }
    }
}
