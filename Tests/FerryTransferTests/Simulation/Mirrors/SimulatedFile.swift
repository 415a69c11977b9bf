@testable import FerryTransfer

/// A partial file, as ``PartialFile`` keeps it, of which each byte is known by where it came from.
struct SimulatedFile {
    /// Bytes that are where they are in what they are of.
    struct Piece {
        var range: Range<Int64>
        var content: SimulatedContent
    }

    /// Which version its record names; `nil` when there is no file.
    private(set) var version: ResourceVersion?
    private(set) var pieces: [Piece] = []
    private(set) var written = ByteRanges()
    private(set) var synchronized = ByteRanges()
    /// Whether bytes may be written anywhere.
    private(set) var hasSegments = false
    var fruitlessResumptionCount = 0
    /// What has the name after a power cut, until this one is on the medium.
    private var previous: [SimulatedFile] = []

    var byteCount: Int64 { written.byteCount }

    /// What is there of a range.
    func pieces(in range: Range<Int64>) -> [Piece] {
        pieces.filter { $0.range.overlaps(range) }.map {
            Piece(range: $0.range.clamped(to: range), content: $0.content)
        }
    }

    mutating func begin(_ version: ResourceVersion) {
        var new = SimulatedFile()
        new.version = version
        new.keepPrevious(self)
        self = new
    }

    mutating func remove() {
        var new = SimulatedFile()
        new.keepPrevious(self)
        self = new
    }

    private mutating func keepPrevious(_ file: SimulatedFile) {
        if !file.synchronized.isEmpty {
            previous = [file]
            previous[0].previous = []
        } else {
            previous = file.previous
        }
    }

    mutating func resume(_ version: ResourceVersion) { self.version = version }

    mutating func beginSegments() { hasSegments = true }

    mutating func endSegments() { hasSegments = false }

    mutating func write(_ range: Range<Int64>, of content: SimulatedContent) {
        written.insert(range)
        if let last = pieces.last, last.content == content,
            last.range.upperBound == range.lowerBound
        {
            pieces[pieces.count - 1].range = last.range.lowerBound..<range.upperBound
        } else {
            pieces.append(Piece(range: range, content: content))
        }
    }

    /// What is written now is on the medium.
    mutating func synchronize() {
        synchronized = written
        previous = []
    }

    /// What was not waited for is gone, or else the file itself.
    mutating func powerCut(using generator: inout SeededGenerator) {
        if let before = previous.first, generator.happens(50) {
            self = before
        }
        previous = []
        written = synchronized
        pieces = written.ranges.flatMap { pieces(in: $0) }
        if written.isEmpty { self = SimulatedFile() }
    }

    /// What the next attempt begins with.
    mutating func recover() -> Download.StateMachine.Held? {
        guard let version, version.validator != nil, !written.isEmpty else { return nil }
        hasSegments = written.prefixByteCount < written.byteCount
        return Download.StateMachine.Held(
            byteCount: written.byteCount,
            version: version,
            fruitlessResumptionCount: fruitlessResumptionCount,
            segments: hasSegments ? written : nil
        )
    }
}

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
