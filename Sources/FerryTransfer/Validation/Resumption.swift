import FerryHTTP

/// A request for the rest of a body, and the proof that an answer is that rest.
struct Resumption: Hashable, Sendable {
    /// What the server's answer to a request for the rest amounts to.
    enum Answer: Hashable, Sendable {
        /// The body continues the bytes at hand, up to `end`.
        case accepted(end: Int64, total: Int64)
        /// The body is something else, for this reason.
        case refused(String)
    }

    /// The first byte to ask for.
    let offset: Int64
    /// The part to ask for, where that is not all that follows the first byte.
    let gap: Range<Int64>?
    /// The version that the bytes before it are of.
    let version: ResourceVersion
    private let validator: Validator

    /// The request that continues `byteCount` bytes, or `nil` when they cannot be continued.
    ///
    /// Where the bytes at hand may be all there are, the last is asked for again: the answer then
    /// is an ordinary 206, whose header tells the total and proves the version, in place of a 416
    /// which proves nothing (nginx leaves the validators out of it).
    init?(byteCount: Int64, version: ResourceVersion) {
        guard let validator = version.validator else { return nil }
        if let total = version.totalByteCount {
            guard byteCount <= total else { return nil }
            offset = byteCount == total ? byteCount - 1 : byteCount
        } else {
            offset = byteCount - 1
        }
        guard offset > 0 else { return nil }
        gap = nil
        self.version = version
        self.validator = validator
    }

    /// The request for a part in the midst of bytes at hand, or `nil` when nothing could prove it.
    init?(gap: Range<Int64>, version: ResourceVersion) {
        guard let validator = version.validator, let total = version.totalByteCount, !gap.isEmpty,
            gap.lowerBound >= 0, gap.upperBound <= total
        else { return nil }
        offset = gap.lowerBound
        self.gap = gap
        self.version = version
        self.validator = validator
    }

    /// The fields that turn a request for the whole into one for the rest.
    var fields: [HTTPField] {
        [
            HTTPField(
                name: "Range",
                value: "bytes=\(offset)-\(gap.map { "\($0.upperBound - 1)" } ?? "")"
            ),
            HTTPField(name: "If-Range", value: validator.ifRange),
        ]
    }

    /// A request without the fields that turned it into one for the rest.
    func removingFields(of request: TransferRequest) -> TransferRequest {
        var request = request
        request.fields.removeAll { field in fields.contains { field.isNamed($0.name) } }
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
        if head.hasContentCoding { return .refused("the part is coded") }
        let mismatch = validator.mismatch(withPart: head) ?? version.mismatch(withURL: head.url)
        if let mismatch { return .refused(mismatch) }
        return .accepted(end: range.upperBound, total: total)
    }
}
