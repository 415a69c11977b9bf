package import FerryHTTP
package import FerrySystem
import Glibc

/// An error that ends one attempt at a transfer, or the transfer.
package struct TransferError: Error, Hashable, Sendable, Codable {
    /// The class of a failure, for programs to act on.
    package enum Code: String, Hashable, Sendable, Codable, CaseIterable {
        /// The transfer was cancelled.
        case cancelled
        /// Nothing arrived for as long as the request allows.
        case timedOut
        /// The transfer was not complete by its deadline.
        case resourceTimedOut
        /// The URL's scheme is not `http` or `https`.
        case unsupportedURL
        /// The URL, or the request made of it, cannot be sent.
        case badURL
        /// The host's name does not resolve.
        case cannotFindHost
        /// No connection to the host or proxy could be made.
        case cannotConnectToHost
        /// The connection broke before the body was complete.
        case connectionLost
        /// This machine has no route to any network.
        case notConnected
        /// The server redirects more often than allowed.
        case tooManyRedirects
        /// The server redirects to something that is not `http` or `https`.
        case redirectToNonHTTP
        /// TLS could not be set up with the server.
        case secureConnectionFailed
        /// The server does not speak TLS: what is at this port is not `https`.
        case serverWithoutTLS
        /// A proxy refuses a tunnel to an `https` server without a password.
        case proxyAuthenticationRequired
        /// The server's certificate is not signed by a trusted authority, or is for another host.
        case certificateUntrusted
        /// The server's certificate has expired or is not valid yet.
        case certificateBadDate
        /// The client's certificate cannot be read, or the server rejects it or requires one.
        case clientCertificateRejected
        /// The server's response is not HTTP, or contradicts itself.
        case badServerResponse
        /// The server answers that it cannot serve the request now (408, 429, 5xx).
        case serverUnavailable
        /// The server returned an error response, whose body the app does not want.
        case errorResponse
        /// The server's response says that the address has expired.
        case linkExpired
        /// The server's response may not be about the resource whose bytes are here.
        case answerDoubted
        /// The bytes do not match their digest.
        case digestMismatch
        /// The body's coding is broken or unknown.
        case cannotDecodeContent
        /// The file for the body cannot be created or opened.
        case cannotCreateFile
        /// The file for the body cannot be written.
        case cannotWriteToFile
        /// The file system of the file for the body has no room.
        case diskFull
        /// A file that the transfer needs does not exist, or no longer exists.
        case fileMissing
        /// A file that is sent, or being filled, was changed by another program.
        case fileChanged
        /// The user may not read the file to be sent.
        case fileUnreadable
        /// The disk with the file is missing or does not respond, which may be temporary.
        case fileUnreachable
        /// The response's body is longer than the limit.
        case responseTooLong
        /// The resume data is not Ferry's, damaged, or of a later version.
        case resumeDataInvalid
        /// Another process has the background session open.
        case backgroundSessionInUse
        /// The connection to the daemon was lost.
        case backgroundSessionDisconnected
        /// The request's body cannot be read from its source.
        case bodyUnreadable
        /// The request's body must be sent again, but can be read only once.
        case bodySpent
        /// The server no longer knows the upload that it had a part of.
        case uploadGone
        /// The upload is complete, and its answer was lost with the connection.
        case answerLost
        /// Memory ran out.
        case outOfMemory
        /// An internal fault, which ends this transfer and no other.
        case internalFailure
    }

    /// The failure's class.
    package var code: Code
    /// A human-readable description of the failure.
    package var message: String
    /// The number of seconds from now to the earliest retry, if the server states it.
    package var retryAfter: Double?
    /// The URL that failed if it is not the request's, such as the redirect not followed.
    package var failingURL: String?
    /// Whether the transfer holds bytes of earlier attempts, for which a server was good; `false` by default.
    package var holdsBytes: Bool

    /// Makes an error from its parts.
    package init(
        code: Code,
        message: String,
        retryAfter: Double? = nil,
        failingURL: String? = nil,
        holdsBytes: Bool = false
    ) {
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
        self.failingURL = failingURL
        self.holdsBytes = holdsBytes
    }
}

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
        case .serverWithoutTLS: self = .serverWithoutTLS
        case .proxyAuthenticationRequired: self = .proxyAuthenticationRequired
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

extension TransferError {
    /// What was being done to a file when a system call failed.
    package enum FileOperation: Hashable, Sendable, CaseIterable {
        /// Creating or moving it.
        case create
        /// Opening or reading a file that should exist.
        case open
        /// Opening or reading the app's file, to send it.
        case read
        /// Writing, truncating or synchronizing it.
        case write
    }

    /// Translates a system call that failed on the file for the body.
    package init(_ error: SystemCallError, during operation: FileOperation) {
        self.init(
            code: Self.code(forErrno: error.errno, during: operation),
            message: error.description
        )
    }

    private static func code(forErrno errno: Int32, during operation: FileOperation) -> Code {
        switch (errno, operation) {
        // To the user, a quota is a disk of its own (quotactl(2)).
        case (ENOSPC, _), (EDQUOT, _): .diskFull
        // A shortage of descriptors is temporary, as one of memory is.
        case (ENOMEM, _), (EMFILE, _), (ENFILE, _): .outOfMemory
        case (ENOENT, .open), (ENOENT, .read), (ENOTDIR, .read): .fileMissing
        case (EACCES, .read), (EPERM, .read): .fileUnreadable
        case (_, .read): .bodyUnreadable
        case (_, .create), (_, .open): .cannotCreateFile
        case (_, .write): .cannotWriteToFile
        }
    }
}
