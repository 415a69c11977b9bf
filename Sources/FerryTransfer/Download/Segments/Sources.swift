import FerryHTTP

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
        let range: Range<Int64>
        /// Where the next bytes are compared.
        var position: Int64
        /// The version that it would prove.
        var version: ResourceVersion?
        var head: HTTPResponseHead?
    }

    /// The number of bytes that are compared.
    static let probedByteCount: Int64 = 64 * 1024

    private var places: [Place]
    /// Whether the app's address does not have the bytes that the mirrors have sent.
    private(set) var isRefutedByOriginal = false
    /// Whether the first server is up, but did not respond with the requested part.
    private var isFirstRefusing = false
    /// The running comparisons, by the numbers of their connections.
    var probes: [Int: Probe] = [:]

    /// Makes the sources; mirrors without a valid URL, and duplicates, are left out.
    init(request: TransferRequest, mirrors: [String]) {
        places = [Place(request: request, isOriginal: true)]
        for url in mirrors where !places.contains(where: { $0.request.url == url }) {
            if let directed = RedirectPolicy.request(request, directedTo: url) {
                places.append(Place(request: directed, isOriginal: false))
            }
        }
    }

    subscript(source: Int) -> Standing {
        get { places[source].standing }
        set { places[source].standing = newValue }
    }

    /// Returns the request for a source.
    func request(of source: Int) -> TransferRequest { places[source].request }

    /// Whether there is only the app's address.
    var isAlone: Bool { places.count == 1 }

    /// Whether any source may still be used.
    var hasOpen: Bool { places.contains { $0.standing != .closed } }

    /// Whether any source beside the first may still be used.
    var hasMirror: Bool { places.dropFirst().contains { $0.standing != .closed } }

    /// Whether any source beside the first was not compared yet.
    var hasUnproven: Bool { places.dropFirst().contains { $0.standing == .unproven } }

    /// Whether the first source can still be asked, either for parts or, if it is the app's address, for
    /// everything that is missing.
    var canAskFirst: Bool {
        places[0].standing != .closed || isFirstRefusing && places[0].isOriginal
    }

    /// Whether a source is the app's address.
    func isOriginal(_ source: Int) -> Bool { places[source].isOriginal }

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

    /// Makes the next mirror lead in place of the first source, which is no longer used.
    ///
    /// - Returns: Whether there is one.
    mutating func leadOn() -> Bool {
        leaveFirst()
        guard let next = places.firstIndex(where: { $0.standing == .unproven }) else {
            return false
        }
        lead(next)
        return true
    }

    /// Stops using a source that responded with something else than the file's bytes.
    mutating func refute(_ source: Int) {
        places[source].standing = .closed
        if places[source].isOriginal { isRefutedByOriginal = true }
    }

    /// Records that a source did not respond with the requested part.
    ///
    /// With 404 or 429 it has failed: it would respond the same to a request for more.
    mutating func noteRefusal(by source: Int, status: Int) {
        let serves = status < 400 || [401, 407, 412, 416].contains(status)
        if source == 0, serves { isFirstRefusing = true }
    }

    /// Stops using the first source, which has failed.
    mutating func leaveFirst() {
        places[0].standing = .closed
        isFirstRefusing = false
    }

    /// Uses the first source again.
    mutating func returnToFirst() {
        places[0].standing = .unproven
        isFirstRefusing = false
    }

    /// Makes the app's address lead, and stops using the mirrors.
    mutating func leadHome() {
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

extension Sources {
    /// Returns the version that a mirror's response to a comparison would prove; `nil` when it can prove none.
    static func version(
        of head: HTTPResponseHead,
        to range: Range<Int64>,
        like known: ResourceVersion,
        answeredBy first: HTTPResponseHead?
    ) -> ResourceVersion? {
        guard head.status == 206, !head.hasContentCoding, let total = known.totalByteCount,
            let content = ContentRange(head: head), content.range == range,
            content.totalByteCount == total, let validator = Validator(head: head),
            first.map({ !$0.contradictsDigest(of: head) }) ?? true
        else { return nil }
        return ResourceVersion(validator: validator, totalByteCount: total, url: head.url)
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
