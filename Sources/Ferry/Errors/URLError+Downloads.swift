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
    /// What the failed or cancelled upload can be continued from.
    ///
    /// nil when it cannot be continued: the server has not said that it can, has lost what it had, or has all.
    public var uploadTaskResumeData: Data? {
        userInfo[NSURLSessionUploadTaskResumeData] as? Data
    }

    /// What the failed or cancelled download can be continued from.
    ///
    /// nil when it cannot be continued; see
    /// ``URLSessionDownloadTask/cancel(byProducingResumeData:)`` for the reasons.
    public var downloadTaskResumeData: Data? {
        userInfo[NSURLSessionDownloadTaskResumeData] as? Data
    }

    /// Why the system has cancelled a task of a background session; nil when it has not.
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
        /// There is too little of something: power, disk, network.
        case insufficientSystemResources = 2
    }
}
