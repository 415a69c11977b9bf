import FerryHTTP

/// Handles the responses to the steps.
extension ResumableUpload.StateMachine {
    mutating func receivedHead(
        _ head: HTTPResponseHead,
        to answered: TransferRequest,
        at now: ResumableUpload.Moment
    ) -> [Effect] {
        guard case .requesting(let step) = state else { return [] }
        if isAnswerElsewhere { return answer(head, to: answered) }
        let report = UploadReport(head)
        switch step {
        case .upload(let draft):
            return endOfOffer(draft) + uploaded(head, report, to: answered, at: now)
        case .discover:
            return discovered(head)
        case .create(let capabilities):
            return created(head, report, capabilities, to: answered)
        case .locate:
            return located(head, report, to: answered, at: now)
        case .append(let part):
            return appended(part, head, report, to: answered, at: now)
        }
    }

    /// Handles the response to the app's request.
    private mutating func uploaded(
        _ head: HTTPResponseHead,
        _ report: UploadReport,
        to answered: TransferRequest,
        at now: ResumableUpload.Moment
    ) -> [Effect] {
        if isUnavailable(head, report, at: now) { return goOnLater(head, at: now) }
        if report.isTus, (400..<500).contains(head.status), allowsTus, !hasTriedTus {
            return leave(head, for: .send(.discover))
        }
        if resource != nil, (200..<300).contains(head.status), let offset = report.offset,
            offset != byteCount ?? sentByteCount
        {
            return [.cancelLoad] + contradicted(offset)
        }
        return answer(head, to: answered)
    }

    private mutating func discovered(_ head: HTTPResponseHead) -> [Effect] {
        hasTriedTus = true
        guard let capabilities = TusCapabilities(head), capabilities.creates else {
            return [.remember(.noTus(url: request.url))]
                + leave(head, for: .send(.upload(offering: offer)))
        }
        return [.remember(.tus(capabilities, url: request.url))]
            + leave(head, for: .send(.create(capabilities)))
    }

    /// Handles the response to the creation of a tus resource.
    private mutating func created(
        _ head: HTTPResponseHead,
        _ report: UploadReport,
        _ capabilities: TusCapabilities,
        to answered: TransferRequest
    ) -> [Effect] {
        guard report.isTus else {
            // The server has changed; this says nothing about the app's request.
            return [.remember(.noTus(url: request.url))]
                + leave(head, for: .send(.upload(offering: offer)))
        }
        guard head.status == 201 else { return answer(head, to: answered) }
        guard let url = report.location else {
            let message = "the server does not tell where the upload goes on"
            return [.cancelLoad] + fail(TransferError(code: .badServerResponse, message: message))
        }
        let byteCount = byteCount ?? 0
        let isSent = Self.isSentAtOnce(byteCount, capabilities)
        let offset = isSent ? report.offset ?? 0 : 0
        guard (0...byteCount).contains(offset) else { return [.cancelLoad] + contradicted(offset) }
        guard offset < byteCount else { return answer(head, to: answered) }
        let resource = UploadResource(
            url: url,
            language: .tus,
            acknowledgedByteCount: offset,
            tus: capabilities
        )
        self.resource = resource
        return [.report(resource)] + leave(head, for: .send(.append(part(from: offset))))
    }

