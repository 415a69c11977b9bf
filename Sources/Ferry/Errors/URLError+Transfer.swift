package import FerryTransfer
package import Foundation
@preconcurrency import Glibc

extension URLError {
    /// Creates the error that an app receives for a failed transfer.
    ///
    /// - Parameters:
    ///   - error: The failure.
    ///   - url: The URL the task was loading.
    ///   - resumeData: The data from which the download or upload can be resumed.
    ///   - isBackground: Whether the task belongs to a background session.
    init(_ error: TransferError, url: URL?, resumeData: Data? = nil, isBackground: Bool = false) {
        self.init(
            error.code.urlErrorCode(isBackground: isBackground),
            url: error.failingURL.flatMap { URL(string: $0) } ?? url,
            reason: error.message,
            resumeData: resumeData,
            underlyingError: error.code.underlyingError
        )
    }

    /// Creates an error with the entries of Apple's errors, and the reason in words.
    ///
    /// Its `localizedDescription` is the reason as a sentence, or Apple's words for the code if there is none.
    init(
        _ code: Code,
        url: URL?,
        reason: String? = nil,
        resumeData: Data? = nil,
        underlyingError: (any Error)? = nil
    ) {
        var userInfo: [String: Any] = [
            NSLocalizedDescriptionKey: code.description(because: reason)
        ]
        userInfo[NSLocalizedFailureReasonErrorKey] = reason?.withoutSecrets
        userInfo[NSURLErrorFailingURLErrorKey] = url
        userInfo[Self.failingURLStringKey] = url?.absoluteString
        if let resumeData {
            let isUpload = UploadResumeData.isAround(resumeData)
            let key =
                isUpload
                ? NSURLSessionUploadTaskResumeData : NSURLSessionDownloadTaskResumeData
            userInfo[key] = resumeData
        }
        userInfo[NSUnderlyingErrorKey] = underlyingError
        self.init(code, userInfo: userInfo)
    }

    /// Returns a copy with one more entry in its user info.
    func adding(_ value: Any, forKey key: String) -> URLError {
        var userInfo = userInfo
        userInfo[key] = value
        return URLError(code, userInfo: userInfo)
    }

    /// The value of `NSURLErrorFailingURLStringErrorKey`, a name that Foundation deprecates although code
    /// written for Apple's systems still reads the entry.
    static let failingURLStringKey = "NSErrorFailingURLStringKey"
}

extension TransferError.Code {
    /// Returns the code that Apple's library uses for this failure.
    package func urlErrorCode(isBackground: Bool) -> URLError.Code {
        switch self {
        case .cancelled: .cancelled
        case .timedOut, .resourceTimedOut: .timedOut
        case .unsupportedURL, .redirectToNonHTTP: .unsupportedURL
        case .badURL: .badURL
        case .cannotFindHost: .cannotFindHost
        case .cannotConnectToHost: .cannotConnectToHost
        case .connectionLost, .answerLost: .networkConnectionLost
        case .uploadGone: .resourceUnavailable
        case .notConnected: .notConnectedToInternet
        case .tooManyRedirects: .httpTooManyRedirects
        case .secureConnectionFailed, .serverWithoutTLS: .secureConnectionFailed
        case .proxyAuthenticationRequired: .userAuthenticationRequired
        case .certificateUntrusted: .serverCertificateUntrusted
        case .certificateBadDate: .serverCertificateHasBadDate
        case .clientCertificateRejected: .clientCertificateRejected
        case .badServerResponse, .serverUnavailable, .errorResponse, .linkExpired,
            .answerDoubted:
            .badServerResponse
        case .cannotDecodeContent, .digestMismatch: .cannotDecodeContentData
        case .bodyUnreadable, .bodySpent: .requestBodyStreamExhausted
        case .cannotCreateFile: .cannotCreateFile
        case .cannotWriteToFile, .diskFull: .cannotWriteToFile
        case .fileMissing: .fileDoesNotExist
        case .fileChanged, .fileUnreachable: .cannotOpenFile
        case .fileUnreadable: .noPermissionsToReadFile
        case .responseTooLong: .dataLengthExceedsMaximum
        case .resumeDataInvalid: isBackground ? .cannotWriteToFile : .unsupportedURL
        case .backgroundSessionInUse: .backgroundSessionInUseByAnotherProcess
        case .backgroundSessionDisconnected: .backgroundSessionWasDisconnected
        case .outOfMemory, .internalFailure: .unknown
        }
    }

    /// The underlying system error, where the code of Apple's library does not express it.
    var underlyingError: (any Error)? {
        switch self {
        case .diskFull: NSError(domain: NSPOSIXErrorDomain, code: Int(ENOSPC))
        case .fileMissing: NSError(domain: NSPOSIXErrorDomain, code: Int(ENOENT))
        case .outOfMemory: NSError(domain: NSPOSIXErrorDomain, code: Int(ENOMEM))
        default: nil
        }
    }
}

extension URLError.Code {
    /// The description that Apple's library gives the error, for the codes that Ferry uses.
    var appleDescription: String {
        Self.appleDescriptions[self] ?? "The operation couldn’t be completed."
    }

    private static let appleDescriptions: [Self: String] = [
        .cancelled: "cancelled",
        .timedOut: "The request timed out.",
        .unsupportedURL: "unsupported URL",
        .badURL: "bad URL",
        .cannotFindHost: "A server with the specified hostname could not be found.",
        .cannotConnectToHost: "Could not connect to the server.",
        .networkConnectionLost: "The network connection was lost.",
        .notConnectedToInternet: "The Internet connection appears to be offline.",
        .httpTooManyRedirects: "too many HTTP redirects",
        .secureConnectionFailed:
            "An SSL error has occurred and a secure connection to the server cannot be made.",
        .userAuthenticationRequired: "user authentication required",
        .serverCertificateUntrusted: "The certificate for this server is invalid.",
        .serverCertificateHasBadDate: "The certificate for this server has expired.",
        .clientCertificateRejected: "The server did not accept the certificate.",
        .badServerResponse: "There was a bad response from the server.",
        .cannotDecodeRawData: "cannot decode raw data",
        .cannotDecodeContentData: "cannot decode raw data",
        .cannotCreateFile: "cannot create file",
        .cannotWriteToFile: "cannot write file",
        .cannotOpenFile: "cannot open file",
        .fileDoesNotExist: "The requested file was not found on this server.",
        .fileIsDirectory: "file is directory",
        .noPermissionsToReadFile: "You do not have permission to access the requested resource.",
        .dataLengthExceedsMaximum: "resource exceeds maximum size",
        .resourceUnavailable: "resource unavailable",
        .requestBodyStreamExhausted: "request body stream exhausted",
        .backgroundSessionInUseByAnotherProcess: "Background session in use by another process.",
        .backgroundSessionWasDisconnected: "Lost connection to background transfer service",
        .unknown: "unknown error",
    ]
}
