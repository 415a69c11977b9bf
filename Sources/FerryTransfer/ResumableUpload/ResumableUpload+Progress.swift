import FerryHTTP
import FerrySystem

extension ResumableUpload {
    /// How far an upload has come: where it continues, what the server has of it, and what responses say about
    /// that.
    struct Progress {
        /// The resource at which the upload can continue.
        private(set) var resource: UploadResource?
        private let requests: Requests
        private var negotiation: Negotiation
        private var retryLimit: RetryLimit
        /// The most bytes of the body that an attempt has sent; `nil` if unknown.
        private var greatestSentByteCount: Int64?
        /// The number of bytes of the current request's body that were sent.
        private var sentByteCount: Int64 = 0
        /// The offset of that body in the upload.
        private var bodyStart: Int64 = 0
        /// The highest offset that the server has reported.
        private var greatestAcknowledgedByteCount: Int64
        /// The offset of a part that the server has not confirmed.
        private var refusedOffset: Int64?
        /// The URL for the next part, in place of the resource's.
        private var detour: String?

        init(
            _ requests: Requests,
            resource: UploadResource?,
            knowledge: UploadKnowledge,
            configuration: Configuration
        ) {
            self.requests = requests
            self.resource = resource
            negotiation = Negotiation(
                requests.request,
                byteCount: requests.byteCount,
                protocols: configuration.protocols,
                knowledge: knowledge
            )
            retryLimit = RetryLimit(configuration)
            // Another process may not have been able to report how many bytes it sent.
            greatestSentByteCount = resource == nil ? 0 : nil
            greatestAcknowledgedByteCount = resource?.acknowledgedByteCount ?? 0
        }

        private var byteCount: Int64? { requests.byteCount }

        // MARK: - Requests

        /// The first step.
        var firstStep: Step { resource == nil ? negotiation.firstStep : .locate }

        /// The checksum to compute before a step; `nil` for none.
        func missingChecksum(for step: Step) -> (Part, TusChecksum)? {
            guard case .append(let part) = step, part.checksum == nil, part.byteCount != 0,
                let checksum = requests.checksum(for: resource)
            else { return nil }
            return (part, checksum)
        }

        /// Begins a step.
        ///
        /// - Returns: Its request.
        mutating func begin(_ step: Step) -> Dispatch {
            sentByteCount = 0
            guard case .append(let part) = step else {
                bodyStart = 0
                return requests.dispatch(step, to: resource, detour: nil)
            }
            bodyStart = part.start
            defer { detour = nil }
            return requests.dispatch(step, to: resource, detour: detour)
        }

        /// The request that has the server forget the upload, if it can.
        var termination: TransferRequest? {
            guard let resource, resource.tus?.terminates ?? true else { return nil }
            return requests.termination(of: resource)
        }

        /// Records how many bytes of the current request's body were sent.
        ///
        /// - Returns: The number of bytes of the upload that were sent.
        mutating func sent(_ byteCount: Int64) -> Int64 {
            sentByteCount = byteCount
            let total = bodyStart + byteCount
            if let greatest = greatestSentByteCount { greatestSentByteCount = max(greatest, total) }
            return total
        }

        // MARK: - The resource

        /// Uses another URL for the resource from now on.
        mutating func moved(to url: String) { resource?.url = url }

        /// Uses another URL for the next part only.
        mutating func detoured(to url: String) { detour = url }

        /// The server cannot continue the upload.
        ///
        /// - Returns: Whether there was something to continue.
        mutating func loseResource() -> Bool {
            defer { resource = nil }
            return resource != nil
        }

        /// Records the offset that the server reports while it is being sent more.
        private mutating func acknowledge(_ offset: Int64?) {
            guard let offset, offset <= greatestSentByteCount ?? .max, offset <= byteCount ?? .max
            else { return }
            recordProgress(to: offset)
        }

        /// Records progress at the server, which ends a row of failures.
        private mutating func recordProgress(to offset: Int64) {
            resource?.acknowledgedByteCount = offset
            guard offset > greatestAcknowledgedByteCount else { return }
            greatestAcknowledgedByteCount = offset
            retryLimit.progressed()
        }

        private func rest(from offset: Int64) -> Sequel {
            .send(.append(requests.part(from: offset, to: resource)))
        }
    }
}

// MARK: - Interruptions

extension ResumableUpload.Progress {
    /// Decides about an interruption.
    ///
    /// - Parameters:
    ///   - error: The failure.
    ///   - now: When it happened.
    ///   - generator: The source of randomness.
    /// - Returns: The time after which the upload continues; `nil` if it fails.
    mutating func delay(
        after error: TransferError,
        at now: ResumableUpload.Moment,
        using generator: inout some RandomNumberGenerator
    ) -> Duration? {
        guard resource != nil else { return nil }
        return retryLimit.delay(after: error, at: now, using: &generator)
    }

