import CCurl
import Glibc

extension HTTPError {
    /// Makes an error from libcurl's report.
    init(_ failure: CurlFailure) {
        self.init(
            code: Code(failure),
            message: failure.isPlainAnswer
                ? "The server does not speak TLS: its answer is not a TLS record" : failure.text,
            curlCode: Int32(bitPattern: failure.code)
        )
    }
}

extension HTTPError.Code {
    /// The class of a failure; a result that does not apply to HTTP is ``other``.
    init(_ failure: CurlFailure) {
        self =
            switch CURLcode(rawValue: failure.code) {
            case CURLE_UNSUPPORTED_PROTOCOL:
                // The scheme was checked before, so the response is not HTTP/1.
                .badServerResponse
            case CURLE_URL_MALFORMAT: .badURL
            case CURLE_COULDNT_RESOLVE_HOST where failure.isOffline,
                CURLE_COULDNT_RESOLVE_PROXY where failure.isOffline:
                .notConnectedToInternet
            case CURLE_COULDNT_RESOLVE_HOST: .cannotFindHost
            case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY, CURLE_NO_CONNECTION_AVAILABLE,
                CURLE_INTERFACE_FAILED:
                .cannotConnectToHost
            case CURLE_COULDNT_CONNECT: Self(connectError: failure.systemError)
            case CURLE_OPERATION_TIMEDOUT: .timedOut
            case CURLE_WEIRD_SERVER_REPLY, CURLE_CHUNK_FAILED, CURLE_TOO_MANY_REDIRECTS,
                CURLE_HTTP_RETURNED_ERROR, CURLE_RANGE_ERROR:
                .badServerResponse
            case CURLE_PARTIAL_FILE: .bodyTooShort
            case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_SEND_FAIL_REWIND,
                CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_HTTP3, CURLE_AGAIN:
                .connectionLost
            case CURLE_WRITE_ERROR: .writeFailed
            case CURLE_ABORTED_BY_CALLBACK: .aborted
            case CURLE_BAD_CONTENT_ENCODING: .cannotDecodeContent
            case CURLE_OUT_OF_MEMORY:
                // Up to version 8.5 this is also the result for a field that exceeds 100 KiB.
                failure.hasHead ? .outOfMemory : .headersTooLarge
            // The kernel cannot watch one more descriptor.
            case CURLE_UNRECOVERABLE_POLL: .outOfMemory
            case Self.tooLarge: .headersTooLarge
            case CURLE_PEER_FAILED_VERIFICATION:
                Self(certificateVerdict: failure.certificateVerdict)
            case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
                CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_CRL_BADFILE:
                .serverCertificateUntrusted
            case CURLE_SSL_CERTPROBLEM: .clientCertificateUnusable
            case CURLE_SSL_CLIENTCERT: .clientCertificateRejected
            case CURLE_SSL_CONNECT_ERROR where failure.isPlainAnswer: .serverWithoutTLS
            case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_NOTFOUND,
                CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_SHUTDOWN_FAILED,
                CURLE_USE_SSL_FAILED,
                CURLE_QUIC_CONNECT_ERROR, CURLE_AUTH_ERROR:
                .secureConnectionFailed
            default: .other
            }
    }

    /// `CURLE_TOO_LARGE`, which is newer than the headers that this is built with.
    private static let tooLarge = CURLcode(rawValue: 100)

    private init(connectError: Int32) {
        self =
            switch connectError {
            case ENETUNREACH, ENETDOWN: .notConnectedToInternet
            default: .cannotConnectToHost
            }
    }

    /// OpenSSL's `X509_V_ERR_CERT_NOT_YET_VALID` and `X509_V_ERR_CERT_HAS_EXPIRED`.
    private init(certificateVerdict: Int) {
        self =
            switch certificateVerdict {
            case 9, 10: .serverCertificateHasBadDate
            default: .serverCertificateUntrusted
            }
    }
}

/// libcurl's report of a failed transfer.
struct CurlFailure {
    /// The result (`CURLE_…`), as a number: later versions have results without names here.
    var code: UInt32
    /// The value of `errno` behind it, or 0.
    var systemError: Int32
    /// OpenSSL's verdict on the server's certificate (`X509_V_…`), 0 for none or a good one.
    var certificateVerdict: Int
    /// Whether the final response's head had arrived.
    var hasHead: Bool
    /// The failure in words.
    var text: String
    /// Whether no route leads off this machine, if that was checked.
    var isOffline = false

    /// Whether the first answer in a TLS handshake was no TLS record (RFC 8446 §5.1).
    ///
    /// OpenSSL has these reasons for a header with another version than 3, such as any text, and with an impossible length:
    /// `SSL_R_WRONG_VERSION_NUMBER` and `SSL_R_PACKET_LENGTH_TOO_LONG`. A server that speaks TLS, but not a version that is
    /// allowed, says so in an alert. An end or a reset without any answer is no proof.
    var isPlainAnswer: Bool {
        ["wrong version number", "packet length too long"].contains { text.contains($0) }
    }
}
