import FoundationEssentials

extension ResumeData {
    /// "FerryRD" and the version of what follows.
    private static let magic = Array("FerryRD".utf8)
    private static let currentVersion: UInt8 = 1
    /// That of a file which is not filled in order: who does not know of such files must not take it over.
    private static let segmentedVersion: UInt8 = 2
    private static let headerByteCount = magic.count + 1 + 4

    /// The blob for the app: magic, version, checksum of the rest, JSON.
    package func encoded() throws(TransferError) -> [UInt8] {
        let payload: [UInt8]
        do {
            payload = Array(try JSONEncoder().encode(self))
        } catch {
            throw TransferError(code: .internalFailure, message: "resume data: \(error)")
        }
        let checksum = CRC32.checksum(of: payload)
        let checksumBytes = (0..<4).map { UInt8(truncatingIfNeeded: checksum >> ($0 * 8)) }
        return Self.magic + [formatVersion] + checksumBytes + payload
    }

    /// Reads a blob.
    ///
    /// - Throws: ``TransferError/Code/resumeDataInvalid`` with the reason.
    package init(decoding blob: [UInt8]) throws(TransferError) {
        guard blob.starts(with: Self.magic) else { throw Self.invalid("it is not Ferry's") }
        guard blob.count > Self.headerByteCount else { throw Self.invalid("it is cut off") }
        let version = blob[Self.magic.count]
        guard version == Self.currentVersion || version == Self.segmentedVersion else {
            throw Self.invalid("its version is \(version), not \(Self.currentVersion)")
        }
        let stored = blob[(Self.magic.count + 1)..<Self.headerByteCount].reversed()
            .reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let payload = blob[Self.headerByteCount...]
        guard CRC32.checksum(of: payload) == stored else { throw Self.invalid("it is damaged") }
        let decoded: ResumeData
        do {
            decoded = try JSONDecoder().decode(ResumeData.self, from: Data(payload))
        } catch {
            throw Self.invalid("its content is not understood: \(error)")
        }
        if let reason = decoded.contradiction { throw Self.invalid(reason) }
        guard version == decoded.formatVersion else { throw Self.invalid("it is damaged") }
        self = decoded
    }

    private var formatVersion: UInt8 {
        checkpoint.segments == nil ? Self.currentVersion : Self.segmentedVersion
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

    private static func invalid(_ reason: String) -> TransferError {
        TransferError(
            code: .resumeDataInvalid,
            message: "the resume data cannot be used: \(reason)"
        )
    }
}
