import FerryHTTP

@testable import FerryTransfer

/// One download from several places with everything that may happen to it, drawn by lot from a seed.
///
/// Only the decisions are the real ones. Servers, file, clock, lender and owner are simulated, and bytes are
/// known by where they come from, so that many histories are cheap.
final class MirrorHistory {
    typealias Machine = Download.StateMachine

    /// Ends a life of the process.
    struct Death: Error {}

    /// What must never be.
    struct Broken: Error, CustomStringConvertible {
        var description: String
    }

    let sabotage: MirrorSabotage?
    var generator: SeededGenerator
    /// The app's own place, and the mirrors.
    var places: [SimulatedPlace] = []
    /// All contents that there ever were.
    var contents: [SimulatedContent] = []
    /// What the app has said that the bytes are.
    private(set) var expected: SimulatedContent?
    private let request = TransferRequest(url: "http://host0/file")
    let refusesErrorResponses: Bool
    var isCalm = false
    private(set) var happenings: [MirrorHappening: Int] = [:]
    /// What happened, if somebody wants to read it.
    private(set) var trace: [String]?

    // One life of the process.
    var machine: Machine
    var file = SimulatedFile()
    /// The connections, by the numbers of the parts that they bring.
    var flows: [Int: MirrorFlow] = [:]
    var lastFlow = 0
    /// The connections that were lent, by their servers.
    var lent: [String: Int] = [:]
    /// The same by sources, as the download knows them.
    var lentTo: [Int: [String]] = [:]
    /// Whether the body of the first connection's answer is wanted.
    var takesBody = false
    /// What was begun and goes on without a connection.
    var pending: [Pending] = []
    /// How many bytes of the latest piece were of use.
    var used: Int64 = 0
    var stallTimer: ContinuousClock.Instant?
    var now = ContinuousClock.now
    /// Whether something was answered that gives bytes at hand away.
    var isLossExcused = false
    /// Whether something went wrong in this attempt that is no mirror's fault.
    var isFailureExcused = false
    var result: DownloadResult?
    var lastError: TransferError?

    /// The odd answer that came last.
    var doubt: OddAnswer?

    /// What takes its time.
    enum Pending {
        case synchronization
        case verification([DigestCheck])
    }

    init(seed: UInt64, sabotage: MirrorSabotage? = nil, isTraced: Bool = false) {
        self.sabotage = sabotage
        trace = isTraced ? [] : nil
        generator = SeededGenerator(seed: seed)
        refusesErrorResponses = generator.happens(60)
        machine = Machine(request: request, configuration: Download.Configuration())
        makePlaces()
    }

    func count(_ happening: MirrorHappening) { happenings[happening, default: 0] += 1 }

    /// Keeps a line for the reader.
    func record(_ text: @autoclosure () -> String) {
        if trace != nil { trace?.append(text()) }
    }

    // MARK: The world

    private func makePlaces() {
        let sizes = [1000, 100_000, 300_000, 1_000_000]
        let original = makeContent(byteCount: Int64(generator.below(sizes[generator.below(4)])))
        // Only a digest finds what a comparison of a part may miss.
        let hasDigest = generator.happens(40)
        if hasDigest { expected = original }
        places = [SimulatedPlace(original: original, isSteady: hasDigest, using: &generator)]
        for number in 1...1 + generator.below(4) {
            let copy = copy(of: original, isAltered: hasDigest)
            places.append(SimulatedPlace(mirror: number, of: copy, using: &generator))
        }
    }

    func makeContent(byteCount: Int64) -> SimulatedContent {
        contents.append(SimulatedContent(version: contents.count + 1, byteCount: byteCount))
        return contents[contents.count - 1]
    }

    /// What a mirror has, which should be the same.
    private func copy(of original: SimulatedContent, isAltered: Bool) -> SimulatedContent {
        switch generator.below(100) {
        case 0..<15: return makeContent(byteCount: original.byteCount)
        case 15..<25: return makeContent(byteCount: Int64(generator.below(300_000)))
        case 25..<40 where isAltered && original.byteCount > 0:
            var copy = original
            let place = Int64(generator.below(Int(original.byteCount)))
            copy.alteration = place..<min(original.byteCount, place + 1000)
            contents.append(copy)
            return copy
        default: return original
        }
    }

