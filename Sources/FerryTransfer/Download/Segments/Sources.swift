import FerryHTTP

/// The places that one resource can be had from, and what is known of each.
///
/// The first leads: it is asked as long as one is enough. That is the app's own address, until a mirror takes
/// its part. The bytes of the others are taken only after proof, which is that one
///
/// - tells the same length of the whole,
/// - does not contradict the digest of the whole (`Repr-Digest`, RFC 9530), where both servers tell one,
/// - sends the same bytes for a part that is at hand, 64 KiB of it, and
/// - has a validator of its own, by which every further part of it is bound to the version that was compared.
///
/// Servers that have the same strong entity tag prove more, but copies seldom have: it is made of the time of
/// a file, or of its number on a disk. A mirror that differs elsewhere than in the part that was compared is
/// found out only by a digest of the whole.
struct Sources: Hashable, Sendable {
    /// One place.
    private struct Place: Hashable, Sendable {
        /// What to ask it.
        let request: TransferRequest
        /// Whether it is the app's own address, whose answers are the app's.
        let isOriginal: Bool
        var standing = Standing.unproven
    }

    /// What is known of a place.
    enum Standing: Hashable, Sendable {
        /// Nothing was compared yet.
        case unproven
        /// It is being compared.
        case probing
        /// It has this version, which is the one of the first answer by another name.
        case proven(ResourceVersion)
        /// Nothing more is asked of it in this attempt.
        case closed
    }

    /// A comparison of bytes that a mirror sends with those at hand.
    struct Probe: Hashable, Sendable {
        let source: Int
        /// What was asked for.
        let range: Range<Int64>
        /// How far it is compared.
        var position: Int64
        /// The version that it would prove.
        var version: ResourceVersion?
        var head: HTTPResponseHead?
    }

    /// How many bytes are compared.
    static let probedByteCount: Int64 = 64 * 1024

    private var places: [Place]
    /// Whether the app's own address has something else than the mirrors whose bytes are at hand.
    private(set) var isRefutedByOriginal = false
    /// Whether the first serves, but has answered the request for a part with something else.
    private var isFirstRefusing = false
    /// The comparisons that are under way, by the numbers of their connections.
    var probes: [Int: Probe] = [:]

    /// Mirrors that are no addresses, or the place of the request once more, are left out.
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

    /// What to ask a place.
    func request(of source: Int) -> TransferRequest { places[source].request }

    /// Whether there is only the app's own address.
    var isAlone: Bool { places.count == 1 }

    /// Whether there is a place that may be of use.
    var hasOpen: Bool { places.contains { $0.standing != .closed } }

    /// Whether there is one that may be of use beside the first.
    var hasMirror: Bool { places.dropFirst().contains { $0.standing != .closed } }

    /// Whether there is one beside the first that was not compared.
    var hasUnproven: Bool { places.dropFirst().contains { $0.standing == .unproven } }

    /// Whether the first has not failed: for parts, or if it is the app's own address for all that is missing,
    /// it can be asked.
    var canAskFirst: Bool {
        places[0].standing != .closed || isFirstRefusing && places[0].isOriginal
    }

    /// Whether a place is the app's own address.
    func isOriginal(_ source: Int) -> Bool { places[source].isOriginal }

    /// Whether the app's own address is the first.
    var isLedByOriginal: Bool { places[0].isOriginal }

    /// Has the place lead that a version came from.
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

    /// Has the next mirror lead in place of the first, of which nothing more is asked.
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

    /// Leaves a place alone that has answered, and not with what is at hand.
    mutating func refute(_ source: Int) {
        places[source].standing = .closed
        if places[source].isOriginal { isRefutedByOriginal = true }
    }

    /// A source has answered the request for a part with something else.
    ///
    /// What answers 404 or 429 has failed: to a request for more it would answer the same.
    mutating func noteRefusal(by source: Int, status: Int) {
        let serves = status < 400 || [401, 407, 412, 416].contains(status)
        if source == 0, serves { isFirstRefusing = true }
    }

    /// Nothing more is asked of the first, which has failed.
    mutating func leaveFirst() {
        places[0].standing = .closed
        isFirstRefusing = false
    }

    /// The first serves after all.
    mutating func returnToFirst() {
        places[0].standing = .unproven
        isFirstRefusing = false
    }

    /// Has the app's own address lead, and nothing more be asked of the mirrors.
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

    /// Something else than what was compared takes the place of the bytes at hand.
    mutating func forgetProofs() {
        for place in places.indices {
            if case .proven = places[place].standing { places[place].standing = .unproven }
        }
    }

    /// The place for another connection: the one with the fewest of them that is not closed.
    ///
    /// - Parameters:
    ///   - loads: How many connections there are to each.
    ///   - canProbe: Whether there are bytes at hand to compare.
    /// - Returns: The place, or `nil` when there is none.
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
    /// Which version a mirror's answer to the request for a part that is at hand would prove; `nil` when it
    /// can prove none.
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
    /// Whether both heads tell a digest of the whole, by the same algorithm, and not the same one.
    func contradictsDigest(of other: HTTPResponseHead) -> Bool {
        let others = other.representationDigests
        return representationDigests.contains { digest in
            others.contains { $0.algorithm == digest.algorithm && $0 != digest }
        }
    }
}
