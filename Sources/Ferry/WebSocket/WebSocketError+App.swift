import FerryHTTP
import FerryTransfer
import Foundation

extension WebSocketError {
    /// Returns the error that an app receives.
    ///
    /// Apple's library reports errors in the WebSocket protocol as POSIX codes; their numbers are Linux's here.
    ///
    /// - Parameter url: The URL of the task.
    /// - Returns: A `URLError` or a `POSIXError`.
    func appError(url: URL?) -> any Error {
        switch code {
        case .transport:
            cause.map { URLError(TransferError($0), url: url) } ?? URLError(.unknown, url: url)
        case .refused: URLError(.badServerResponse, url: url, reason: message)
        case .protocolViolation: posixError(.EPROTO, url: url)
        case .messageTooBig: posixError(.EMSGSIZE, url: url)
        case .notConnected: posixError(.ENOTCONN, url: url)
        case .cancelled: URLError(.cancelled, url: url)
        }
    }

    private func posixError(_ code: POSIXError.Code, url: URL?) -> POSIXError {
        var userInfo: [String: Any] = [NSLocalizedFailureReasonErrorKey: message]
        userInfo[NSURLErrorFailingURLErrorKey] = url
        return POSIXError(code, userInfo: userInfo)
    }
}
