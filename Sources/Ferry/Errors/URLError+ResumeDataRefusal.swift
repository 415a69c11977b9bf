import FerryTransfer
public import Foundation

extension URLError {
    /// Why a download that has failed or was cancelled cannot be continued.
    ///
    /// Ferry's own: Apple's library only has no resume data then.
    public enum ResumeDataRefusal: String, Hashable, Sendable, CaseIterable {
        /// The request is no GET, has a body, or asks for a part, or under a condition, itself.
        case requestNotResumable
        /// No body has arrived.
        case nothingReceived
        /// The response has neither a strong ETag nor a Last-Modified date that can be relied on, is compressed, or
        /// refuses ranges.
        case noValidator
        /// The bytes that had arrived cannot be read any more.
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

    /// Why there is no ``downloadTaskResumeData`` in the error of a download.
    ///
    /// nil where there is resume data, and where nobody asked for any: after ``URLSessionTask/cancel()``.
    public var resumeDataRefusal: ResumeDataRefusal? {
        (userInfo[Self.resumeDataRefusalKey] as? String)
            .flatMap { ResumeDataRefusal(rawValue: $0) }
    }

    static let resumeDataRefusalKey = "FerryResumeDataRefusal"

    /// The error of a download that cannot be continued for a reason.
    func adding(_ refusal: ResumeData.Unavailable?) -> URLError {
        guard let refusal else { return self }
        return adding(ResumeDataRefusal(refusal).rawValue, forKey: Self.resumeDataRefusalKey)
    }
}
