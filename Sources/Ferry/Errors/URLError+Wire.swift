import FerryTransfer
import FerryWire
import Foundation

extension URLError {
    /// Creates the error of a task that has ended; nil if it succeeded.
    init?(_ event: Wire.Event, url: URL?) {
        guard event.failure != nil || event.cancelReason != nil else { return nil }
        let code = event.failure.map { $0.errorCode ?? .internalFailure }
        let refusal = event.resumeDataRefusal.flatMap { ResumeData.Unavailable(rawValue: $0) }
        let error = URLError(
            TransferError(code: code ?? .cancelled, message: event.failure?.message ?? ""),
            url: url,
            resumeData: event.resumeData,
            isBackground: true
        ).adding(refusal)
        guard let reason = event.cancelReason else {
            self = error
            return
        }
        self = error.adding(reason, forKey: NSURLErrorBackgroundTaskCancelledReasonKey)
    }

    /// Creates the error of a task that the daemon has refused.
    init(_ error: TransferDaemonError, url: URL?) {
        switch error.code {
        case .notRunning, .cannotStart, .disconnected:
            self.init(disconnectedBy: error, url: url)
        case .storeUnavailable:
            self.init(.cannotWriteToFile, url: url, reason: error.message, underlyingError: error)
        default:
            self.init(.unknown, url: url, reason: error.message, underlyingError: error)
        }
    }

    /// Creates the error for a daemon that is not available; its description says why, and what to do.
    init(disconnectedBy error: TransferDaemonError, url: URL?) {
        let code = Code.backgroundSessionWasDisconnected
        self = URLError(code, url: url, reason: error.message, underlyingError: error)
            .adding(
                "\(code.appleDescription): \(error.message)",
                forKey: NSLocalizedDescriptionKey
            )
    }
}
