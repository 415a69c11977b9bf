import FerryHTTP
import FerrySystem

/// The servers that have one resource, and what is known about each.
///
/// The first one leads: it is the only one used as long as one is enough. It is the app's address until a
/// mirror replaces it. The bytes of the others are used only after a proof, for which a server
///
/// - sends the same length of the whole,
/// - does not contradict the digest of the whole (`Repr-Digest`, RFC 9530), if both servers send one,
/// - sends the same bytes for a part that is already received, 64 KiB of it, and
/// - has its own validator, which binds every further part to the version that was compared.
///
/// The same strong entity tag would prove more, but copies seldom have it: it is made from the time of a file
/// or its inode number. A mirror that differs elsewhere than in the compared part is detected only by a digest
/// of the whole.
struct Sources: Hashable, Sendable {
    /// One server.
    private struct Place: Hashable, Sendable {
        /// The request to send.
        let request: TransferRequest
        /// Whether it is the app's address, whose responses are delivered to the app.
        let isOriginal: Bool
        var standing = Standing.unproven
    }

    /// What is known about a server.
    enum Standing: Hashable, Sendable {
        /// Nothing was compared yet.
        case unproven
        /// It is being compared.
        case probing
        /// It has this version: the same as that of the first response, under its own validator.
        case proven(ResourceVersion)
        /// It is no longer used in this attempt.
        case closed
    }

    /// A comparison of a mirror's bytes with those in the file.
    struct Probe: Hashable, Sendable {
        let source: Int
        /// The bytes that were requested.
        fileprivate let range: Range<Int64>
        /// Where the next bytes are compared.
        fileprivate var position: Int64
        /// The version that it would prove.
        fileprivate var version: ResourceVersion?
        fileprivate(set) var head: HTTPResponseHead?

        /// The version that the mirror has, once all bytes have been compared.
        var provenVersion: ResourceVersion? { position == range.upperBound ? version : nil }
    }

    /// The number of bytes that are compared.
    static let probedByteCount: Int64 = 64 * 1024

    private var places: [Place]
    /// Whether the app's address does not have the bytes that the mirrors have sent.
    private(set) var isRefutedByOriginal = false
    /// Whether the first server is up, but did not respond with the requested part.
    private var isFirstRefusing = false
    /// The error with which the app's address has failed last, if it has not answered since.
    private(set) var originalFailure: TransferError?
    /// The error of the last connection for a part, if it has failed.
    private(set) var lastFailure: TransferError?
    /// Whether the last response to a request for a part was something else.
    private var isRefused = false
    /// The running comparisons, by the numbers of their connections.
    private var probes: [Int: Probe] = [:]

    /// Makes the sources; mirrors without a valid URL, and duplicates, are left out.
    init(request: TransferRequest, mirrors: [String]) {
        places = [Place(request: request, isOriginal: true)]
        for url in mirrors where !places.contains(where: { $0.request.url == url }) {
            if let directed = RedirectPolicy.request(request, directedTo: url) {
                places.append(Place(request: directed, isOriginal: false))
            }
        }
    }

    /// Returns what is known about a source.
    subscript(source: Int) -> Standing { places[source].standing }

    /// Returns the request for a source.
    func request(of source: Int) -> TransferRequest { places[source].request }

    /// Returns the request for a source, after the first one's redirects.
    func request(of source: Int, redirected: TransferRequest) -> TransferRequest {
        source > 0 ? places[source].request : redirected
    }

    /// Whether the first source can serve the next part.
    var canGoOn: Bool { lastFailure == nil && !isRefused && places[0].standing != .closed }

    /// Whether an answer, or the bytes that it is about, came from a mirror.
    func involveMirror(_ version: ResourceVersion) -> Bool {
        !isLedByOriginal
            || places.contains {
                !$0.isOriginal && Origin(url: $0.request.url)?.description == version.origin
            }
    }

    /// Whether there is only the app's address.
    private var isAlone: Bool { places.count == 1 }

    /// Whether any source may still be used.
    private var hasOpen: Bool { places.contains { $0.standing != .closed } }

    /// Whether any source beside the first may still be used.
    var hasMirror: Bool { places.dropFirst().contains { $0.standing != .closed } }

    /// Whether any source beside the first was not compared yet.
    var hasUnproven: Bool { places.dropFirst().contains { $0.standing == .unproven } }

    /// Whether the first source can still be asked, either for parts or, if it is the app's address, for
    /// everything that is missing.
    private var canAskFirst: Bool {
        places[0].standing != .closed || isFirstRefusing && places[0].isOriginal
    }

    /// Whether the app's address is the first source.
    var isLedByOriginal: Bool { places[0].isOriginal }

