package import FerrySystem

/// The knowledge about servers from uploads: which protocol to offer.
///
/// A server shows that it can continue uploads only in response to an offer in its own version. After an offer
/// that was not accepted, the next upload offers the next version.
package struct UploadKnowledge: Hashable, Sendable {
    /// The result of the last offer to a server.
    private enum Experience: Hashable {
        /// The server has accepted this.
        case proven(UploadProtocol)
        /// The server has named this.
        case named(UploadProtocol)
        /// The server has not accepted this.
        case unanswered(UploadProtocol)
    }

    /// What an upload has shown about a server.
    enum Evidence: Hashable {
        /// An offer was accepted.
        case proof(UploadProtocol, Origin)
        /// An offer was answered by another draft's number.
        case name(UploadProtocol, Origin)
        /// An offer had no answer.
        case silence(UploadProtocol, Origin)
        /// An upload that could not be continued was interrupted before its response.
        case cut(Origin)
        /// The server supports tus here.
        case tus(TusCapabilities, url: String)
        /// The server does not support tus here.
        case noTus(url: String)
    }

    private var origins: [Origin: Experience] = [:]
    /// By URL: a server that supports tus at one URL may not at another.
    private var tus: [String: TusCapabilities] = [:]
    private var originsWithoutTus: Set<Origin> = []
    private var originsOfCuts: Set<Origin> = []
    /// How many servers of each kind are remembered; beyond that, an arbitrary one is forgotten.
    private static let limit = 1000

    /// Makes empty knowledge.
    package init() {}

    /// Returns the draft to offer to a server.
    func offer(to origin: Origin) -> UploadProtocol {
        switch origins[origin] {
        case .proven(let draft), .named(let draft): draft
        case .unanswered(let draft): draft.successor
        case nil: UploadProtocol.drafts[0]
        }
    }

    /// Returns the capabilities of the tus server at a URL, if one is known.
    func tusCapabilities(at url: String) -> TusCapabilities? { tus[Self.place(url)] }

    /// Returns whether it is unknown if a server supports a protocol for uploads.
    func knowsNothing(of origin: Origin) -> Bool {
        !originsWithoutTus.contains(origin) && origins[origin] == nil
    }

    /// Returns whether uploads to a server are interrupted and it was not asked for tus yet.
    func cutsUploads(to origin: Origin) -> Bool {
        originsOfCuts.contains(origin) && !originsWithoutTus.contains(origin)
    }

    /// Records what an upload has shown.
    mutating func record(_ evidence: Evidence) {
        switch evidence {
        case .proof(let draft, let origin): record(.proven(draft), of: origin)
        case .name(let draft, let origin): record(.named(draft), of: origin)
        case .silence(let draft, let origin):
            // Of several uploads at once, only the first one counts.
            if offer(to: origin) == draft { record(.unanswered(draft), of: origin) }
        case .cut(let origin):
            if originsOfCuts.count >= Self.limit { originsOfCuts.removeFirst() }
            originsOfCuts.insert(origin)
        case .tus(let capabilities, let url):
            if tus.count >= Self.limit, let other = tus.keys.first { tus[other] = nil }
            tus[Self.place(url)] = capabilities
        case .noTus(let url):
            tus[Self.place(url)] = nil
            guard let origin = Origin(url: url) else { return }
            if originsWithoutTus.count >= Self.limit { originsWithoutTus.removeFirst() }
            originsWithoutTus.insert(origin)
        }
    }

    private mutating func record(_ experience: Experience, of origin: Origin) {
        if origins.count >= Self.limit, let other = origins.keys.first { origins[other] = nil }
        origins[origin] = experience
    }

    /// Returns a URL without the parts that differ from one upload to the next.
    private static func place(_ url: String) -> String { String(url.prefix { !"?#".contains($0) }) }
}

/// The knowledge about servers that the uploads of a session, or of ferryd, share.
@LoopActor
package final class UploadMemory {
    /// What is known.
    var knowledge = UploadKnowledge()

    /// Makes an empty memory.
    package nonisolated init() {}
}

/// A server's limits for an upload (`Upload-Limit`).
package struct UploadLimits: Hashable, Sendable, Codable {
    /// The most bytes of one part.
    package var greatestAppend: Int64?

    /// No limits.
    package init() {}

    /// Reads a field: a dictionary of integers (RFC 9651 §3.2); members that are not understood set no limit.
    ///
    /// The server enforces the limits of the whole, as it knows what it has promised. The minimum size of a
    /// part does not apply to the last one, and other parts are as large as the server allows.
    init(_ value: String) {
        for member in value.split(separator: ",") {
            let halves = member.split(separator: "=", maxSplits: 1)
            guard halves.count == 2,
                String(halves[0]).trimmingSpaces.lowercased() == "max-append-size",
                let limit = Int64(structuredInteger: String(halves[1])), limit > 0
            else { continue }
            greatestAppend = limit
        }
    }

    /// Reads stored limits, and refuses those that no upload could satisfy.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        greatestAppend = try container.decodeIfPresent(Int64.self, forKey: .greatestAppend)
        guard greatestAppend ?? 1 > 0 else {
            throw DecodingError.dataCorruptedError(
                forKey: .greatestAppend,
                in: container,
                debugDescription: "parts of \(greatestAppend ?? 0) bytes"
            )
        }
    }
}
