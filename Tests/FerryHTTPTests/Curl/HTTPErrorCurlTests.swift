import FerryHTTP
import Glibc
import Testing

@testable import FerryHTTP

@Suite(.timeLimit(.minutes(5))) struct HTTPErrorCurlTests {
    struct Row: CustomTestStringConvertible, Sendable {
        /// The name in libcurl's manual, for those who read a failure.
        var name: String
        var code: UInt32
        var systemError: Int32
        var verdict: Int
        var hasHead: Bool
        var expected: HTTPError.Code

        init(
            _ name: String,
            _ code: UInt32,
            systemError: Int32 = 0,
            verdict: Int = 0,
            hasHead: Bool = false,
            expected: HTTPError.Code
        ) {
            self.name = name
            self.code = code
            self.systemError = systemError
            self.verdict = verdict
            self.hasHead = hasHead
            self.expected = expected
        }

        var testDescription: String { "\(name), \(systemError), \(verdict) → \(expected)" }
    }

    static let rows = [
        Row("CURLE_UNSUPPORTED_PROTOCOL", 1, expected: .badServerResponse),
        Row("CURLE_FAILED_INIT", 2, expected: .other),
        Row("CURLE_URL_MALFORMAT", 3, expected: .badURL),
        Row("CURLE_COULDNT_RESOLVE_PROXY", 5, expected: .cannotConnectToHost),
        Row("CURLE_COULDNT_RESOLVE_HOST", 6, expected: .cannotFindHost),
        Row("CURLE_COULDNT_CONNECT", 7, expected: .cannotConnectToHost),
        Row(
            "CURLE_COULDNT_CONNECT",
            7,
            systemError: ECONNREFUSED,
            expected: .cannotConnectToHost
        ),
        Row(
            "CURLE_COULDNT_CONNECT",
            7,
            systemError: EHOSTUNREACH,
            expected: .cannotConnectToHost
        ),
        Row(
            "CURLE_COULDNT_CONNECT",
            7,
            systemError: ENETUNREACH,
            expected: .notConnectedToInternet
        ),
        Row(
            "CURLE_COULDNT_CONNECT",
            7,
            systemError: ENETDOWN,
            expected: .notConnectedToInternet
        ),
        Row("CURLE_WEIRD_SERVER_REPLY", 8, expected: .badServerResponse),
        Row("CURLE_HTTP2", 16, expected: .connectionLost),
        Row("CURLE_PARTIAL_FILE", 18, expected: .bodyTooShort),
        Row("CURLE_WRITE_ERROR", 23, expected: .writeFailed),
        Row("CURLE_OUT_OF_MEMORY", 27, hasHead: true, expected: .outOfMemory),
        Row("CURLE_OUT_OF_MEMORY", 27, hasHead: false, expected: .headersTooLarge),
        Row("CURLE_OPERATION_TIMEDOUT", 28, expected: .timedOut),
        Row("CURLE_SSL_CONNECT_ERROR", 35, expected: .secureConnectionFailed),
        Row("CURLE_ABORTED_BY_CALLBACK", 42, expected: .aborted),
        Row("CURLE_GOT_NOTHING", 52, expected: .connectionLost),
        Row("CURLE_SEND_ERROR", 55, expected: .connectionLost),
        Row("CURLE_RECV_ERROR", 56, expected: .connectionLost),
        Row("CURLE_SSL_CERTPROBLEM", 58, expected: .clientCertificateUnusable),
        Row("CURLE_SSL_CIPHER", 59, expected: .secureConnectionFailed),
        Row(
            "CURLE_PEER_FAILED_VERIFICATION",
            60,
            verdict: 18,
            expected: .serverCertificateUntrusted
        ),
        Row(
            "CURLE_PEER_FAILED_VERIFICATION",
            60,
            verdict: 0,
            expected: .serverCertificateUntrusted
        ),
        Row(
            "CURLE_PEER_FAILED_VERIFICATION",
            60,
            verdict: 9,
            expected: .serverCertificateHasBadDate
        ),
        Row(
            "CURLE_PEER_FAILED_VERIFICATION",
            60,
            verdict: 10,
            expected: .serverCertificateHasBadDate
        ),
        Row("CURLE_BAD_CONTENT_ENCODING", 61, expected: .cannotDecodeContent),
        Row("CURLE_SEND_FAIL_REWIND", 65, expected: .connectionLost),
        Row("CURLE_SSL_CACERT_BADFILE", 77, expected: .serverCertificateUntrusted),
        Row("CURLE_NO_CONNECTION_AVAILABLE", 89, expected: .cannotConnectToHost),
        Row("CURLE_HTTP2_STREAM", 92, expected: .connectionLost),
        Row("CURLE_PROXY", 97, expected: .cannotConnectToHost),
        Row("CURLE_SSL_CLIENTCERT", 98, expected: .clientCertificateRejected),
        Row("CURLE_UNRECOVERABLE_POLL", 99, expected: .outOfMemory),
        Row("CURLE_TOO_LARGE", 100, expected: .headersTooLarge),
        Row("CURLE_FTP_WEIRD_PASV_REPLY", 13, expected: .other),
        Row("unknown", 4711, expected: .other),
    ]

    @Test(arguments: rows) func `each result has its class`(row: Row) {
        let error = HTTPError(
            CurlFailure(
                code: row.code,
                systemError: row.systemError,
                certificateVerdict: row.verdict,
                hasHead: row.hasHead,
                text: "in words"
            )
        )
        #expect(error.code == row.expected)
        #expect(error.curlCode == Int32(row.code))
        #expect(error.message == "in words")
    }
}
