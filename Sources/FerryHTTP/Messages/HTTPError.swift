/// An error that ends an exchange.
package struct HTTPError: Error, Hashable, Sendable {
    /// The class of a failure, for programs to act on.
    package enum Code: String, Hashable, Sendable, Codable, CaseIterable {
        /// The URL's scheme is not `http` or `https`.
        case unsupportedURL
        /// The URL cannot be parsed.
        case badURL
        /// The request cannot be put on the wire: a method or field with forbidden characters.
        case invalidRequest
        /// The host's name does not resolve.
        case cannotFindHost
        /// No connection to the host or proxy could be made.
        case cannotConnectToHost
        /// The connection broke before the response was complete.
        case connectionLost
        /// This machine has no route to any network.
        case notConnectedToInternet
        /// Nothing arrived for as long as the request allows.
        case timedOut
        /// TLS could not be set up with the server.
        case secureConnectionFailed
        /// The server's answer in the TLS handshake is not TLS.
        case serverWithoutTLS
        /// A proxy refuses a tunnel to an `https` server without a password.
        case proxyAuthenticationRequired
        /// The server's certificate is not signed by a trusted authority, or is for another host.
        case serverCertificateUntrusted
        /// The server's certificate has expired or is not valid yet.
        case serverCertificateHasBadDate
        /// The handler wants to be asked again whether to trust the server, with more time to answer.
        case serverTrustUndecided
        /// The handler wants to be asked again for a client certificate, with more time to answer.
        case clientCertificateUndecided
        /// The request's identity cannot be read, or not with its passphrase.
        case clientCertificateUnusable
        /// The server refuses to continue because of the client's certificate, or because there is none.
        case clientCertificateRejected
        /// The server's response is not HTTP.
        case badServerResponse
        /// The response's header exceeds the client's limit.
        case headersTooLarge
        /// The body ended before its announced length.
        case bodyTooShort
        /// The body's coding is broken or unknown.
        case cannotDecodeContent
        /// The request's body cannot be read from its source.
        case bodyUnreadable
        /// The request's body must be sent again, and its source cannot seek.
        case bodySpent
        /// The receiver of the body could not take it.
        case writeFailed
        /// The handler answered ``HTTPBodyDisposition/cancel``.
        case aborted
        /// Memory ran out.
        case outOfMemory
        /// Anything else; ``HTTPError/curlCode`` and the message tell more.
        case other
    }

    /// The failure's class.
    package var code: Code
    /// A human-readable description of the failure.
    package var message: String
    /// The result code of libcurl (`CURLE_…`) behind this, or 0 when there is none.
    package var curlCode: Int32

    /// Makes an error from its parts.
    package init(code: Code, message: String, curlCode: Int32 = 0) {
        self.code = code
        self.message = message
        self.curlCode = curlCode
    }
}
