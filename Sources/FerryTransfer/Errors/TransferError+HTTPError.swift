package import FerryHTTP

extension TransferError {
    /// Translates the error that ended an exchange.
    package init(_ error: HTTPError) {
        self.init(code: Code(error.code), message: error.message)
    }
}

extension TransferError.Code {
    /// Translates the code of an exchange's failure.
    package init(_ code: HTTPError.Code) {
        switch code {
        case .unsupportedURL: self = .unsupportedURL
        case .badURL, .invalidRequest: self = .badURL
        case .cannotFindHost: self = .cannotFindHost
        case .cannotConnectToHost: self = .cannotConnectToHost
        case .connectionLost, .bodyTooShort: self = .connectionLost
        case .notConnectedToInternet: self = .notConnected
        case .timedOut: self = .timedOut
        case .clientCertificateUnusable, .clientCertificateRejected:
            self = .clientCertificateRejected
        case .secureConnectionFailed, .clientCertificateUndecided:
            self = .secureConnectionFailed
        case .serverCertificateUntrusted, .serverTrustUndecided: self = .certificateUntrusted
        case .serverCertificateHasBadDate: self = .certificateBadDate
        case .badServerResponse, .headersTooLarge: self = .badServerResponse
        case .cannotDecodeContent: self = .cannotDecodeContent
        case .bodyUnreadable: self = .bodyUnreadable
        case .bodySpent: self = .bodySpent
        case .outOfMemory: self = .outOfMemory
        // A download writes its file itself and never asks for an exchange to be aborted, so these two are
        // internal faults; so is any other code.
        case .writeFailed, .aborted, .other: self = .internalFailure
        }
    }
}
