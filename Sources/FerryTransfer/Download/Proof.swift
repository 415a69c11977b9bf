/// Bytes that a server sends once more, to be compared with those at hand.
///
/// A part that continues the file begins with the last bytes that are there. From another address they prove that it has the
/// same resource.
struct Proof: Hashable {
    /// How many bytes are still to come that the file holds already.
    private(set) var missingByteCount: Int64
    /// Where the bytes end that are asked for only to be compared; `nil` where others follow them.
    private let end: Int64?
    /// What is known of the resource once its bytes have proved to be those at hand.
    private(set) var version: ResourceVersion?

    /// Nothing is to be compared, or so many bytes.
    init(byteCount: Int64 = 0, upTo end: Int64? = nil, of version: ResourceVersion? = nil) {
        missingByteCount = byteCount
        self.end = end
        self.version = version
    }

    /// Whether no more bytes are to be compared.
    var isComplete: Bool { missingByteCount == 0 }

    /// Whether nothing but bytes to be compared was asked for.
    var isAlone: Bool { end != nil }

    /// Whether something is still to be seen of the resource.
    var isOpen: Bool { version != nil || isAlone }

    /// Where the next byte belongs in a file that holds so many.
    func position(in byteCount: Int64) -> Int64 { (end ?? byteCount) - missingByteCount }

    /// Bytes have come.
    ///
    /// - Returns: How many of them are to be compared.
    mutating func receive(count: Int) -> Int {
        let known = min(missingByteCount, Int64(count))
        missingByteCount -= known
        return Int(known)
    }

    /// All bytes have come that were to be compared.
    ///
    /// - Returns: What is known now, once.
    mutating func conclude() -> ResourceVersion? {
        guard isComplete else { return nil }
        defer { version = nil }
        return version
    }
}