    /// Makes the source of a version lead.
    mutating func lead(by version: ResourceVersion) {
        let place = places.firstIndex { place in
            let other = ResourceVersion(
                validator: nil,
                totalByteCount: nil,
                url: place.request.url
            )
            return (other.origin, other.path) == (version.origin, version.path)
        }
        if let place { lead(place) }
    }

    /// Whether there is a mirror that can lead in place of the first source.
    var canLeadOn: Bool { places.dropFirst().contains { $0.standing == .unproven } }

    /// Makes the next mirror lead in place of the first source, which is no longer used.
    mutating func leadOn() {
        leaveFirst()
        if let next = places.firstIndex(where: { $0.standing == .unproven }) { lead(next) }
    }

    /// Records how a source has failed; `nil` if it has answered.
    mutating func record(_ failure: TransferError?, of source: Int) {
        if places[source].isOriginal { originalFailure = failure }
    }

    /// Records that the connection for a part has received all of it.
    mutating func recordCompletion(by source: Int) {
        record(nil, of: source)
        forgetFailures()
    }

    /// Records that the connection for a part was lost.
    mutating func recordLoss(_ error: TransferError, by source: Int) {
        record(error, of: source)
        blame(source, for: error)
    }

    /// Records how the connection for a part has failed: by an error, or by a response that is not the part.
    ///
    /// A mirror's failure is no reason to give up as long as the first source can be asked.
    mutating func blame(_ source: Int, for error: TransferError?) {
        let isForgiven = source > 0 && canAskFirst
        lastFailure = isForgiven ? nil : error
        isRefused = !isForgiven && error == nil
    }

    /// Gives all sources for parts another try.
    mutating func forgetFailures() {
        lastFailure = nil
        isRefused = false
    }

    /// Stops using a source if it is one of several; returns whether no source is left for other connections.
    mutating func leave(_ source: Int) -> Bool {
        guard !isAlone else { return true }
        close(source)
        return !hasOpen
    }

    /// Stops using a source.
    mutating func close(_ source: Int) { places[source].standing = .closed }

    /// Stops using a source that responded with something else than the file's bytes.
    private mutating func refute(_ source: Int) {
        places[source].standing = .closed
        if places[source].isOriginal { isRefutedByOriginal = true }
    }

    /// Records that a source did not respond with the requested part.
    ///
    /// With 404 or 429 it has failed: it would respond the same to a request for more.
    mutating func recordRefusal(by source: Int, status: Int) {
        let serves = status < 400 || [401, 407, 412, 416].contains(status)
        if source == 0, serves { isFirstRefusing = true }
    }

    /// Has mirrors send parts in place of the first source, which has failed.
    mutating func leaveFirst(after error: TransferError) {
        leaveFirst()
        lastFailure = error
    }

    /// Stops using the first source, which has failed.
    private mutating func leaveFirst() {
        places[0].standing = .closed
        isFirstRefusing = false
    }

    /// Uses the first source again.
    mutating func returnToFirst() {
        places[0].standing = .unproven
        isFirstRefusing = false
    }

    /// Makes the app's address lead, and stops using the mirrors.
    mutating func returnToOriginal() {
        isRefutedByOriginal = false
        guard let home = places.firstIndex(where: \.isOriginal) else { return }
        for place in places.indices { places[place].standing = .closed }
        lead(home)
    }

    private mutating func lead(_ place: Int) {
        places.insert(places.remove(at: place), at: 0)
        returnToFirst()
    }

    /// Forgets the proofs, as other bytes replace those that were compared.
    mutating func forgetProofs() {
        for place in places.indices {
            if case .proven = places[place].standing { places[place].standing = .unproven }
        }
    }

    /// Returns the source for another connection: the one with the fewest that is not closed.
    ///
    /// - Parameters:
    ///   - loads: The number of connections to each source.
    ///   - canProbe: Whether there are bytes to compare.
    /// - Returns: The source, or `nil` when there is none.
    func choose(loads: [Int: Int], canProbe: Bool) -> Int? {
        let usable = places.indices.filter { source in
            switch places[source].standing {
            case .closed, .probing: false
            case .proven: true
            case .unproven: source == 0 || canProbe
            }
        }
        return usable.min { (loads[$0, default: 0], $0) < (loads[$1, default: 0], $1) }
    }
}

// MARK: - Comparisons

extension Sources {
    typealias Effects = Download.StateMachine.Effects

    /// The number of running comparisons.
    var probeCount: Int { probes.count }

    /// Returns the bytes to compare a mirror with: the end of the first range that is long enough.
    static func probedRange(of written: ByteRanges) -> Range<Int64>? {
        guard let range = written.ranges.first(where: { $0.byteCount >= probedByteCount }) else {
            return nil
        }
        return range.upperBound - probedByteCount..<range.upperBound
    }

