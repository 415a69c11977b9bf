/// A response up to its body: status line and header.
package struct HTTPResponseHead: Hashable, Sendable {
    /// The status code: 200...999, or 1xx for an interim response.
    package var status: Int
    /// The protocol's name and version, such as `HTTP/1.1` or `HTTP/2`.
    package var version: String
    /// The header's fields in the order in which they arrived.
    package var fields: [HTTPField]
    /// The URL that answered.
    package var url: String
    /// Whether the body comes without the coding that `Content-Encoding` names, because the request asked for that coding;
    /// `false`, the default, for a body that comes as the server has sent it.
    package var isDecoded: Bool

    /// Makes a head from its parts.
    package init(
        status: Int,
        version: String = "HTTP/1.1",
        fields: [HTTPField],
        url: String,
        isDecoded: Bool = false
    ) {
        self.status = status
        self.version = version
        self.fields = fields
        self.url = url
        self.isDecoded = isDecoded
    }
}
