extension Nginx {
    /// What nginx has seen of a request, as its page `echo` tells it.
    ///
    ///     Nginx.Echo(text)["accept-encoding"]
    ///
    /// Header fields have their names, in small letters. These are no fields: `method`, `uri`,
    /// `protocol`, `connection` (its number), `tls` (its version), `verdict` on the client's
    /// certificate (`SUCCESS`, `NONE`) and its `subject`.
    package struct Echo: Sendable {
        private let values: [String: String]

        private static let variables: KeyValuePairs = [
            "method": "request_method", "uri": "request_uri", "protocol": "server_protocol",
            "connection": "connection", "tls": "ssl_protocol", "verdict": "ssl_client_verify",
            "subject": "ssl_client_s_dn",
        ]

        private static let fields = [
            "accept", "accept-encoding", "accept-language", "authorization", "cache-control",
            "content-length", "content-type", "cookie", "expect", "host", "if-modified-since",
            "if-none-match", "origin", "pragma", "range", "referer", "transfer-encoding",
            "user-agent", "x-test",
        ]

        /// The page, for nginx to fill in.
        static var template: String {
            let fields = fields.map { ($0, "http_" + $0.replacing("-", with: "_")) }
            let all = variables.map { ($0.key, $0.value) } + fields
            return all.map { #"\#($0): $\#($1)\n"# }.joined()
        }

        /// Reads the page.
        package init(_ text: String) {
            let pairs = text.split(separator: "\n").compactMap { line -> (String, String)? in
                let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
                return parts.count == 2 ? (parts[0], parts[1]) : nil
            }
            values = Dictionary(pairs) { first, _ in first }
        }

        /// A value; `nil` when there was none.
        package subscript(name: String) -> String? {
            values[name]
        }
    }
}
