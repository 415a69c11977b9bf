import FerryTransfer
public import Foundation

extension URLError {
    /// The reason why a failed or cancelled download cannot be resumed.
    ///
    /// Ferry's own: Apple's library provides no resume data and no reason.
    public enum ResumeDataRefusal: String, Hashable, Sendable, CaseIterable {
        /// The request is not a GET, has a body, or is itself a range request or a conditional request.
        case requestNotResumable
        /// No body has arrived.
        case nothingReceived
        /// The response has neither a strong ETag nor a Last-Modified date that can be relied on, is compressed, or
        /// refuses ranges.
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
