import FerryHTTP

/// The places that one resource can be had from, and what is known of each.
///
/// The first is that of the request; the others are mirrors, whose bytes are taken only after proof. The
/// proof of a mirror is that it
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

    /// What to ask each place; the first is the app's own request.
    let requests: [TransferRequest]
    private(set) var standings: [Standing]
    /// The comparisons that are under way, by the numbers of their connections.
    var probes: [Int: Probe] = [:]

    /// Mirrors that are no addresses, or the place of the request once more, are left out.
    init(request: TransferRequest, mirrors: [String]) {
        var requests = [request]
        for url in mirrors where !requests.contains(where: { $0.url == url }) {
            if let directed = RedirectPolicy.request(request, directedTo: url) {
                requests.append(directed)
            }
        }
        self.requests = requests
        standings = requests.map { _ in .unproven }
    }

    subscript(source: Int) -> Standing {
        get { standings[source] }
        set { standings[source] = newValue }
    }

    /// Whether there is a mirror that may be of use.
    var hasMirror: Bool { standings.dropFirst().contains { $0 != .closed } }

    /// Whether there is a mirror that was not compared.
    var hasUnproven: Bool { standings.dropFirst().contains(.unproven) }

    /// The place that a version came from.
    func place(of version: ResourceVersion) -> Int? {
        requests.firstIndex { request in
            let other = ResourceVersion(validator: nil, totalByteCount: nil, url: request.url)
            return (other.origin, other.path) == (version.origin, version.path)
        }
    }

    /// The next mirror to ask for the whole in place of one that has failed.
    func next(after source: Int) -> Int? {
        requests.indices.first { $0 > source && standings[$0] == .unproven }
    }

    /// The place for another connection: the one with the fewest of them that is not closed.
    ///
    /// - Parameters:
    ///   - loads: How many connections there are to each.
    ///   - canProbe: Whether there are bytes at hand to compare.
    /// - Returns: The place, or `nil` when there is none.
    func choose(loads: [Int: Int], canProbe: Bool) -> Int? {
        let usable = requests.indices.filter { source in
            switch standings[source] {
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
