import FerryTransfer
import Foundation
import FoundationNetworking

/// The specification of a download task, checked and translated for the layers below.
struct DownloadTaskSpecification: Sendable {
    /// The request to send.
    var request: TransferRequest
    /// The resume data of an earlier task.
    var resumption: Resumption?

    /// What a task continues from; an object, because it is large and few tasks have it.
    final class Resumption: Sendable {
        let blob: Data
        let resumeData: ResumeData

        init(blob: Data, resumeData: ResumeData) {
            self.blob = blob
            self.resumeData = resumeData
        }
    }

    /// Translates the app's request or resume data.
    ///
    /// - Throws: The error with which the task fails when it is resumed.
    init(
        _ source: DownloadSource,
        configuration: borrowing URLSessionConfiguration.Values
    ) throws(URLError) {
        switch source {
        case .request(let request):
            self.request = try TransferRequest(
                request,
                configuration: configuration,
                madeFor: nil
            )
        case .resumeData(let blob):
            try configuration.requireUsableConnections(for: nil)
            do throws(TransferError) {
                let resumeData = try ResumeData(decoding: Array(blob))
                request = resumeData.request
                resumption = Resumption(blob: blob, resumeData: resumeData)
            } catch {
                throw URLError(error, url: nil, isBackground: configuration.isBackground)
            }
        }
    }
}

/// The source from which an app makes a download.
enum DownloadSource: Sendable {
    case request(URLRequest)
    case resumeData(Data)

    /// Returns the request of the task as the app made it; for resume data, as it made it for the first task.
    func originalRequest(
        _ specification: Result<DownloadTaskSpecification, URLError>
    ) -> URLRequest? {
        switch self {
        case .request(let request): request
        case .resumeData: (try? specification.get()).map { URLRequest($0.request) }
        }
    }
}

extension Result {
    /// The error, if there is one.
    var failure: Failure? {
        switch self {
        case .success: nil
        case .failure(let error): error
        }
    }
}