    /// Starts the time again after a pause, which does not count.
    mutating func renewRetryLimit() { retryLimit.renew() }

    /// Asks anew after a pause: what the server refused before, it may accept now.
    mutating func askAnew() -> ResumableUpload.Step {
        refusedOffset = nil
        return .locate
    }

    /// Remembers what an interruption of the app's request says about the server.
    func uploadFailed(offering draft: UploadProtocol?, into effects: inout Effects) {
        // A connection that was never made says nothing about the server.
        guard sentByteCount > 0, resource == nil else { return }
        negotiation.endOfOffer(draft, into: &effects)
        negotiation.recordCut(into: &effects)
    }

    /// Handles an interruption of the question for tus; returns the step that follows.
    mutating func discoveryFailed(
        _ error: TransferError,
        into effects: inout Effects
    ) -> ResumableUpload.Step {
        negotiation.discoveryFailed(error, into: &effects)
        return negotiation.upload
    }
}

// MARK: - Responses

extension ResumableUpload.Progress {
    typealias Effects = ResumableUpload.StateMachine.Effects
    typealias Meaning = ResumableUpload.Meaning

    /// Handles an interim response to a step, the only proof that the server can continue the upload.
    mutating func informed(
        _ head: HTTPResponseHead,
        during step: ResumableUpload.Step,
        into effects: inout Effects
    ) {
        let report = UploadReport(head)
        switch step {
        case .upload(let draft?):
            proved(report, by: draft, into: &effects)
        case .append:
            guard report.interopVersion == resource?.language.interopVersion else { return }
            acknowledge(report.offset)
        case .upload(nil), .discover, .create, .locate:
            break
        }
    }

    private mutating func proved(
        _ report: UploadReport,
        by draft: UploadProtocol,
        into effects: inout Effects
    ) {
        guard let version = report.interopVersion else { return }
        guard version == draft.interopVersion else { return negotiation.serverNamed(version) }
        guard resource == nil else { return acknowledge(report.offset) }
        guard let url = report.location, let origin = Origin(url: requests.request.url) else {
            return
        }
        let resource = UploadResource(
            url: url,
            language: draft,
            limits: report.limits ?? UploadLimits()
        )
        self.resource = resource
        effects.add(.remember(.proof(draft, origin)))
        effects.add(.report(resource))
    }

    /// Remembers what the response to the app's request says about its offer.
    func endOfOffer(_ step: ResumableUpload.Step, into effects: inout Effects) {
        guard case .upload(let draft) = step, resource == nil else { return }
        negotiation.endOfOffer(draft, into: &effects)
    }

    /// Decides by the response to a step.
    mutating func answered(
        _ head: HTTPResponseHead,
        to step: ResumableUpload.Step,
        at now: ResumableUpload.Moment,
        into effects: inout Effects
    ) -> Meaning {
        let report = UploadReport(head)
        switch (step, resource?.language) {
        case (.upload, _): return uploaded(head, report, at: now)
        case (.discover, _): return negotiation.discovered(head, into: &effects)
        case (.create(let capabilities), _):
            return created(head, report, capabilities, into: &effects)
        case (.locate, let language?):
            return located(head, report, language, at: now, into: &effects)
        case (.append(let part), let language?):
            return appended(part, head, report, language, at: now)
        // These steps are made at a resource.
        case (.locate, nil), (.append, nil): return .answer
        }
    }

    /// Decides by the response to the app's request.
    private func uploaded(
        _ head: HTTPResponseHead,
        _ report: UploadReport,
        at now: ResumableUpload.Moment
    ) -> Meaning {
        if isUnavailable(head, report, at: now) { return .unavailable(head, at: now) }
        if negotiation.leadsToTus(head, report) { return .sequel(.send(.discover)) }
        if resource != nil, (200..<300).contains(head.status), let offset = report.offset,
            offset != byteCount ?? sentByteCount
        {
            return .contradiction(offset)
        }
        return .answer
    }

