import Ferry
import FerryTransfer
import Foundation

/// Where a stream of a resource's bytes is, and whether a further response continues it.
///
/// A response continues what was written if it is of the same version: it has the same strong entity tag, or it begins with
/// the last bytes that were written (RFC 9110 §8.8, §13.1.5, §14.2).
struct StreamPosition {
    /// Why a response does not continue the stream.
    enum Fault: Error, Hashable {
        /// It has a status that means failure.
        case status(Int)
        /// It is of another version.
        case changed
        /// It has other bytes than were requested.
        case otherBytes
    }

    /// The number of bytes that have to come again where the server has no strong entity tag.
    private static let tailByteCount = 64 << 10

    /// The number of bytes that were written.
    private(set) var offset: Int64 = 0
    /// The number of all bytes; nil if the server has not said that.
    private(set) var total: Int64?
    /// Whether all bytes were written.
    private(set) var isComplete = false
    private var entityTag: String?
    private var tail = Data()
    private var requestedOffset: Int64 = 0
    /// The number of bytes of the present response that were written before, except for those of `repeated`.
    private var skippedByteCount: Int64 = 0
    /// The bytes that were written, and have to come again.
    private var repeated = Data()

    /// Returns the request for what is missing.
    ///
    /// - Parameter whole: The request for all bytes.
    /// - Returns: The request.
    mutating func request(_ whole: URLRequest) -> URLRequest {
        var request = whole
        // Ranges of a coded body are others than those of the resource.
        request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        requestedOffset = entityTag == nil ? offset - Int64(tail.count) : offset
        if offset > 0 {
            request.setValue("bytes=\(requestedOffset)-", forHTTPHeaderField: "Range")
            request.setValue(entityTag, forHTTPHeaderField: "If-Range")
        }
        return request
    }

    /// Takes the head of a response.
    ///
    /// - Parameter response: The response.
    /// - Throws: ``Fault`` when it does not continue the stream.
    mutating func begin(_ response: HTTPURLResponse) throws(Fault) {
        let tag = response.value(forHTTPHeaderField: "ETag").flatMap {
            $0.hasPrefix("W/") ? nil : $0
        }
        let range = response.value(forHTTPHeaderField: "Content-Range").flatMap(ContentRange.init)
        let total: Int64?
        switch response.statusCode {
        case 206 where offset > 0:
            guard let range, range.range?.lowerBound == requestedOffset else { throw .otherBytes }
            (total, skippedByteCount) = (range.totalByteCount, 0)
        case 416 where offset > 0 && range?.totalByteCount == offset:
            isComplete = true
            return
        case 200...299:
            let length = response.expectedContentLength
            (total, skippedByteCount) = (length >= 0 ? length : nil, offset - Int64(tail.count))
        case let status: throw .status(status)
        }
        if offset > 0 {
            if entityTag != nil, tag != entityTag { throw .changed }
            if let total, let known = self.total, total != known { throw .changed }
        } else {
            entityTag = tag
        }
        self.total = self.total ?? total
        let isRepeated = response.statusCode != 206 || requestedOffset < offset
        repeated = isRepeated ? tail : Data()
    }

    /// Takes bytes of the response.
    ///
    /// - Parameter bytes: The bytes.
    /// - Returns: Those that are to be written.
    /// - Throws: ``Fault/changed`` when they are not the ones that were written before.
    mutating func take(_ bytes: Data) throws(Fault) -> Data {
        var new = bytes
        let skipped = min(Int64(new.count), skippedByteCount)
        skippedByteCount -= skipped
        new = new.dropFirst(Int(skipped))
        let count = min(new.count, repeated.count)
        guard new.prefix(count) == repeated.prefix(count) else { throw .changed }
        repeated = repeated.dropFirst(count)
        return new.dropFirst(count)
    }

    /// Records that bytes were written.
    mutating func wrote(_ bytes: Data) {
        offset += Int64(bytes.count)
        tail = Data((tail + bytes.suffix(Self.tailByteCount)).suffix(Self.tailByteCount))
    }

    /// Takes the end of a response that was complete.
    mutating func end() {
        isComplete = skippedByteCount == 0 && repeated.isEmpty && offset >= total ?? offset
    }
}
