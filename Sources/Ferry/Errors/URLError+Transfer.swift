import FerryTransfer
import Foundation
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
    init(
        _ code: Code,
        url: URL?,
        reason: String? = nil,
        resumeData: Data? = nil,
        underlyingError: (any Error)? = nil
    ) {
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: code.appleDescription]
        userInfo[NSLocalizedFailureReasonErrorKey] = reason
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
    func urlErrorCode(isBackground: Bool) -> URLError.Code {
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
        case .secureConnectionFailed: .secureConnectionFailed
        case .certificateUntrusted: .serverCertificateUntrusted
        case .certificateBadDate: .serverCertificateHasBadDate
        case .clientCertificateRejected: .clientCertificateRejected
        case .badServerResponse, .serverUnavailable, .errorResponse, .linkExpired:
            .badServerResponse
        case .cannotDecodeContent, .digestMismatch: .cannotDecodeContentData
        case .bodyUnreadable, .bodySpent: .requestBodyStreamExhausted
        case .cannotCreateFile: .cannotCreateFile
        case .cannotWriteToFile, .diskFull: .cannotWriteToFile
        case .fileMissing: .fileDoesNotExist
        case .fileChanged: .cannotOpenFile
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
