/// A response up to its body: status line and header.
package struct HTTPResponseHead: Hashable, Sendable, Codable {
    /// The status code: 200...999, or 1xx for an interim response.
    package var status: Int
    /// The protocol's name and version, such as `HTTP/1.1` or `HTTP/2`.
    package var version: String
    /// The header's fields in the order in which they arrived.
    package var fields: [HTTPField]
    /// The URL that answered.
    package var url: String

    /// Makes a head from its parts.
    package init(status: Int, version: String = "HTTP/1.1", fields: [HTTPField], url: String) {
        self.status = status
        self.version = version
        self.fields = fields
        self.url = url
    }

    /// Whether the body is coded, so that its bytes are not those of the resource.
    package var hasContentCoding: Bool { contentCodings.contains { $0 != "identity" } }

    /// Whether the body has a coding that libcurl does not know, such as the `aws-chunked` of a stored object.
    var hasUnknownContentCoding: Bool {
        contentCodings.contains { !Self.knownContentCodings.contains($0) }
    }

    /// The codings of libcurl; a build may lack some.
    private static let knownContentCodings: Set = [
        "identity", "none", "deflate", "gzip", "x-gzip", "br", "zstd",
    ]

    private var contentCodings: [String] {
        fields.values(named: "Content-Encoding")
            .flatMap { $0.split(whereSeparator: { ", \t".contains($0) }) }
            .map { $0.lowercased() }
    }
}
