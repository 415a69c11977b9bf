import FerryHTTP

/// A request for the rest of a body, and the proof that a response is that rest.
struct Resumption: Hashable, Sendable {
    /// The meaning of the server's response to a request for the rest.
    enum Answer: Hashable, Sendable {
        /// The body continues the existing bytes, up to `end`.
        case accepted(end: Int64, total: Int64)
        /// The body may continue the existing bytes, but nothing proves that, for this reason.
        case unproved(String)
        /// The body is something else, for this reason.
        case refused(String)
    }

    /// The first byte to ask for.
    let offset: Int64
    /// The part to request, if it is not everything after the first byte.
    let gap: Range<Int64>?
    /// The version of the bytes before it.
    let version: ResourceVersion
    /// Whether a comparison is the proof, because the validator proves nothing or the resource has another address
    /// than the one that the bytes came from.
    ///
    /// The validator is then not checked, as it may be another one for the same bytes. A response proves that
    /// it continues them because it begins with the last of them, and has the same total length.
    let isCompared: Bool

    /// The request that continues `byteCount` bytes, or `nil` when they cannot be continued.
    ///
    /// If these may be all bytes, the last one is requested again: the response is then an ordinary 206, whose
    /// header has the total and proves the version, instead of a 416, which proves nothing (nginx leaves out
    /// the validators).
    init?(byteCount: Int64, version: ResourceVersion) {
        guard version.validator?.isStrong == true else { return nil }
        if let total = version.totalByteCount {
            guard byteCount <= total else { return nil }
            offset = byteCount == total ? byteCount - 1 : byteCount
        } else {
            offset = byteCount - 1
        }
        guard offset > 0 else { return nil }
        gap = nil
        self.version = version
        isCompared = false
    }

    /// The request for a part among the existing bytes, or `nil` when nothing could prove it.
    init?(gap: Range<Int64>, version: ResourceVersion) {
        guard version.validator?.isStrong == true, let total = version.totalByteCount, !gap.isEmpty,
            gap.lowerBound >= 0, gap.upperBound <= total
        else { return nil }
        offset = gap.lowerBound
        self.gap = gap
        self.version = version
        isCompared = false
    }

    /// The request that continues `byteCount` bytes of which only the length of the whole is known, or `nil` when they
    /// are too few for a comparison: then the whole costs little more.
    ///
    /// - Parameters:
    ///   - byteCount: The number of bytes.
    ///   - version: Their version.
    ///   - fruitlessCount: How often in a row a comparison was interrupted. Each time fewer bytes are compared:
    ///     otherwise a connection that is always lost early would never bring a new one.
    init?(comparing byteCount: Int64, version: ResourceVersion, after fruitlessCount: Int) {
        guard let total = version.totalByteCount, byteCount <= total else { return nil }
        guard byteCount >= 2 * Self.leastProofByteCount else { return nil }
        // A connection that has brought this much before brings far more than what is compared.
        let part = max(byteCount / 8, Self.leastProofByteCount)
        let most = Self.proofByteCount >> min(Int64(max(0, fruitlessCount)), 6)
        offset = byteCount - min(part, most)
        gap = nil
        self.version = version
        isCompared = true
    }

    /// The request that continues `byteCount` bytes under another address, or `nil` when they are too few to
    /// prove that it is the same resource.
    init?(relinking byteCount: Int64, version: ResourceVersion) {
        guard byteCount > Self.proofByteCount, byteCount <= version.totalByteCount ?? .max else {
            return nil
        }
        offset = byteCount - Self.proofByteCount
        gap = nil
        self.version = version
        isCompared = true
    }

    /// The request, to another address, for some of the existing bytes, or `nil` when too few are together to
    /// prove that it is the same resource.
    init?(relinking written: ByteRanges, version: ResourceVersion) {
        let range = written.ranges.first { $0.byteCount >= Self.proofByteCount }
        guard let end = range?.upperBound else { return nil }
        offset = end - Self.proofByteCount
        gap = offset..<end
        self.version = version
        isCompared = true
    }

    /// The number of last bytes that must be the same; with fewer it is cheaper to start over.
    static let proofByteCount: Int64 = 64 << 10
    /// The least number of bytes to compare under the same address.
    static let leastProofByteCount: Int64 = 1 << 10

    /// The fields that turn a request for the whole into one for the rest.
    var fields: [HTTPField] {
        let last = gap.map { "\($0.upperBound - 1)" } ?? ""
        let range = HTTPField(name: "Range", value: "bytes=\(offset)-\(last)")
        guard !isCompared, let ifRange = version.ifRange else { return [range] }
        return [range, HTTPField(name: "If-Range", value: ifRange)]
    }

    /// Returns a request without the fields that turned it into one for the rest.
    func removingFields(of request: TransferRequest) -> TransferRequest {
        var request = request
        request.fields.removeAll { $0.isNamed("Range") || $0.isNamed("If-Range") }
        return request
    }

    /// Examines a 206 that answers this request.
    func answer(_ head: HTTPResponseHead) -> Answer {
        guard let content = ContentRange(head: head), let range = content.range else {
            return .refused("the part does not say which it is")
        }
        guard range.lowerBound == offset else {
            return .refused("the part begins at \(range.lowerBound), not at \(offset)")
        }
        if let gap, range.upperBound > gap.upperBound {
            return .refused("the part ends at \(range.upperBound), not at \(gap.upperBound)")
        }
        guard let total = content.totalByteCount ?? version.totalByteCount else {
            return .refused("the part does not tell the whole length")
        }
        if let known = version.totalByteCount, known != total {
            return .refused("the whole length is \(total), no longer \(known)")
        }
        guard range.upperBound <= total else {
            return .refused("the part ends behind the whole")
        }
        if let length = head.contentLength, length != range.upperBound - range.lowerBound {
            return .refused("the part's length contradicts its range")
        }
        if !version.hasCoding(of: head) { return .refused("the part is coded otherwise") }
        if !isCompared, let mismatch = version.mismatch(withPart: head) {
            return .unproved(mismatch)
        }
        return .accepted(end: range.upperBound, total: total)
    }
}
