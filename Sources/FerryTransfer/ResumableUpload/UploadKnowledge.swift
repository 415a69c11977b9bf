package import FerrySystem

/// What is known of servers by the uploads to them: which protocol to offer.
///
/// A server tells that it can continue uploads only in answer to an offer in its own version, so that one
/// that has not taken an offer up is offered the next version by the next upload.
package struct UploadKnowledge: Hashable, Sendable {
    /// What came of the last offer to a server.
    private enum Experience: Hashable {
        /// It has taken this up.
        case proven(UploadProtocol)
        /// It speaks this, by its own account.
        case named(UploadProtocol)
        /// It has not taken this up.
        case unanswered(UploadProtocol)
    }

    /// What an upload has shown about a server.
    enum Evidence: Hashable {
        /// An offer was taken up.
        case proof(UploadProtocol, Origin)
        /// An offer was answered by another draft's number.
        case name(UploadProtocol, Origin)
        /// An offer had no answer.
        case silence(UploadProtocol, Origin)
        /// An upload that could not be continued was cut off before its answer.
        case cut(Origin)
        /// Here, uploads are made by tus.
        case tus(TusCapabilities, url: String)
        /// Here, they are not.
        case noTus(url: String)
    }

    private var origins: [Origin: Experience] = [:]
    /// By URL: that a server has a place for tus says nothing about its other places.
    private var tus: [String: TusCapabilities] = [:]
    private var originsWithoutTus: Set<Origin> = []
    private var originsOfCuts: Set<Origin> = []
    /// How many servers are remembered of each kind; with more of them any other one is forgotten.
    private static let limit = 1000

    /// Knows of none.
    package init() {}

    /// The draft that a server is offered.
    func offer(to origin: Origin) -> UploadProtocol {
        switch origins[origin] {
        case .proven(let draft), .named(let draft): draft
        case .unanswered(let draft): draft.successor
        case nil: UploadProtocol.drafts[0]
        }
    }

    /// What the server of tus can do that is at a URL, if it is known that there is one.
    func tusCapabilities(at url: String) -> TusCapabilities? { tus[Self.place(url)] }

    /// Whether nothing is known that says whether a server speaks a protocol for uploads.
    func knowsNothing(of origin: Origin) -> Bool {
        !originsWithoutTus.contains(origin) && origins[origin] == nil
    }

    /// Whether uploads are cut off on the way to a server that nobody has asked whether it speaks tus.
    func cutsUploads(to origin: Origin) -> Bool {
        originsOfCuts.contains(origin) && !originsWithoutTus.contains(origin)
    }

    /// Records what an upload has shown.
    mutating func note(_ evidence: Evidence) {
        switch evidence {
        case .proof(let draft, let origin): note(.proven(draft), of: origin)
        case .name(let draft, let origin): note(.named(draft), of: origin)
        case .silence(let draft, let origin):
            // Of several uploads at once, the first one has said it.
            if offer(to: origin) == draft { note(.unanswered(draft), of: origin) }
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

    private mutating func note(_ experience: Experience, of origin: Origin) {
        if origins.count >= Self.limit, let other = origins.keys.first { origins[other] = nil }
        origins[origin] = experience
    }

    /// A URL without what differs from one upload to the next.
    private static func place(_ url: String) -> String { String(url.prefix { !"?#".contains($0) }) }
}

/// What the uploads of a session, or of ferryd, know together about servers.
@LoopActor
package final class UploadMemory {
    /// What is known.
    var knowledge = UploadKnowledge()

    /// Knows nothing.
    package nonisolated init() {}
}
