public import Foundation

// The name is Apple's:
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of a failed download's resume data in an error's user info.
///
/// In Swift, `URLError.downloadTaskResumeData` is simpler.
public let NSURLSessionDownloadTaskResumeData = "NSURLSessionDownloadTaskResumeData"

// The name is Apple's:
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of a failed upload's resume data in an error's user info.
///
/// In Swift, `URLError.uploadTaskResumeData` is simpler.
public let NSURLSessionUploadTaskResumeData = "NSURLSessionUploadTaskResumeData"

extension URLError {
    /// The data from which the failed or cancelled upload can be resumed.
    ///
    /// nil when it cannot be resumed: the server has not said that it can, has lost the bytes it had, or has all of
    /// them.
    public var uploadTaskResumeData: Data? {
        userInfo[NSURLSessionUploadTaskResumeData] as? Data
    }

    /// The data from which the failed or cancelled download can be resumed.
    ///
    /// nil when it cannot be resumed; see
    /// ``URLSessionDownloadTask/cancel(byProducingResumeData:)`` for the reasons.
    public var downloadTaskResumeData: Data? {
        userInfo[NSURLSessionDownloadTaskResumeData] as? Data
    }

    /// The reason for which the system cancelled a task of a background session; nil when it did not.
    public var backgroundTaskCancelledReason: BackgroundTaskCancelledReason? {
        (userInfo[NSURLErrorBackgroundTaskCancelledReasonKey] as? Int)
            .flatMap { BackgroundTaskCancelledReason(rawValue: $0) }
    }

    /// The reasons for which the system cancels tasks of background sessions.
    public enum BackgroundTaskCancelledReason: Int, Hashable, Sendable {
        /// The user has quit the application; see ``TransferDaemon/quit(application:)``.
        case userForceQuitApplication = 0
        /// Background transfers are switched off.
        case backgroundUpdatesDisabled = 1
        /// A resource is scarce: power, disk or network.
        case insufficientSystemResources = 2
    }
}
