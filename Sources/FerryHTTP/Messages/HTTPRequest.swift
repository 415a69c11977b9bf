import FerrySystem

/// One request, to be sent as it is: redirects, retries and cookies are handled by the layers above.
package struct HTTPRequest: Hashable, Sendable {
    /// The protocol to ask the server for.
    package enum ProtocolChoice: Hashable, Sendable {
        /// HTTP/1.1, which carries one large body at the lowest cost.
        case http1
        /// HTTP/2 where the server offers it over TLS, so that many small requests share one
        /// connection; HTTP/1.1 otherwise, and for requests with a body.
        ///
        /// If a server answers before it has read a body, and resets the stream, libcurl 7.88 loses the answer or waits
        /// for ever (RFC 9113 §8.1). Measured with nginx, 2 000 requests: all with 70 000 bytes or more; with 5 bytes
        /// up to 3, on a busy machine.
        case http2
    }

    /// An absolute URL with the scheme `http` or `https`.
    package var url: String
    /// The method, in the case in which it is sent.
    package var method: String
    /// The fields to send in addition to those that the protocol itself needs.
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
    /// The longest time from the lookup of the host's name to the end of the TLS handshake; zero for no limit, and `nil`,
    /// the default, for that of ``HTTPClient/Configuration/connectTimeout``.
    ///
    /// If a host has several addresses, each gets a part of the time.
    package var connectTimeout: Duration?
    /// The number of bytes of the response's body per second that must arrive at least in each period of ``idleTimeout``.
    ///
    /// 0, the default, is for no minimum. Pauses do not count.
    package var minimumReceiveRate: Int64 = 0
    /// The protocol to ask for.
    package var protocolChoice: ProtocolChoice

    /// Whether any certificate of the server is accepted, without asking the exchange's handler; `false` by default.
    ///
    /// Requests that do not say so never use its connection. A proxy's certificate is verified in any case.
    package var acceptsInvalidCertificates = false
    /// Whether the exchange's handler decides on the server's certificates, in place of
    /// ``HTTPClient/Configuration/verifiesServer``; `false` by default.
    ///
    /// A decision is for the whole connection, and for the TLS sessions that begin on it: later requests that
    /// ask use both without being asked again, whatever their handler. Requests that do not ask never use
    /// them.
    package var asksForTrust = false
    /// The client's identity, for a server that requests one; `nil`, the default, for none.
    ///
    /// Requests share connections, and TLS sessions, only with requests of the same identity.
    package var identity: HTTPIdentity?
    /// Whether the exchange's handler decides when a server requests a certificate and the request has no
    /// ``identity``; `false`, the default, continues without one.
    ///
    /// A connection that has continued without one, and the TLS sessions that begin on it, are used for all
    /// later requests without an identity, including those that would ask.
    package var asksForIdentity = false
    /// The number of bytes of the response to read at once, from 1 KiB to the client's own value; `nil`, the
    /// default, for the client's value: libcurl's `CURLOPT_BUFFERSIZE`.
    package var receiveBufferByteCount: Int?

    /// Makes a request; one that cannot be sent is reported when it is started.
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
    /// Whether the URL's scheme is `https`.
    var isSecure: Bool { Self.isSecure(url) }

    /// Whether a URL's scheme is `https`, in any case.
    package static func isSecure(_ url: String) -> Bool {
        url.utf8.prefix(6).elementsEqual("https:".utf8) { byte, expected in
            byte == expected || (byte ^ 0x20 == expected && expected != UInt8(ascii: ":"))
        }
    }

    /// Whether a body has bytes, as far as its length is known.
    @LoopActor static func hasBytes(_ body: (any HTTPBodySource)?) -> Bool {
        body.map { $0.byteCount != 0 } ?? false
    }

    /// Returns the target of a request sent to the host itself (RFC 9112 §3.2.1 and §3.2.3).
    ///
    /// - Parameter url: An absolute URL.
    /// - Returns: The path with the query, and the host with its port, as CONNECT names it.
    /// - Throws: ``HTTPError/Code/badURL`` for a URL that cannot be requested.
    package static func target(
        of url: String
    ) throws(HTTPError) -> (path: String, tunnel: String) {
        try CurlURL.check(url)
        let path = try CurlURL.target(of: url).path
        return (path, try CurlURL.tunnelTarget(of: url))
    }
}

extension HTTPRequest {
    /// Rejects a request that cannot be sent as it is.
    func checkIsSendable() throws(HTTPError) {
        guard Self.isToken(method) else {
            throw HTTPError(code: .invalidRequest, message: "The method “\(method)” is not a token")
        }
        for field in fields {
            if let fault = field.fault { throw HTTPError(code: .invalidRequest, message: fault) }
        }
    }

    /// Whether a text is a token (RFC 9110 §5.6.2).
    static func isToken(_ text: String) -> Bool { !text.isEmpty && text.allBytes(isTokenByte) }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default:
            "!#$%&'*+.^_`|~".utf8.contains(byte)
        }
    }
}

extension String {
    /// Whether each byte fulfils a condition; in the bytes themselves, as every request is checked.
    @inline(__always)
    func allBytes(_ isValid: (UInt8) -> Bool) -> Bool {
        utf8.withContiguousStorageIfAvailable { $0.allSatisfy(isValid) }
            ?? utf8.allSatisfy(isValid)
    }
}
