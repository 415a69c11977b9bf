import FerryHTTP
import FerrySystem
import Foundation
import FoundationNetworking

/// A response as it is in a file: a start of fixed length, a ``Header`` and the body.
///
/// The start has the lengths of the two, the date of storing, and a hash of all the rest. Files are not synchronized
/// with the disk, so a power failure may leave one with its length and without its content.
struct CacheFile {
    /// The first bytes of a file, which change with its format.
    private static let mark = Array("FerryUC2".utf8)
    private static let hashByteCount = 32
    private static let startByteCount = mark.count + 8 * 3 + hashByteCount
    private static let greatestHeaderByteCount = 1 << 20

    private let start: [UInt8]
    private let header: Data
    private let body: Data

    /// The size of the file.
    var byteCount: Int { start.count + header.count + body.count }

    /// Prepares a file; nil for a response that can be kept in memory only.
    init?(_ kept: KeptResponse, for key: CacheKey) {
        guard let header = Header(kept.response, for: key).flatMap({ CacheCoding.encode($0) }),
            header.count <= Self.greatestHeaderByteCount
        else { return nil }
        let body = kept.response.data
        var start = Self.mark
        let date = kept.date.timeIntervalSinceReferenceDate.bitPattern
        for word in [UInt64(header.count), UInt64(body.count), date] {
            withUnsafeBytes(of: word.littleEndian) { start.append(contentsOf: $0) }
        }
        guard let hash = Self.hash(start, header, body) else { return nil }
        self.start = start + hash
        self.header = header
        self.body = body
    }

    /// Writes the file.
    ///
    /// - Throws: `write`.
    func write(to file: borrowing FileDescriptor) throws(SystemCallError) {
        let beginning = start + header
        try Self.write(beginning.span.bytes, to: file)
        try Self.write(body.span.bytes, to: file)
    }

    private static func write(
        _ bytes: RawSpan,
        to file: borrowing FileDescriptor
    ) throws(SystemCallError) {
        try bytes.withUnsafeBytes { (bytes) throws(SystemCallError) in try file.writeAll(bytes) }
    }

    /// Returns the hash of a file; nil if the system's policy forbids the function.
    private static func hash(_ start: [UInt8], _ header: Data, _ body: Data) -> [UInt8]? {
        let hash = BodyHash(.sha256)
        start.withUnsafeBytes { hash.add($0) }
        header.withUnsafeBytes { hash.add($0) }
        body.withUnsafeBytes { hash.add($0) }
        return hash.finish()
    }
}

// MARK: - Reading

extension CacheFile {
    /// The start of a file that says of itself that it is one.
    private struct Start {
        let headerByteCount: Int
        let bodyByteCount: Int
        let date: Date
        /// All but the hash, which is computed of it, too.
        let hashed: [UInt8]
        let hash: [UInt8]

        init?(_ file: borrowing FileDescriptor) {
            guard
                let bytes = CacheFile.read(CacheFile.startByteCount, of: file, at: 0).map(
                    [UInt8].init
                ),
                bytes.starts(with: CacheFile.mark)
            else { return nil }
            let words = bytes.withUnsafeBytes { bytes in
                (0..<3).map { index in
                    UInt64(
                        littleEndian: bytes.loadUnaligned(
                            fromByteOffset: CacheFile.mark.count + 8 * index,
                            as: UInt64.self
                        )
                    )
                }
            }
            headerByteCount = Int(clamping: words[0])
            bodyByteCount = Int(clamping: words[1])
            let seconds = Double(bitPattern: words[2])
            guard seconds.isFinite else { return nil }
            date = Date(timeIntervalSinceReferenceDate: seconds)
            hashed = bytes.dropLast(CacheFile.hashByteCount)
            hash = bytes.suffix(CacheFile.hashByteCount)
        }
    }

    /// Reads the response in a file.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - byteCount: Its size, by which the caller limits what is read.
    ///   - key: The key that the response has to have.
    ///   - marked: When the file was last marked as used.
    /// - Returns: The response; nil if the file is damaged, or has one for another key.
    static func read(
        _ file: borrowing FileDescriptor,
        byteCount: Int,
        for key: CacheKey,
        marked: Date
    ) -> KeptResponse? {
        let rest = byteCount - startByteCount
        guard let start = Start(file), start.headerByteCount <= min(greatestHeaderByteCount, rest),
            start.bodyByteCount == rest - start.headerByteCount,
            let headerBytes = read(start.headerByteCount, of: file, at: startByteCount),
            let body = read(
                start.bodyByteCount,
                of: file,
                at: startByteCount + start.headerByteCount
            ),
            hash(start.hashed, headerBytes, body) == start.hash,
            let header = CacheCoding.decode(Header.self, from: headerBytes),
            header.url == key.url, let response = header.cachedResponse(with: body)
        else { return nil }
        return KeptResponse(response, date: start.date, marked: marked)
    }

    /// Returns when the response in a file was stored; nil if the file has none.
    static func date(of file: borrowing FileDescriptor) -> Date? { Start(file)?.date }

    /// Returns that many bytes; nil if they are not there or cannot be read.
    private static func read(
        _ byteCount: Int,
        of file: borrowing FileDescriptor,
        at offset: Int
    ) -> Data? {
        var data = Data(count: byteCount)
        let isWhole = data.withUnsafeMutableBytes { buffer in
            var done = 0
            while done < byteCount {
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
                guard let count = try? file.read(into: rest, at: Int64(offset + done)), count > 0
                else {
                    return false
                }
                done += count
            }
            return true
        }
        return isWhole ? data : nil
    }
}
