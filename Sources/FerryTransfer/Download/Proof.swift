/// Bytes that a server sends again for comparison with those in the file.
///
/// A part that continues the file begins with the file's last bytes. From another address they prove that it
/// has the same resource.
struct Proof: Hashable {
    /// The number of missing bytes that the file already holds.
    private(set) var missingByteCount: Int64
    /// Where the bytes requested only for comparison end; `nil` if others follow them.
    private let end: Int64?
    /// The version of the resource, once its bytes have proved to be the same.
    private(set) var version: ResourceVersion?

    /// Makes a proof for the given number of bytes, none by default.
    init(byteCount: Int64 = 0, upTo end: Int64? = nil, of version: ResourceVersion? = nil) {
        missingByteCount = byteCount
        self.end = end
        self.version = version
    }

    /// Whether no more bytes are to be compared.
    var isComplete: Bool { missingByteCount == 0 }

    /// Whether only bytes for comparison were requested.
    var isAlone: Bool { end != nil }

    /// Whether the resource is still to be proved.
    var isOpen: Bool { version != nil || isAlone }

    /// Returns where the next byte belongs in a file of the given number of bytes.
    func position(in byteCount: Int64) -> Int64 { (end ?? byteCount) - missingByteCount }

    /// Records received bytes.
    ///
    /// - Returns: How many of them are to be compared.
    mutating func receive(count: Int) -> Int {
        let known = min(missingByteCount, Int64(count))
        missingByteCount -= known
        return Int(known)
    }

    /// Ends the proof if all bytes to compare have arrived.
    ///
    /// - Returns: The proved version, once.
    mutating func conclude() -> ResourceVersion? {
        guard isComplete else { return nil }
        defer { version = nil }
        return version
    }
}
