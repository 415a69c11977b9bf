import FerryTransfer
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

extension URLError {
    /// The reason why a failed or cancelled download cannot be resumed.
    ///
    /// Ferry's own: Apple's library provides no resume data and no reason.
    public enum ResumeDataRefusal: String, Hashable, Sendable, CaseIterable {
        /// The request is not a GET, has a body, or is itself a range request or a conditional request.
        case requestNotResumable
        /// No body has arrived.
        case nothingReceived
        /// The response had another status than 200 or 206, was decoded from the coding that was asked for, or refuses
        /// ranges.
        case noValidator
        /// The bytes that had arrived can no longer be read.
        case bytesLost

        init(_ reason: ResumeData.Unavailable) {
            switch reason {
            case .requestNotResumable: self = .requestNotResumable
            case .nothingReceived: self = .nothingReceived
            case .noValidator: self = .noValidator
            case .bytesLost: self = .bytesLost
            }
        }
    }

    /// The reason why a download's error has no ``downloadTaskResumeData``.
    ///
    /// nil if there is resume data, and if none was requested: after ``URLSessionTask/cancel()``.
    public var resumeDataRefusal: ResumeDataRefusal? {
        (userInfo[Self.resumeDataRefusalKey] as? String)
            .flatMap { ResumeDataRefusal(rawValue: $0) }
    }

    static let resumeDataRefusalKey = "FerryResumeDataRefusal"

    /// Returns the error with the reason why the download cannot be resumed.
    func adding(_ refusal: ResumeData.Unavailable?) -> URLError {
        guard let refusal else { return self }
        return adding(ResumeDataRefusal(refusal).rawValue, forKey: Self.resumeDataRefusalKey)
    }
}
