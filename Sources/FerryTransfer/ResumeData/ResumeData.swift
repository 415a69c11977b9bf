package import FerrySystem

/// The data that an app keeps of a cancelled or failed download, to continue it later, in any session.
///
/// It names the partial file and says what is in it; the bytes stay in the file.
package struct ResumeData: Hashable, Sendable, Codable {
    /// Why there is no resume data for a download.
    package enum Unavailable: String, Error, Hashable, Sendable, CaseIterable {
        /// Only a GET without conditions or a range of its own can be continued.
        case requestNotResumable
        /// No body has arrived.
        case nothingReceived
        /// The response had no strong validator, was coded, or refuses ranges.
        case noValidator
        /// The received bytes can no longer be read.
        case bytesLost
    }

    /// The request as the app made it.
    package var request: TransferRequest
    /// The URL that the redirects led to.
    package var currentURL: String
    /// The checkpoint of the file.
    package var checkpoint: Checkpoint
    /// The absolute path of the partial file.
    package var path: String

    /// How many bytes need not be fetched again.
    package var byteCount: Int64 { checkpoint.writtenByteCount }

    /// Describes a partial file, as it is now and where it is now.
    ///
    /// - Parameters:
    ///   - request: The request as the app made it.
    ///   - currentURL: The URL that the redirects led to; the request's when `nil`.
    ///   - file: The file, recovered and at the place where it will stay.
    /// - Throws: Why the download cannot be continued.
    @LoopActor
    package init(
        request: TransferRequest,
        currentURL: String? = nil,
        file: PartialFile
    ) throws(Unavailable) {
        guard request.isResumable, Origin(url: request.url) != nil else {
            throw .requestNotResumable
        }
        guard let checkpoint = file.checkpoint, checkpoint.writtenByteCount > 0 else {
            throw .nothingReceived
        }
        guard checkpoint.validator != nil else { throw .noValidator }
        self.init(
            request: request,
            currentURL: currentURL ?? request.url,
            checkpoint: checkpoint,
            path: file.path
        )
    }

    init(request: TransferRequest, currentURL: String, checkpoint: Checkpoint, path: String) {
        self.request = request
        self.currentURL = currentURL
        self.checkpoint = checkpoint
        self.path = path
    }
}