    /// Requests from a mirror bytes that the file already holds.
    mutating func startProbe(
        _ number: Int,
        of source: Int,
        in range: Range<Int64>,
        into effects: inout Effects
    ) {
        places[source].standing = .probing
        probes[number] = Probe(source: source, range: range, position: range.lowerBound)
        effects.add(.startProbe(number, request(of: source), range, source: source))
    }

    /// Handles the head of a mirror's response to a comparison with bytes of a version, which came with the first
    /// response; returns whether the comparison has ended.
    mutating func probeAnswered(
        _ number: Int,
        _ head: HTTPResponseHead,
        like known: ResourceVersion,
        answeredBy first: HTTPResponseHead?,
        into effects: inout Effects
    ) -> Bool {
        guard let probe = probes[number] else { return false }
        if let version = Self.version(of: head, to: probe.range, like: known, answeredBy: first) {
            probes[number]?.version = version
            probes[number]?.head = head
            return false
        }
        // With these statuses the server is up, but lacks the bytes or cannot prove them; others may be
        // temporary.
        if [200, 206, 416].contains(head.status) { refute(probe.source) }
        return cancelProbe(number, into: &effects)
    }

    /// Returns where to compare received bytes; `nil` if they are too many.
    mutating func probeReceivedBytes(_ number: Int, count: Int) -> Int64? {
        guard let probe = probes[number], probe.position + Int64(count) <= probe.range.upperBound
        else { return nil }
        probes[number]?.position += Int64(count)
        return probe.position
    }

    /// Closes a mirror whose bytes differ from the file's; returns whether a comparison has ended.
    mutating func probeDiffers(_ number: Int, into effects: inout Effects) -> Bool {
        guard let probe = probes[number] else { return false }
        refute(probe.source)
        return cancelProbe(number, into: &effects)
    }

    /// Cancels a comparison that proves nothing; returns whether there is one.
    mutating func cancelProbe(_ number: Int, into effects: inout Effects) -> Bool {
        guard let probe = probes.removeValue(forKey: number) else { return false }
        close(probe.source)
        effects.add(.cancelPart(number))
        effects.add(.giveConnectionBack(source: probe.source))
        return true
    }

    /// Ends a comparison with the mirror's response.
    mutating func endProbe(_ number: Int) -> Probe? {
        guard let probe = probes.removeValue(forKey: number) else { return nil }
        places[probe.source].standing = probe.provenVersion.map { .proven($0) } ?? .closed
        return probe
    }

    /// Ends all comparisons.
    mutating func abandonProbes(into effects: inout Effects) {
        for number in probes.keys.sorted() { abandonProbe(number, into: &effects) }
    }

    /// Forgets all comparisons, whose loads end as well.
    mutating func forgetProbes() {
        for probe in probes.values { places[probe.source].standing = .unproven }
        probes = [:]
    }

    /// Ends a comparison with one of the given sources; returns whether there is one.
    mutating func abandonProbe(of sources: Set<Int>, into effects: inout Effects) -> Bool {
        let numbers = probes.filter { sources.contains($0.value.source) }.keys
        guard let number = numbers.min() else { return false }
        abandonProbe(number, into: &effects)
        return true
    }

    /// Ends a comparison, which may be repeated later.
    private mutating func abandonProbe(_ number: Int, into effects: inout Effects) {
        guard let probe = probes.removeValue(forKey: number) else { return }
        places[probe.source].standing = .unproven
        effects.add(.cancelPart(number))
        effects.add(.giveConnectionBack(source: probe.source))
    }

    /// Returns the version that a mirror's response to a comparison would prove; `nil` when it can prove none.
    private static func version(
        of head: HTTPResponseHead,
        to range: Range<Int64>,
        like known: ResourceVersion,
        answeredBy first: HTTPResponseHead?
    ) -> ResourceVersion? {
        guard head.status == 206, known.hasCoding(of: head), let total = known.totalByteCount,
            let content = ContentRange(head: head), content.range == range,
            content.totalByteCount == total, let validator = Validator(head: head),
            validator.isStrong,
            first.map({ !$0.contradictsDigest(of: head) }) ?? true
        else { return nil }
        return ResourceVersion(
            validator: validator,
            totalByteCount: total,
            url: head.url,
            coding: known.coding
        )
    }
}

extension HTTPResponseHead {
    /// Returns whether both heads have a digest of the whole by the same algorithm, with different values.
    func contradictsDigest(of other: HTTPResponseHead) -> Bool {
        let others = other.representationDigests
        return representationDigests.contains { digest in
            others.contains { $0.algorithm == digest.algorithm && $0 != digest }
        }
    }
}
