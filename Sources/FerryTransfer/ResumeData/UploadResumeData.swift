package import FerrySystem
package import FoundationEssentials

/// The data that an app keeps of a cancelled or failed upload, to continue it later, in any session.
///
/// It names the resource at the server and the body; a file stays where it is, while the app's bytes are
/// included.
package struct UploadResumeData: Hashable, Sendable, Codable {
    /// Where the body comes from.
    package enum Content: Hashable, Sendable, Codable {
        /// From a file, which must be unchanged.
        case file(path: String, identity: FileIdentity, boot: BootIdentifier)
        /// From the request.
        case bytes
        /// From the app's delegate.
        case stream
    }

    /// The identifier of the data, which is valid for one task.
    package var identifier: UUID
    /// The request as the app made it.
    package var request: TransferRequest
    /// The resource that the server has created for the upload.
    package var resource: UploadResource
    /// Where the body comes from.
    package var content: Content

    /// Describes an upload.
    package init(
        request: TransferRequest,
        resource: UploadResource,
        content: Content,
        identifier: UUID = UUID()
    ) {
        self.identifier = identifier
        self.request = request
        self.resource = resource
        self.content = content
    }

    private static let envelope = ResumeDataEnvelope(magic: "FerryUD", version: 1)

    /// The blob for the app: magic, version, checksum of the rest, JSON.
    package func encoded() throws(TransferError) -> [UInt8] {
        do {
            return Self.envelope.wrap(Array(try JSONEncoder().encode(self)))
        } catch {
            throw TransferError(code: .internalFailure, message: "resume data: \(error)")
        }
    }

    /// Whether a blob claims to be resume data of an upload.
    package static func isAround(_ blob: some Collection<UInt8>) -> Bool {
        blob.starts(with: envelope.magic.utf8)
    }

    /// Reads a blob.
    ///
    /// - Throws: ``TransferError/Code/resumeDataInvalid`` with the reason.
    package init(decoding blob: [UInt8]) throws(TransferError) {
        let content = try Self.envelope.unwrap(blob)
        let decoded: UploadResumeData
        do {
            decoded = try JSONDecoder().decode(UploadResumeData.self, from: Data(content))
        } catch {
            throw ResumeDataEnvelope.invalid("its content is not understood: \(error)")
        }
        if let reason = decoded.contradiction { throw ResumeDataEnvelope.invalid(reason) }
        self = decoded
    }

    /// Why the content cannot be what ``encoded()`` was given, or `nil`.
    private var contradiction: String? {
        guard Origin(url: request.url) != nil, Origin(url: resource.url) != nil,
            request.allowsResumableUpload
        else { return "its request cannot be continued" }
        guard resource.acknowledgedByteCount >= 0 else { return "its offset is negative" }
        switch content {
        case .file(let path, let identity, _):
            guard path.hasPrefix("/"), identity.size >= resource.acknowledgedByteCount else {
                return "its file is invalid"
            }
        case .bytes:
            guard let body = request.body, Int64(body.count) >= resource.acknowledgedByteCount
            else { return "its bytes are not there" }
        case .stream: break
        }
        return nil
    }
}