    /// Decides by the response to the creation of a tus resource.
    private mutating func created(
        _ head: HTTPResponseHead,
        _ report: UploadReport,
        _ capabilities: TusCapabilities,
        into effects: inout Effects
    ) -> Meaning {
        // The server has changed; this says nothing about the app's request.
        guard report.isTus else { return negotiation.lacksTus(into: &effects) }
        guard head.status == 201 else { return .answer }
        guard let url = report.location else {
            return .badResponse("the server does not say where the upload continues")
        }
        let byteCount = byteCount ?? 0
        let offset = requests.isSentAtOnce(capabilities) ? report.offset ?? 0 : 0
        guard (0...byteCount).contains(offset) else { return .contradiction(offset) }
        guard offset < byteCount else { return .answer }
        resource = UploadResource(
            url: url,
            language: .tus,
            acknowledgedByteCount: offset,
            tus: capabilities
        )
        effects.add(.report(resource))
        return .sequel(rest(from: offset))
    }

    /// Decides by the response about how far the upload has come.
    private mutating func located(
        _ head: HTTPResponseHead,
        _ report: UploadReport,
        _ language: UploadProtocol,
        at now: ResumableUpload.Moment,
        into effects: inout Effects
    ) -> Meaning {
        guard language.tellsOffset(byStatus: head.status) else {
            return notLocated(head, language, at: now)
        }
        if language != .tus, report.isComplete == true {
            if let offset = report.offset, let byteCount, offset != byteCount {
                return .contradiction(offset)
            }
            return .lostAnswer
        }
        guard let offset = report.offset else {
            return .badResponse("the server does not tell how far the upload has come")
        }
        guard offset <= byteCount ?? .max, offset <= greatestSentByteCount ?? .max,
            report.byteCount ?? byteCount == byteCount || byteCount == nil
        else { return .contradiction(offset) }
        guard offset != refusedOffset else { return .misplacement(offset) }
        if let limits = report.limits { resource?.limits = limits }
        recordProgress(to: offset)
        // A tus server's final response says no more than this one.
        if language == .tus, offset == byteCount { return .answer }
        effects.add(.report(resource))
        return .sequel(rest(from: offset))
    }

    private func notLocated(
        _ head: HTTPResponseHead,
        _ language: UploadProtocol,
        at now: ResumableUpload.Moment
    ) -> Meaning {
        if language.tellsLoss(byStatus: head.status) { return .loss(head) }
        if head.status >= 500 || language == .tus && head.status == 423 {
            return .unavailable(head, at: now)
        }
        return .badResponse(
            "the server answers \(head.status) when it is asked how far the upload is"
        )
    }

    /// Decides by the response to a part.
    private mutating func appended(
        _ part: ResumableUpload.Part,
        _ head: HTTPResponseHead,
        _ report: UploadReport,
        _ language: UploadProtocol,
        at now: ResumableUpload.Moment
    ) -> Meaning {
        if (200..<300).contains(head.status) { return accepted(part, report, language) }
        // This is what the app's server says about the whole.
        if report.isComplete == true { return .answer }
        if isUnavailable(head, report, at: now) { return .unavailable(head, at: now) }
        if language.tellsLoss(byStatus: head.status) { return .loss(head) }
        switch (head.status, language) {
        // Another connection's bytes were late, a lock is held, bytes were damaged: in tus a client asks again.
        case (409, .tus), (423, .tus), (460, .tus):
            return .unavailable(head, at: now)
        case (409, _):
            // Bytes of an interrupted connection may arrive after the server has reported its offset: it is
            // asked once more.
            return askOnceMore(after: part)
        default:
            return .answer
        }
    }

    private mutating func accepted(
        _ part: ResumableUpload.Part,
        _ report: UploadReport,
        _ language: UploadProtocol
    ) -> Meaning {
        // A gateway that responds in place of a tus server does not report that server's offset.
        guard language != .tus || report.offset != nil else { return askOnceMore(after: part) }
        let end = part.end ?? part.start + sentByteCount
        if let offset = report.offset, offset != end {
            // tus allows a server to take less than it was sent.
            guard language == .tus, offset > part.start, offset < end else {
                return .contradiction(offset)
            }
            recordProgress(to: offset)
            return .sequel(rest(from: offset))
        }
        recordProgress(to: end)
        return part.isLast ? .answer : .sequel(rest(from: end))
    }

    /// Asks where the upload continues; fails if it has come no further than the last time.
    private mutating func askOnceMore(after part: ResumableUpload.Part) -> Meaning {
        guard part.start > refusedOffset ?? -1 else { return .misplacement(part.start) }
        refusedOffset = part.start
        return .sequel(.send(.locate))
    }

    /// Whether a response only says that the server cannot continue now.
    private func isUnavailable(
        _ head: HTTPResponseHead,
        _ report: UploadReport,
        at now: ResumableUpload.Moment
    ) -> Bool {
        head.status >= 500 && resource != nil && report.isComplete != true
            && retryLimit.outlastsUnavailability(at: now)
    }
}
