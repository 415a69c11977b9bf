import FerryTransfer
import FerryWire
import Foundation

extension URLError {
    /// The error of a task that has ended; nil when all went well.
    init?(_ event: Wire.Event, url: URL?) {
        guard event.failure != nil || event.cancelReason != nil else { return nil }
        let code = event.failure.map { TransferError.Code(rawValue: $0.code) ?? .internalFailure }
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

    /// The error of a task that the daemon has refused to take.
    init(_ error: TransferDaemonError, url: URL?) {
        let code: Code =
            switch error.code {
            case .storeUnavailable: .cannotWriteToFile
            case .notRunning, .cannotStart, .disconnected: .backgroundSessionWasDisconnected
            default: .unknown
            }
        self.init(code, url: url, reason: error.message, underlyingError: error)
    }
}
