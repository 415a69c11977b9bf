import Foundation

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
