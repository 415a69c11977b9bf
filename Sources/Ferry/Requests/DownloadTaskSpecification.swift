import FerryTransfer
import Foundation
import FoundationNetworking

/// What a download task is to do, translated for the layers below and checked.
struct DownloadTaskSpecification: Sendable {
    /// What is asked for.
    var request: TransferRequest
    /// What an earlier task has left.
    var resumption: Resumption?

    struct Resumption: Sendable {
        var blob: Data
        var resumeData: ResumeData
    }

    /// Translates what the app has given.
    ///
    /// - Throws: What the task fails with when it is resumed.
    init(
        _ source: DownloadSource,
        configuration: URLSessionConfiguration.Values
    ) throws(URLError) {
        switch source {
        case .request(let request):
            self.request = try TransferRequest(
                request,
                configuration: configuration,
                madeFor: nil
            )
        case .resumeData(let blob):
            try configuration.requireUsableProxy(for: nil)
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

/// What an app makes a download from.
enum DownloadSource: Sendable {
    case request(URLRequest)
    case resumeData(Data)

    /// The request of the task, as the app made it: for resume data, as it made it for the first task.
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
