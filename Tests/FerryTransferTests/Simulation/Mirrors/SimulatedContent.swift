/// What a resource is made of, without the bytes: which version they are, and where a copy has others.
struct SimulatedContent: Hashable {
    /// What only says that something is wrong, with a body of its own.
    static let errorPage = SimulatedContent(version: -1, byteCount: 40)
    /// What no resource has.
    static let garbage = SimulatedContent(version: -2, byteCount: 0)

    /// All bytes of another version are others.
    let version: Int
    let byteCount: Int64
    /// Where a copy has other bytes than the version.
    var alteration: Range<Int64>?

    /// Whether both have the same bytes at a place.
    func isSame(as other: SimulatedContent, in range: Range<Int64>) -> Bool {
        guard version == other.version else { return range.isEmpty }
        guard alteration != other.alteration else { return true }
        return [alteration, other.alteration].allSatisfy { $0.map { !$0.overlaps(range) } ?? true }
    }
}
