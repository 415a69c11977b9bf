/// The envelope of resume data, with its kind, its version, and the checksum of its content.
struct ResumeDataEnvelope {
    /// The letters that it begins with.
    let magic: String
    /// The version of the content.
    let version: UInt8

    private var headerByteCount: Int { magic.utf8.count + 1 + 4 }

    /// Magic, version, checksum of the rest, content.
    func wrap(_ content: [UInt8]) -> [UInt8] {
        let checksum = CRC32.checksum(of: content)
        let checksumBytes = (0..<4).map { UInt8(truncatingIfNeeded: checksum >> ($0 * 8)) }
        return Array(magic.utf8) + [version] + checksumBytes + content
    }

    /// Whether a blob claims to be of this kind.
    func isAround(_ blob: [UInt8]) -> Bool { blob.starts(with: magic.utf8) }

    /// Whether a blob claims to be of this kind, and of this version.
    func isOf(_ blob: [UInt8]) -> Bool {
        isAround(blob) && blob.count > magic.utf8.count && blob[magic.utf8.count] == version
    }

    /// Returns the content.
    ///
    /// - Throws: ``TransferError/Code/resumeDataInvalid`` with the reason.
    func unwrap(_ blob: [UInt8]) throws(TransferError) -> ArraySlice<UInt8> {
        guard isAround(blob) else { throw Self.invalid("it is not Ferry's, or of another kind") }
        guard blob.count > headerByteCount else { throw Self.invalid("it is cut off") }
        let found = blob[magic.utf8.count]
        guard found == version else {
            throw Self.invalid("its version is \(found), not \(version)")
        }
        let stored = blob[(magic.utf8.count + 1)..<headerByteCount].reversed()
            .reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let content = blob[headerByteCount...]
        guard CRC32.checksum(of: content) == stored else { throw Self.invalid("it is damaged") }
        return content
    }

    /// The error for resume data that cannot be used.
    static func invalid(_ reason: String) -> TransferError {
        TransferError(
            code: .resumeDataInvalid,
            message: "the resume data cannot be used: \(reason)"
        )
    }
}

/// The checksum of Ethernet, zip and PNG (ISO 3309), which detects damage but not forgery.
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in
            value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
        }
    }

    /// The checksum of some bytes.
    static func checksum(of bytes: some Sequence<UInt8>) -> UInt32 {
        ~bytes.reduce(~0) { value, byte in
            table[Int((value ^ UInt32(byte)) & 0xFF)] ^ value >> 8
        }
    }
}
