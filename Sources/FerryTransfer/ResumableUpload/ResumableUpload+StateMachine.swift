import FerryHTTP
import FoundationEssentials

extension ResumableUpload {
    /// Decides how a body is sent to a server by one request or several; performs nothing itself.
    ///
    /// It begins with the app's request, to which a server that can continue uploads sends an interim response,
    /// or with the creation of a tus resource. If the connection is interrupted after that, the server is asked
    /// what it has, and is sent the rest. The response to the last of these requests is the response to the
    /// app's.
    struct StateMachine {
        /// How far the upload has come.
        enum State: Hashable {
            /// Nothing has been sent.
            case ready
            /// A request was sent, and its response head has not arrived.
            case requesting(Step)
            /// The body of a response that is not final is being skipped.
            case leaving(then: Sequel)
            /// The checksum of the next part is being computed.
            case digesting(Part)
            /// The connection was interrupted, and some time has to pass.
            case waiting
            /// The final response is being received.
            case answering
            /// The upload has ended.
            case ended
        }

        /// What follows a response that is not final.
        enum Sequel: Hashable {
            case send(Step)
            /// Ask again what the server has, after this failure.
            case goOn(after: TransferError)
        }

        /// What the owner must do, in the order given.
        enum Effect: Equatable {
            case send(Dispatch)
            case cancelLoad
            /// Skip the body of the response.
            case skipBody
            /// Deliver the response, as the answer to the app's request.
            case answer(HTTPResponseHead, TransferRequest)
            /// Call back when this much time has passed.
            case wait(Duration)
            case stopWaiting
            /// Compute the checksum of a part.
            case digest(Part, TusChecksum)
            case remember(UploadKnowledge.Evidence)
            /// The upload can be continued by this now; `nil` when it no longer can.
            case report(UploadResource?)
            case reportSent(Int64)
            /// Have the server forget the upload.
            case terminate(TransferRequest)
            case finish(TransferError?)
        }

        var state = State.ready
        /// The resource at which the upload can continue.
        var resource: UploadResource?
        let request: TransferRequest
        /// The length of the body, where it is known.
        let byteCount: Int64?
        /// Whether a checksum of its bytes can be computed before they are sent.
        let isRepeatable: Bool
        /// The name of the file for a tus server.
        let name: String
        let configuration: Configuration
        /// What was known of servers when the upload began.
        let knowledge: UploadKnowledge

        /// The most bytes of the body that an attempt has sent; `nil` if unknown.
        var greatestSentByteCount: Int64?
        /// The number of bytes of the current request's body that were sent.
        var sentByteCount: Int64 = 0
        /// The offset of that body in the upload.
        var bodyStart: Int64 = 0
        /// The highest offset that the server has reported.
        var greatestAcknowledgedByteCount: Int64 = 0
        /// The protocol that the server named in place of the draft it was offered.
        var namedProtocol: UploadProtocol?
        /// The offset of a part that the server has not confirmed.
        var refusedOffset: Int64?
        /// The URL for the next part, in place of the resource's.
        var detour: String?
        /// Whether a redirect says that the response is to be fetched elsewhere.
        var isAnswerElsewhere = false
        var hasTriedTus = false
        /// How often in a row the upload was interrupted without progress, and since when.
        var failureCount = 0
        var firstFailure: ContinuousClock.Instant?

        init(
            request: TransferRequest,
            byteCount: Int64?,
            isRepeatable: Bool = true,
            name: String = Body.namelessName,
            resource: UploadResource? = nil,
            knowledge: UploadKnowledge = UploadKnowledge(),
            configuration: Configuration
        ) {
            self.request = request
            self.byteCount = byteCount
            self.isRepeatable = isRepeatable
            self.name = name
            self.resource = resource
            self.knowledge = knowledge
            self.configuration = configuration
            // Another process may not have been able to report how many bytes it sent.
            greatestSentByteCount = resource == nil ? 0 : nil
            greatestAcknowledgedByteCount = resource?.acknowledgedByteCount ?? 0
        }

