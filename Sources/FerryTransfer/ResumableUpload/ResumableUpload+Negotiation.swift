import FerryHTTP
import FerrySystem

extension ResumableUpload {
    /// Chooses the protocol for an upload, and finds out what the server supports.
    struct Negotiation {
        private let request: TransferRequest
        /// The length of the body, where it is known.
        private let byteCount: Int64?
        private let protocols: Protocols
        /// What was known of servers when the upload began.
        private let knowledge: UploadKnowledge
        /// The protocol that the server named in place of the draft it was offered.
        private var namedProtocol: UploadProtocol?
        /// Whether the server was asked for tus, with or without a response.
        private var hasTriedTus = false

        init(
            _ request: TransferRequest,
            byteCount: Int64?,
            protocols: Protocols,
            knowledge: UploadKnowledge
        ) {
            self.request = request
            self.byteCount = byteCount
            self.protocols = protocols
            self.knowledge = knowledge
        }

        /// The first step of an upload of which the server has nothing.
        var firstStep: Step {
            guard allowsTus else { return upload }
            if let capabilities = knowledge.tusCapabilities(at: request.url) {
                return .create(capabilities)
            }
            return asksForTus ? .discover : upload
        }

        /// The app's request, with the draft to offer to the server.
        var upload: Step {
            guard protocols.includesDrafts, request.allowsResumableUpload,
                let origin = Origin(url: request.url)
            else { return .upload(offering: nil) }
            return .upload(offering: knowledge.offer(to: origin))
        }

        /// Whether tus can be used: it creates resources by POST, and needs their lengths.
        private var allowsTus: Bool {
            protocols.includesTus && request.allowsResumableUpload && request.method == "POST"
                && byteCount != nil
        }

        /// Whether to ask for tus before the upload: that is worth its time if much could be lost, or was lost
        /// before, and the server has not been asked.
        private var asksForTus: Bool {
            guard protocols == .automatic else { return true }
            guard let byteCount, let origin = Origin(url: request.url) else { return false }
            if knowledge.cutsUploads(to: origin) { return true }
            return byteCount >= Self.worthAQuestion && knowledge.knowsNothing(of: origin)
        }

        /// 16 MiB take seconds on a common line, beside which one more exchange is little.
        static let worthAQuestion: Int64 = 16 << 20

        // MARK: - Drafts

        /// Records the draft that the server names in place of the one it was offered; it is not used, but
        /// remembered for the next upload.
        mutating func serverNamed(_ version: Int) {
            namedProtocol = UploadProtocol(interopVersion: version)
        }

        /// Remembers what the end of the app's request says about an offer that the server has not accepted.
        func endOfOffer(_ draft: UploadProtocol?, into effects: inout StateMachine.Effects) {
            guard let draft, let origin = Origin(url: request.url) else { return }
            let evidence: UploadKnowledge.Evidence =
                namedProtocol.map { .name($0, origin) } ?? .silence(draft, origin)
            effects.add(.remember(evidence))
        }

        // MARK: - tus

        /// Whether the response to the app's request is a reason to ask for tus.
        func leadsToTus(_ head: HTTPResponseHead, _ report: UploadReport) -> Bool {
            report.isTus && (400..<500).contains(head.status) && allowsTus && !hasTriedTus
        }

        /// Decides by the response to the question for tus.
        mutating func discovered(
            _ head: HTTPResponseHead,
            into effects: inout StateMachine.Effects
        ) -> Meaning {
            hasTriedTus = true
            guard let capabilities = TusCapabilities(head), capabilities.creates else {
                return lacksTus(into: &effects)
            }
            effects.add(.remember(.tus(capabilities, url: request.url)))
            return .sequel(.send(.create(capabilities)))
        }

        /// Handles a failure of the question for tus.
        mutating func discoveryFailed(
            _ error: TransferError,
            into effects: inout StateMachine.Effects
        ) {
            hasTriedTus = true
            if error.code == .timedOut { effects.add(.remember(.noTus(url: request.url))) }
        }

        /// Decides by a response that shows that the server does not support tus.
        func lacksTus(into effects: inout StateMachine.Effects) -> Meaning {
            effects.add(.remember(.noTus(url: request.url)))
            return .sequel(.send(upload))
        }

        /// Remembers what an interruption says about the server if nothing can continue: the server is worth a
        /// question before everything is sent again.
        func recordCut(into effects: inout StateMachine.Effects) {
            guard allowsTus, let origin = Origin(url: request.url) else { return }
            effects.add(.remember(.cut(origin)))
        }
    }
}