    /// Handles the response about how far the upload has come.
    private mutating func located(
        _ head: HTTPResponseHead,
        _ report: UploadReport,
        to answered: TransferRequest,
        at now: ResumableUpload.Moment
    ) -> [Effect] {
        guard let language = resource?.language else { return [] }
        guard language.tellsOffset(byStatus: head.status) else {
            return notLocated(head, report, language, at: now)
        }
        if language != .tus, report.isComplete == true {
            if let offset = report.offset, let byteCount, offset != byteCount {
                return [.cancelLoad] + contradicted(offset)
            }
            return [.cancelLoad] + fail(Self.answerIsLost, keepsResource: false)
        }
        guard let offset = report.offset else {
            let message = "the server does not tell how far the upload has come"
            return [.cancelLoad] + fail(TransferError(code: .badServerResponse, message: message))
        }
        guard offset <= byteCount ?? .max, offset <= greatestSentByteCount ?? .max,
            report.byteCount ?? byteCount == byteCount || byteCount == nil
        else { return [.cancelLoad] + contradicted(offset) }
        guard offset != refusedOffset else { return [.cancelLoad] + misplaced(offset) }
        if let limits = report.limits { resource?.limits = limits }
        noteProgress(to: offset)
        // A tus server's final response says no more than this one.
        if language == .tus, offset == byteCount { return answer(head, to: answered) }
        return [.report(resource)] + leave(head, for: .send(.append(part(from: offset))))
    }

    private mutating func notLocated(
        _ head: HTTPResponseHead,
        _ report: UploadReport,
        _ language: UploadProtocol,
        at now: ResumableUpload.Moment
    ) -> [Effect] {
        if language.tellsLoss(byStatus: head.status) { return [.cancelLoad] + gone(head) }
        if head.status >= 500 || language == .tus && head.status == 423 {
            return goOnLater(head, at: now)
        }
        let message = "the server answers \(head.status) when it is asked how far the upload is"
        return [.cancelLoad] + fail(TransferError(code: .badServerResponse, message: message))
    }

    /// Handles the response to a part.
    private mutating func appended(
        _ part: ResumableUpload.Part,
        _ head: HTTPResponseHead,
        _ report: UploadReport,
        to answered: TransferRequest,
        at now: ResumableUpload.Moment
    ) -> [Effect] {
        guard let language = resource?.language else { return [] }
        if (200..<300).contains(head.status) {
            return accepted(part, head, report, language, to: answered)
        }
        // This is what the app's server says about the whole.
        if report.isComplete == true { return answer(head, to: answered) }
        if isUnavailable(head, report, at: now) { return goOnLater(head, at: now) }
        if language.tellsLoss(byStatus: head.status) { return [.cancelLoad] + gone(head) }
        switch (head.status, language) {
        // Another connection's bytes were late, a lock is held, bytes were damaged: in tus a client asks again.
        case (409, .tus), (423, .tus), (460, .tus):
            return goOnLater(head, at: now)
        case (409, _):
            // Bytes of an interrupted connection may arrive after the server has reported its offset: it is
            // asked once more.
            return askOnceMore(head, after: part)
        default:
            return answer(head, to: answered)
        }
    }

    private mutating func accepted(
        _ part: ResumableUpload.Part,
        _ head: HTTPResponseHead,
        _ report: UploadReport,
        _ language: UploadProtocol,
        to answered: TransferRequest
    ) -> [Effect] {
        // A gateway that responds in place of a tus server does not report that server's offset.
        guard language != .tus || report.offset != nil else {
            return askOnceMore(head, after: part)
        }
        let end = part.end ?? part.start + sentByteCount
        if let offset = report.offset, offset != end {
            // tus allows a server to take less than it was sent.
            guard language == .tus, offset > part.start, offset < end else {
                return [.cancelLoad] + contradicted(offset)
            }
            noteProgress(to: offset)
            return leave(head, for: .send(.append(self.part(from: offset))))
        }
        noteProgress(to: end)
        guard !part.isLast else { return answer(head, to: answered) }
        return leave(head, for: .send(.append(self.part(from: end))))
    }

    /// Asks where the upload continues; fails if it has come no further than the last time.
    private mutating func askOnceMore(
        _ head: HTTPResponseHead,
        after part: ResumableUpload.Part
    ) -> [Effect] {
        guard part.start > refusedOffset ?? -1 else {
            return [.cancelLoad] + misplaced(part.start)
        }
        refusedOffset = part.start
        return leave(head, for: .send(.locate))
    }
}
