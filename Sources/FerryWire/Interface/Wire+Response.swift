extension Wire {
    /// The head of a server's answer.
    package struct Response: Codable, Hashable, Sendable {
        /// The address that answered, after redirects.
        package var url: String
        /// The status code.
        package var status: Int
        /// The protocol's version, such as HTTP/1.1.
        package var version: String
        /// The header fields, in the order in which they arrived.
        package var fields: [Field]

        /// Creates a response.
        package init(url: String, status: Int, version: String, fields: [Field]) {
            self.url = url
            self.status = status
            self.version = version
            self.fields = fields
        }
    }
}
