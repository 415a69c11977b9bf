import FerryHTTP

/// The digests that a finished file must have: those that the app gave, and those that the server announced.
struct DigestChecks {
    private let expected: [DigestCheck]
    private var announced: [DigestCheck] = []

    /// Makes the checks for the digests that the app gave.
    init(expected: [Digest]) {
        self.expected = expected.map { DigestCheck($0, isExpected: true) }
    }

    /// All digests.
    var all: [DigestCheck] { expected + announced }

    /// Records the digests of the bytes in a response body: of a part, or of all of them.
    ///
    /// Digests cover a representation with its content coding, if any (RFC 9530 §2): if the body was decoded on
    /// receipt, nothing can be compared.
    ///
    /// - Parameters:
    ///   - head: The response head.
    ///   - request: The request that it answers.
    ///   - range: The part; `nil` for all bytes.
    mutating func record(
        _ head: HTTPResponseHead,
        to request: TransferRequest,
        of range: Range<Int64>? = nil
    ) {
        if range == nil { announced = [] }
        guard !head.isDecoded, request.method != "HEAD" else { return }
        if let digest = head.representationDigest, head.status == 200 || head.status == 206 {
            announced.removeAll { $0.range == nil }
            announced.append(DigestCheck(digest, isExpected: false))
        }
        if let digest = head.contentDigest {
            announced.append(DigestCheck(digest, range: range, isExpected: false))
        }
    }
}
