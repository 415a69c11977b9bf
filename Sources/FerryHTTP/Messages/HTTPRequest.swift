/// One request, to be sent as it is: redirects, retries and cookies are decided above.
package struct HTTPRequest: Hashable, Sendable {
    /// The protocol to ask the server for.
    package enum ProtocolChoice: Hashable, Sendable {
        /// HTTP/1.1, which carries one large body at the lowest cost.
        case http1
        /// HTTP/2 where the server offers it over TLS, so that many small requests share one
        /// connection; HTTP/1.1 otherwise.
        case http2
    }

    /// An absolute URL with the scheme `http` or `https`.
    package var url: String
    /// The method, in the case in which it is sent.
    package var method: String
    /// The fields to send beside those that the protocol itself needs.
    ///
    /// A field given here replaces the one that would be sent by default (`User-Agent`, `Accept`,
    /// `Accept-Encoding: identity`).
    package var fields: [HTTPField]
    /// The bytes to send after the header; `nil` sends no body and no length.
    package var body: [UInt8]?
    /// The longest time in which nothing at all may arrive or leave; zero for no limit.
    ///
    /// Time spent paused, or waiting for a free connection of the client, does not count.
    package var idleTimeout: Duration
    /// The protocol to ask for.
    package var protocolChoice: ProtocolChoice

    /// Whether the exchange's handler decides on the server's certificates, in place of
    /// ``HTTPClient/Configuration/verifiesServer``; `false` by default.
    ///
    /// Who has decided so has done it for the whole connection, and for the sessions of TLS that
    /// begin on it: later requests that ask use both without a question, whatever handles them.
    /// Requests that do not ask never do.
    package var asksForTrust = false
    /// Who the client is, if a server wants to know; `nil`, the default, for no answer.
    ///
    /// Requests share connections, and sessions of TLS, with those of the same identity alone.
    package var identity: HTTPIdentity?
    /// Whether the exchange's handler is told that a server wants to know who its client is, if the
    /// request has no ``identity``; `false` by default: it goes on without one.
    ///
    /// A connection that has gone on without one, and the sessions of TLS that begin on it, are
    /// used for all later requests without an identity, also for those that would ask.
    package var asksForIdentity = false
    /// How much of the response is read at once, in bytes, from 1 KiB to what the client has anyway; `nil`, the
    /// default, for that: libcurl's `CURLOPT_BUFFERSIZE`.
    package var receiveBufferByteCount: Int?

    /// Makes a request; what cannot be sent is reported when it is started.
    package init(
        url: String,
        method: String = "GET",
        fields: [HTTPField] = [],
        body: [UInt8]? = nil,
        idleTimeout: Duration = .seconds(60),
        protocolChoice: ProtocolChoice = .http1
    ) {
        self.url = url
        self.method = method
        self.fields = fields
        self.body = body
        self.idleTimeout = idleTimeout
        self.protocolChoice = protocolChoice
    }
}

extension HTTPRequest {
    /// How a request sent to the host itself names what it wants (RFC 9112 §3.2.1 and §3.2.3).
    ///
    /// - Parameter url: An absolute URL.
    /// - Returns: The path with the query; and the host with its port, as a tunnel is asked for.
    /// - Throws: ``HTTPError/Code/badURL`` for a URL that cannot be requested.
    package static func target(
        of url: String
    ) throws(HTTPError) -> (path: String, tunnel: String) {
        try CurlURL.check(url)
        let path = try CurlURL.target(of: url).path
        return (path, try CurlURL.tunnelTarget(of: url))
    }
}
