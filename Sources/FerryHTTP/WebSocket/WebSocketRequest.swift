/// A request to open a WebSocket connection (RFC 6455 §4.1).
package struct WebSocketRequest: Hashable, Sendable {
    /// An absolute URL with the scheme `ws`, `wss`, `http` or `https`.
    package var url: String
    /// The fields to send in addition to those that the handshake itself needs, which are left out.
    package var fields: [HTTPField]
    /// The subprotocols to choose from, in order of preference.
    package var protocols: [String]
    /// Whether the owner decides on the server's certificates.
    package var asksForTrust = false
    /// As for ``HTTPRequest/acceptsInvalidCertificates``.
    package var acceptsInvalidCertificates = false
    /// The client's identity, for a server that requests one.
    package var identity: HTTPIdentity?
    /// Whether the owner is notified of a server's request for a certificate.
    package var asksForIdentity = false

    /// Makes a request; one that cannot be sent is reported when it is started.
    ///
    /// - Parameters:
    ///   - url: An absolute URL.
    ///   - fields: Fields to send.
    ///   - protocols: Subprotocols; if there are none, those that `fields` names, if any.
    package init(url: String, fields: [HTTPField] = [], protocols: [String] = []) {
        self.url = url
        self.fields = fields
        let named = fields.values(named: "Sec-WebSocket-Protocol").flatMap(\.listElements)
        self.protocols = protocols.isEmpty ? named : protocols
    }

    /// The same URL with the scheme `http` or `https`.
    package var httpURL: String {
        guard let colon = url.firstIndex(of: ":") else { return url }
        switch url[..<colon].lowercased() {
        case "ws": return "http" + url[colon...]
        case "wss": return "https" + url[colon...]
        default: return url
        }
    }

    /// Returns the request as it is sent.
    ///
    /// - Parameters:
    ///   - key: The nonce of this handshake, as base64.
    ///   - userAgent: The `User-Agent`, if the request has none of its own.
    /// - Returns: The head of the request, which has no body.
    /// - Throws: ``HTTPError/Code/badURL`` for a URL that has no host.
    func bytes(key: String, userAgent: String?) throws(HTTPError) -> [UInt8] {
        let (path, authority) = try CurlURL.target(of: httpURL)
        var sent = sentFields
        func addDefault(_ name: String, _ value: String?) {
            guard let value, sent.first(named: name) == nil else { return }
            sent.insert(HTTPField(name: name, value: value), at: 0)
        }
        addDefault("User-Agent", userAgent)
        addDefault("Host", authority)
        sent += [
            HTTPField(name: "Connection", value: "Upgrade"),
            HTTPField(name: "Upgrade", value: "websocket"),
            HTTPField(name: "Sec-WebSocket-Key", value: key),
            HTTPField(name: "Sec-WebSocket-Version", value: "13"),
        ]
        if !protocols.isEmpty {
            let list = protocols.joined(separator: ", ")
            sent.append(HTTPField(name: "Sec-WebSocket-Protocol", value: list))
        }
        let lines = sent.map { "\($0.name): \($0.value)\r\n" }.joined()
        return Array("GET \(path) HTTP/1.1\r\n\(lines)\r\n".utf8)
    }

    /// Rejects a request that cannot be sent as it is.
    func check() throws(HTTPError) {
        try HTTPRequest(url: httpURL, fields: sentFields + proxyFields).checkIsSendable()
        for name in protocols {
            guard HTTPRequest.isToken(name) else {
                let message = "The subprotocol “\(name)” is not a token"
                throw HTTPError(code: .invalidRequest, message: message)
            }
        }
    }

    /// The request that the connection is made for.
    var connectionRequest: HTTPRequest {
        var request = HTTPRequest(url: httpURL, fields: proxyFields)
        request.asksForTrust = asksForTrust
        request.acceptsInvalidCertificates = acceptsInvalidCertificates
        request.identity = identity
        request.asksForIdentity = asksForIdentity
        return request
    }

    /// The fields for a proxy, which are sent with CONNECT only.
    var proxyFields: [HTTPField] {
        fields.filter { $0.isNamed(CurlFieldList.proxyFieldName) }
    }

    private var sentFields: [HTTPField] {
        fields.filter { field in !Self.ownNames.contains { field.isNamed($0) } }
    }

    /// The fields that belong to the handshake or to a proxy, or would announce a body.
    private static let ownNames = [
        "Connection", "Upgrade", "Sec-WebSocket-Accept", "Sec-WebSocket-Extensions",
        "Sec-WebSocket-Key", "Sec-WebSocket-Protocol", "Sec-WebSocket-Version", "Content-Length",
        "Transfer-Encoding", CurlFieldList.proxyFieldName,
    ]
}