        /// Whether the upload is over, so that no event may follow.
        var hasEnded: Bool { state == .ended }

        /// Whether the current request continues from what the server has.
        var goesOn: Bool {
            switch state {
            case .requesting(.locate), .requesting(.append): true
            case .requesting(.upload), .requesting(.discover), .requesting(.create), .ready,
                .leaving, .digesting, .waiting, .answering, .ended:
                false
            }
        }

        // MARK: - Beginning and end

        mutating func start() -> [Effect] {
            guard state == .ready else { return [] }
            return send(firstStep)
        }

        /// Ends the upload without further events.
        ///
        /// - Parameter terminates: Whether the server is to forget what it has.
        /// - Returns: What to do.
        mutating func cancel(terminates: Bool) -> [Effect] {
            defer { state = .ended }
            let termination = terminates ? termination : []
            switch state {
            case .requesting, .leaving: return [.cancelLoad] + termination
            case .answering: return [.cancelLoad]
            case .waiting: return [.stopWaiting] + termination
            case .ready, .digesting: return termination
            case .ended: return []
            }
        }

        private var termination: [Effect] {
            guard let resource, resource.tus?.terminates ?? true else { return [] }
            return [.terminate(about(resource, method: "DELETE"))]
        }

        private var firstStep: Step {
            if resource != nil { return .locate }
            if allowsTus {
                if let capabilities = knowledge.tusCapabilities(at: request.url) {
                    return .create(capabilities)
                }
                if asksForTus { return .discover }
            }
            return .upload(offering: offer)
        }

        /// The draft to offer to the server.
        var offer: UploadProtocol? {
            guard configuration.protocols.includesDrafts, request.allowsResumableUpload,
                let origin = Origin(url: request.url)
            else { return nil }
            return knowledge.offer(to: origin)
        }

        /// Whether tus can be used: it creates resources by POST, and needs their lengths.
        var allowsTus: Bool {
            configuration.protocols.includesTus && request.allowsResumableUpload
                && request.method == "POST" && byteCount != nil
        }

        /// Whether to ask for tus before the upload: that is worth its time if much could be lost, or was lost
        /// before, and the server has not been asked.
        private var asksForTus: Bool {
            guard configuration.protocols == .automatic else { return true }
            guard let byteCount, let origin = Origin(url: request.url) else { return false }
            if knowledge.cutsUploads(to: origin) { return true }
            return byteCount >= Self.worthAQuestion && knowledge.knowsNothing(of: origin)
        }

        /// 16 MiB take seconds on a common line, beside which one more exchange is little.
        static let worthAQuestion: Int64 = 16 << 20

        mutating func fail(_ error: TransferError, keepsResource: Bool = true) -> [Effect] {
            state = .ended
            guard !keepsResource, resource != nil else { return [.finish(error)] }
            resource = nil
            return [.report(nil), .finish(error)]
        }
    }
}

// MARK: - Requests

extension ResumableUpload.StateMachine {
    mutating func send(_ step: ResumableUpload.Step) -> [Effect] {
        if case .append(let part) = step, part.checksum == nil, part.byteCount != 0,
            let checksum
        {
            state = .digesting(part)
            return [.digest(part, checksum)]
        }
        state = .requesting(step)
        sentByteCount = 0
        bodyStart = if case .append(let part) = step { part.start } else { 0 }
        isAnswerElsewhere = false
        return [.send(dispatch(step))]
    }

    /// Sends a part after its checksum was computed.
    mutating func digested(_ checksum: String?) -> [Effect] {
        guard case .digesting(var part) = state else { return [] }
        guard let checksum else {
            let message = "the body of the upload cannot be read a second time"
            return fail(TransferError(code: .bodySpent, message: message))
        }
        part.checksum = checksum
        return send(.append(part))
    }

