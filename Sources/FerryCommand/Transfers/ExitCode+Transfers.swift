import Ferry
import FerryTransfer
import Foundation

extension ExitCode {
    /// The exit code of a transfer that has ended.
    init(_ outcome: Outcome) {
        self = if case .failed(let reason) = outcome { ExitCode(reason) } else { .success }
    }

    /// The exit code of a transfer that failed for a reason.
    init(_ reason: Outcome.Reason) {
        self = Self.ofCommand[reason.code] ?? Self.ofTransfers[reason.code] ?? .failure
    }

    /// Returns the exit code of two transfers, or of more with those that were joined before.
    func joined(with other: ExitCode) -> ExitCode {
        if self == .success || self == other { return other }
        return other == .success ? self : .failure
    }

    /// Whether transfers have failed.
    var isFailure: Bool { self != .success && self != .interrupted }

    /// The exit codes for the names of the command's own reasons.
    private static let ofCommand: [String: ExitCode] = [
        "cannotPlace": .fileUnusable, "fileMissing": .fileUnusable, "write": .fileUnusable,
        "httpStatus": .badResponse, "range": .badResponse, "changed": .badResponse,
    ]

    /// The exit codes for the failures of transfers, by ferryd's names and by the session's codes.
    private static let ofTransfers: [String: ExitCode] = {
        var codes: [String: ExitCode] = [:]
        for failure in TransferError.Code.allCases {
            codes[failure.rawValue] = ExitCode(failure)
            codes["\(failure.urlErrorCode(isBackground: true).rawValue)"] = ExitCode(failure)
        }
        return codes
    }()

    private init(_ failure: TransferError.Code) {
        self =
            switch failure {
            case .cannotCreateFile, .cannotWriteToFile, .diskFull, .fileMissing, .fileChanged,
                .fileUnreadable, .fileUnreachable, .resumeDataInvalid:
                .fileUnusable
            case .timedOut, .resourceTimedOut, .cannotFindHost, .cannotConnectToHost,
                .connectionLost, .notConnected, .answerLost, .proxyAuthenticationRequired:
                .noConnection
            case .secureConnectionFailed, .serverWithoutTLS, .certificateUntrusted,
                .certificateBadDate, .clientCertificateRejected:
                .tlsFailed
            case .badServerResponse, .serverUnavailable, .errorResponse, .linkExpired,
                .answerDoubted, .uploadGone, .tooManyRedirects, .responseTooLong:
                .badResponse
            case .digestMismatch, .cannotDecodeContent: .wrongContent
            case .cancelled, .unsupportedURL, .badURL, .redirectToNonHTTP, .bodyUnreadable,
                .bodySpent, .backgroundSessionInUse, .backgroundSessionDisconnected,
                .outOfMemory, .internalFailure:
                .failure
            }
    }
}
