package import FerrySystem
import FoundationEssentials

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
        /// The response was another than 200 or 206, was decoded, or refuses ranges.
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
        guard checkpoint.version.hasResumeData else { throw .noValidator }
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

extension ResumeData {
    private static let envelope = ResumeDataEnvelope(magic: "FerryRD", version: 1)
    /// The envelope for a file that is not filled in order: a reader that does not know such files must not
    /// adopt it.
    private static let segmentedEnvelope = ResumeDataEnvelope(magic: "FerryRD", version: 2)

    /// Whether the file is not filled in order.
    private var isSegmented: Bool { checkpoint.segments != nil }

    /// The blob for the app: magic, version, checksum of the rest, JSON.
    package func encoded() throws(TransferError) -> [UInt8] {
        do {
            let envelope = isSegmented ? Self.segmentedEnvelope : Self.envelope
            return envelope.wrap(Array(try JSONEncoder().encode(self)))
        } catch {
            throw TransferError(code: .internalFailure, message: "resume data: \(error)")
        }
    }

    /// Reads a blob.
    ///
    /// - Throws: ``TransferError/Code/resumeDataInvalid`` with the reason.
    package init(decoding blob: [UInt8]) throws(TransferError) {
        let isSegmented = Self.segmentedEnvelope.isOf(blob)
        let content = try (isSegmented ? Self.segmentedEnvelope : Self.envelope).unwrap(blob)
        let decoded: ResumeData
        do {
            decoded = try JSONDecoder().decode(ResumeData.self, from: Data(content))
        } catch {
            throw ResumeDataEnvelope.invalid("its content is not understood: \(error)")
        }
        if let reason = decoded.contradiction { throw ResumeDataEnvelope.invalid(reason) }
        guard decoded.isSegmented == isSegmented else {
            throw ResumeDataEnvelope.invalid("it is damaged")
        }
        self = decoded
    }

    /// Why the content cannot be what ``encoded()`` was given, or `nil`.
    private var contradiction: String? {
        guard request.isResumable, Origin(url: request.url) != nil else {
            return "its request cannot be continued"
        }
        guard path.hasPrefix("/") else { return "its path is relative" }
        guard checkpoint.version.hasResumeData, checkpoint.writtenByteCount > 0,
            (0...checkpoint.writtenByteCount).contains(checkpoint.synchronizedByteCount),
            checkpoint.writtenByteCount <= checkpoint.totalByteCount ?? .max
        else { return "its numbers contradict each other" }
        if let segments = checkpoint.segments {
            guard segments.written.byteCount == checkpoint.writtenByteCount,
                segments.written.contains(segments.synchronized),
                segments.synchronized.prefixByteCount == checkpoint.synchronizedByteCount,
                segments.written.upperBound <= checkpoint.totalByteCount ?? 0
            else { return "its ranges contradict each other" }
        }
        return nil
    }
}
