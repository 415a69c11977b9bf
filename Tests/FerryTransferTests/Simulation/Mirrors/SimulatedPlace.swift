import FerryHTTP
import FoundationEssentials

@testable import FerryTransfer

/// A server that has a resource, with habits that are drawn by lot.
struct SimulatedPlace {
    /// What it says about versions.
    enum Validation: CaseIterable {
        case strongETag
        case lastModified
        case weakETag
        case nothing
    }

    /// How it treats a request for a part.
    enum Habit: CaseIterable {
        case honoursRanges
        case servesInPieces
        case ignoresRanges
        case ignoresConditions
        case refusesRanges
        case misreports
        case overruns
    }

    let url: String
    /// Where it sends those who ask; none when it answers itself.
    let nodes: [String]
    let validation: Validation
    let habit: Habit
    /// Whether it tells a digest of the whole.
    let tellsDigest: Bool
    /// How many of a hundred answers are none, or come to no end.
    let troublePercent: Int
    /// Whether it says that there is nothing at its address, as long as the world is wild.
    let isMissing: Bool
    /// How often it changes, of a hundred answers.
    let changePercent: Int
    private let number: Int
    private(set) var content: SimulatedContent
    private var revision = 1

    /// The app's own place.
    init(original content: SimulatedContent, isSteady: Bool, using generator: inout SeededGenerator)
    {
        self.content = content
        number = 0
        url = "http://host0/file"
        nodes = generator.happens(25) ? ["http://node0/file", "http://node1/file"] : []
        validation = Self.validation(using: &generator)
        habit = generator.happens(75) ? .honoursRanges : Self.habit(using: &generator)
        tellsDigest = generator.happens(20)
        troublePercent = [0, 5, 30, 60][generator.below(4)]
        isMissing = generator.happens(5)
        changePercent = isSteady || generator.happens(60) ? 0 : 5
    }

    /// A place that is said to have the same.
    init(
        mirror number: Int,
        of content: SimulatedContent,
        using generator: inout SeededGenerator
    ) {
        self.content = content
        self.number = number
        url = "http://host\(number)/copy\(number)"
        nodes = generator.happens(20) ? ["http://node\(number)/there"] : []
        validation = Self.validation(using: &generator)
        habit = generator.happens(60) ? .honoursRanges : Self.habit(using: &generator)
        tellsDigest = generator.happens(20)
        troublePercent = [0, 5, 30, 60][generator.below(4)]
        isMissing = generator.happens(20)
        changePercent = generator.happens(80) ? 0 : 5
    }

    private static func validation(using generator: inout SeededGenerator) -> Validation {
        generator.happens(70) ? .strongETag : Validation.allCases[generator.below(4)]
    }

    private static func habit(using generator: inout SeededGenerator) -> Habit {
        Habit.allCases[generator.below(Habit.allCases.count)]
    }

    /// Whether an address is this place's, or one that it leads to.
    func answers(_ address: String) -> Bool { address == url || nodes.contains(address) }

    /// What its answers so far were about is there no longer.
    mutating func change(to content: SimulatedContent) {
        self.content = content
        revision += 1
    }

    // MARK: Heads

    /// What it says of its present version.
    var validators: [(String, String)] {
        switch validation {
        case .strongETag: [("ETag", "\"\(number).\(revision)\"")]
        case .weakETag: [("ETag", "W/\"\(number).\(revision)\"")]
        case .lastModified:
            [
                ("Last-Modified", "Sun, 01 Jan \(2000 + revision) 00:00:0\(number) GMT"),
                ("Date", "Sun, 01 Jan 9999 00:00:00 GMT"),
            ]
        case .nothing: []
        }
    }

    var digestFields: [(String, String)] {
        guard tellsDigest else { return [] }
        let value = Data(Digest.simulated(content).value).base64EncodedString()
        return [("Repr-Digest", "sha-256=:\(value):")]
    }

    /// Whether a condition names its present version.
    func matches(_ condition: String?) -> Bool {
        guard let condition else { return true }
        return validators.first?.1 == condition
    }

    /// The one that answers.
    func address(for asked: String, using generator: inout SeededGenerator) -> String {
        guard asked == url, !nodes.isEmpty else { return asked }
        return nodes[generator.below(nodes.count)]
    }
}

extension Digest {
    /// The digest of a content, in a world without bytes.
    static func simulated(_ content: SimulatedContent) -> Digest {
        let bounds = content.alteration ?? 0..<0
        let numbers = [
            Int64(content.version), content.byteCount, bounds.lowerBound, bounds.upperBound,
        ]
        return Digest(
            .sha256,
            numbers.flatMap { number in
                (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * Int64($0))) }
            }
        )
    }
}
