import FerrySystem
import FerryTransfer
import FerryWire
import Foundation
import FoundationNetworking

/// The specification of an upload task of a background session, checked and translated for the layers below.
struct UploadTaskSpecification: Sendable {
    /// The request that sends the file.
    var request: TransferRequest
    /// The file, as it was when the task was made.
    var file: OutgoingFile
    /// The resume data of an earlier task.
    var resumeData: Data?

    /// Translates the app's request, and opens the file.
    ///
    /// - Throws: The error with which the task fails when it is resumed.
    init(
        _ request: URLRequest,
        sending url: URL,
        configuration: URLSessionConfiguration.Values
    ) throws(URLError) {
        self.request = try TransferRequest(
            request,
            body: .file(url),
            configuration: configuration,
            madeFor: nil
        )
        file = try OutgoingFile(url)
    }

    /// Opens the file of an upload that an earlier task has begun.
    ///
    /// - Throws: The error with which the task fails when it is resumed.
    init(
        _ resumption: UploadResumption,
        configuration: URLSessionConfiguration.Values
    ) throws(URLError) {
        guard case .file(let path, let identity, let boot) = resumption.resumeData.content else {
            throw URLError(
                .unsupportedURL,
                url: resumption.request.url,
                reason: "Only an upload from a file can be continued in a background session."
            )
        }
        try self.init(
            resumption.request,
            sending: URL(filePath: path, directoryHint: .notDirectory),
            configuration: configuration
        )
        request = resumption.resumeData.request
        resumeData = resumption.blob
        let now = file.identity
        guard now.hasContent(of: identity.carriedOver(from: boot, to: now)) else {
            throw URLError(
                TransferError(
                    code: .fileChanged,
                    message: "The file was changed after the upload was begun."
                ),
                url: resumption.request.url,
                isBackground: true
            )
        }
    }
}