    private func makeMachine() -> Machine {
        let connections = 1 + generator.below(6)
        let least = [8000, 20_000, 70_000][generator.below(3)]
        var policy = Download.SegmentPolicy.eager(
            connections,
            minimumSegmentBytes: Int64(least),
            stallTime: .seconds(4)
        )
        if generator.happens(30) {
            policy.window = .milliseconds(100)
            policy.minimumTimeLeft = .milliseconds(100)
        }
        return Machine(
            request: request,
            configuration: Download.Configuration(
                unavailableResponses: generator.happens(50) ? .fail : .deliver,
                refusesErrorResponses: refusesErrorResponses,
                digests: expected.map { [.simulated($0)] } ?? [],
                segments: policy,
                mirrors: places.dropFirst().map(\.url)
            )
        )
    }

    // MARK: Lives

    /// Lives until the download has finished, in the end in a world that has calmed down.
    func run() throws {
        for attempt in 0..<60 where result == nil {
            isCalm = attempt >= 40
            do {
                try live()
            } catch is Death {
                count(.death)
                record("the process dies")
                guard generator.happens(40) else { continue }
                count(.powerCut)
                file.powerCut(using: &generator)
            }
        }
        guard let result else {
            // What is to have a digest waits for its user.
            if expected != nil, lastError?.code == .answerDoubted { return }
            throw Broken(description: "it never came to an end: \(String(describing: lastError))")
        }
        try check(result)
    }

    /// One attempt, from the opening of the file to its end or death.
    private func live() throws {
        machine = makeMachine()
        (flows, lent, lentTo, pending, stallTimer) = ([:], [:], [:], [], nil)
        isLossExcused = false
        isFailureExcused = false
        var held = recovered()
        if isCalm || generator.happens(30) { held?.agreed = doubt }
        record(
            "an attempt begins with \(held?.byteCount ?? 0) bytes \(held?.segments?.ranges ?? [])"
        )
        if held?.segments != nil { count(.heldParts) }
        try run { $0.start(holding: held) }
        var stepCount = 0
        while !machine.hasEnded {
            stepCount += 1
            if stepCount > 20_000 { throw Broken(description: "an attempt does not end") }
            try mayDie()
            try step()
        }
        guard flows.isEmpty else {
            throw Broken(description: "connections go on after the end: \(flows.keys.sorted())")
        }
        guard lent.isEmpty else { throw Broken(description: "\(lent) were not given back") }
    }

    private func recovered() -> Machine.Held? {
        var held = file.recover()
        guard let written = held?.segments, let total = held?.version.totalByteCount else {
            return held
        }
        if sabotage == .claimsTooMuch, let gap = written.gaps(upTo: total).ranges.last {
            held?.segments?.insert(gap.lowerBound..<gap.lowerBound + (gap.byteCount + 1) / 2)
        }
        if sabotage == .claimsTooLittle, let last = written.ranges.last {
            held?.segments?.remove(last)
        }
        return held
    }

    func mayDie() throws {
        if !isCalm, generator.below(1000) < 4 { throw Death() }
    }

    // MARK: The end

    /// What was delivered is one version of the resource from its first byte to its last.
    private func check(_ result: DownloadResult) throws {
        guard result.response.status < 300 else {
            count(.errorPage)
            guard file.pieces.allSatisfy({ $0.content == .errorPage }) else {
                throw Broken(description: "an error page is mixed with a resource")
            }
            guard places[0].answers(result.response.url) else {
                throw Broken(description: "a mirror's error page is the answer")
            }
            return
        }
        count(.success)
        let candidates = expected.map { [$0] } ?? contents
        let isWhole = candidates.contains { content in
            file.byteCount == content.byteCount && file.written.prefixByteCount == content.byteCount
                && file.pieces.allSatisfy { $0.content.isSame(as: content, in: $0.range) }
        }
        guard isWhole, result.byteCount == file.byteCount else {
            throw Broken(
                description: "what was delivered is no version of the resource: \(file.pieces)"
            )
        }
    }
}