    private mutating func dispatch(_ step: ResumableUpload.Step) -> ResumableUpload.Dispatch {
        switch step {
        case .upload(let draft):
            var upload = request
            upload.fields += draft?.creationFields(byteCount: byteCount) ?? []
            return ResumableUpload.Dispatch(request: upload, body: .whole)
        case .discover:
            var question = request.uploadRequest(to: request.url, method: "OPTIONS", adding: [])
            // A server that does not respond to this must not delay what it would accept.
            let idleTimeout = question.idleTimeout > 0 ? question.idleTimeout : .infinity
            question.idleTimeout = min(idleTimeout, Self.discoveryTimeout)
            return ResumableUpload.Dispatch(request: question, body: .none)
        case .create(let capabilities):
            return creation(capabilities)
        case .locate:
            guard let resource else {
                return ResumableUpload.Dispatch(request: request, body: .none)
            }
            return ResumableUpload.Dispatch(request: about(resource, method: "HEAD"), body: .none)
        case .append(let part):
            return ResumableUpload.Dispatch(request: append(part), body: .part(part))
        }
    }

    private static let discoveryTimeout = 10.0

    func about(_ resource: UploadResource, method: String) -> TransferRequest {
        request.uploadRequest(
            to: resource.url,
            method: method,
            adding: resource.language.versionFields
        )
    }

    private mutating func append(_ part: ResumableUpload.Part) -> TransferRequest {
        guard let resource else { return request }
        var fields = resource.language.appendFields(
            offset: part.start,
            isComplete: part.isLast,
            contentType: request.fields.first(named: "Content-Type")
        )
        if let hash = part.checksum, let checksum {
            fields.append(HTTPField(name: "Upload-Checksum", value: "\(checksum.rawValue) \(hash)"))
        }
        defer { detour = nil }
        return request.uploadRequest(
            to: detour ?? resource.url,
            method: "PATCH",
            adding: fields
        )
    }

    private func creation(_ capabilities: TusCapabilities) -> ResumableUpload.Dispatch {
        let byteCount = byteCount ?? 0
        var fields = UploadProtocol.tus.versionFields + [.uploadLength(byteCount)]
        fields.append(HTTPField(name: "Upload-Metadata", value: tusMetadata))
        let takesBody = Self.isSentAtOnce(byteCount, capabilities)
        if takesBody {
            let type = HTTPField(name: "Content-Type", value: UploadProtocol.tusMediaType)
            fields.append(type)
        }
        return ResumableUpload.Dispatch(
            request: request.uploadRequest(to: request.url, method: "POST", adding: fields),
            body: takesBody ? .whole : .none
        )
    }

    /// Whether the creation of a resource carries the body: only a short one, as it is lost with the
    /// connection.
    static func isSentAtOnce(_ byteCount: Int64, _ capabilities: TusCapabilities) -> Bool {
        capabilities.createsWithUpload && byteCount > 0 && byteCount <= 256 << 10
    }

    /// The metadata of the body: what the app sets, or else its name and type.
    private var tusMetadata: String {
        if let own = request.fields.first(named: "Upload-Metadata") { return own }
        let type = request.fields.first(named: "Content-Type") ?? "application/octet-stream"
        return [("filename", name), ("filetype", type)]
            .map { "\($0) \(Data($1.utf8).base64EncodedString())" }
            .joined(separator: ",")
    }

    /// Returns the next part of the body, as large as the server accepts.
    func part(from start: Int64) -> ResumableUpload.Part {
        // Without a known end of the body, it is unknown which part is the last one.
        guard let byteCount else {
            return ResumableUpload.Part(start: start, end: nil, isLast: true)
        }
        var greatest = resource?.limits.greatestAppend ?? .max
        if checksum != nil { greatest = min(greatest, Self.checkedByteCount) }
        let end = byteCount - start > greatest ? start + greatest : byteCount
        return ResumableUpload.Part(start: start, end: end, isLast: end == byteCount)
    }

    /// The checksum of parts.
    private var checksum: TusChecksum? { isRepeatable ? resource?.tus?.checksum : nil }

    /// The size of parts with a checksum: a damaged part is sent again, and each is read twice in a row.
    private static let checkedByteCount: Int64 = 4 << 20
}
