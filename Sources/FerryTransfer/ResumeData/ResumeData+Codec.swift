import FoundationEssentials

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
        guard checkpoint.validator != nil, checkpoint.writtenByteCount > 0,
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
