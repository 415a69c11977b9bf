import FerryHTTP

extension Download.StateMachine {
    /// Handles the response head.
    ///
    /// - Parameters:
    ///   - head: The head.
    ///   - request: The request that the redirects led to.
    ///   - now: The date to which a date in the head is relative.
    ///   - clock: When the head arrived.
    /// - Returns: What to do.
    mutating func receivedHead(
        _ head: HTTPResponseHead,
        to request: TransferRequest,
        now: HTTPDate,
        at clock: ContinuousClock.Instant = .now
    ) -> [Effect] {
        switch state {
        case .requesting: break
        case .ended: return []
        case .ready, .draining, .receiving, .synchronizing, .verifying: return misuse()
        }
        if sources.isLedByOriginal { originalFailure = nil }
        current.transfer = current.resumption?.removingFields(of: request) ?? request
        if isFailure(head) {
            let error = TransferError(
                code: configuration.isUnavailable(head.status)
                    ? .serverUnavailable : .badServerResponse,
                message: "the server answers \(head.status)"
            )
            if let other = failOver(after: error, at: clock) { return [.cancelLoad] + other }
        }
        if let resumption = current.resumption {
            switch head.status {
            case 206: return partCame(head, for: resumption)
            // The field means nothing here (RFC 9110 §14.4), but a server that sends it may well have sent only
            // the part.
            case 200 where claimsToBePart(head):
                return leaveRefusal(head, "the server answers 200 with a part")
            // 304 answers a condition that was not set.
            case 304, 412, 416: return leaveRefusal(head, "the server answers \(head.status)")
            default: break
            }
        }
        if let error = refusal(of: head, at: now) {
            // A request that is retried has no response yet.
            let report: [Effect] =
                error.code == .errorResponse || error.code == .linkExpired
                ? [.reportResponse(head, current.transfer)] : []
            return report + [.cancelLoad] + fail(error)
        }
        if head.status == 206, !current.transfer.hasRange, !coversAll(head) {
            let error = TransferError(
                code: .badServerResponse,
                message: "the server sends a part where the whole was asked for"
            )
            return [.cancelLoad] + fail(error)
        }
        return wholeCame(head)
    }

    /// Whether another source may succeed.
    private func isFailure(_ head: HTTPResponseHead) -> Bool {
        switch head.status {
        case 200, 206: false
        // Only the app's address may answer a request for the whole with these; from a mirror they are
        // failures.
        case 412, 416, ..<400: !sources.isLedByOriginal && current.resumption == nil
        default: true
        }
    }

    private mutating func partCame(
        _ head: HTTPResponseHead,
        for resumption: Resumption
    ) -> [Effect] {
        switch resumption.answer(head) {
        case .refused(let reason):
            return leaveRefusal(head, reason)
        case .accepted(let end, let total):
            if resumption.isRelinked {
                return relinkedPartCame(head, for: resumption, end: end, total: total)
            }
            var version = resumption.version
            version.totalByteCount = total
            self.end = end
            noteDigests(head, of: resumption.offset..<end)
            if let gap = resumption.gap, let written = held?.segments {
                return gapCame(head, gap.lowerBound..<end, of: version, beside: written)
            }
            proof = Proof(byteCount: receivedByteCount - resumption.offset)
            held = Held(byteCount: receivedByteCount, version: version)
            return receive(
                head,
                version,
                [.continueFile(version)],
                resumedAt: resumption.offset,
                showing: shown(for: head, of: version)
            )
        }
    }

    /// Handles a part from another address than the bytes in the file, which begins with the last of them.
    ///
    /// Its version applies to those bytes once they have proved to be the same.
    private mutating func relinkedPartCame(
        _ head: HTTPResponseHead,
        for resumption: Resumption,
        end: Int64,
        total: Int64
    ) -> [Effect] {
        let validator = Validator(head: head)
        if resumption.gap != nil, validator == nil {
            return leaveRefusal(head, "the new address has nothing that proves its parts")
        }
        let unproved = validator.map {
            ResourceVersion(
                validator: $0,
                totalByteCount: total,
                url: head.url,
                link: configuration.link
            )
        }
        let proofEnd = resumption.gap?.upperBound
        proof = Proof(
            byteCount: (proofEnd ?? receivedByteCount) - resumption.offset,
            upTo: proofEnd,
            of: unproved
        )
        self.end = end
        noteDigests(head, of: resumption.offset..<end)
        var version = unproved ?? resumption.version
        version.totalByteCount = total
        // Bytes that are requested again have not been lost.
        return receive(
            head,
            version,
            [],
            resumedAt: receivedByteCount,
            showing: shown(for: head, of: version)
        )
    }

    /// Handles the first of several missing parts; others may be fetched in parallel.
    private mutating func gapCame(
        _ head: HTTPResponseHead,
        _ range: Range<Int64>,
        of version: ResourceVersion,
        beside written: ByteRanges
    ) -> [Effect] {
        let total = version.totalByteCount ?? range.upperBound
        var unassigned = written.gaps(upTo: total)
        unassigned.remove(range)
        var segments = Segments(totalByteCount: total, unassigned: unassigned)
        segments[Self.firstConnection] = .begun(
            at: range.lowerBound,
            limit: range.upperBound,
            end: range.upperBound
        )
        proof = Proof()
        let effects = receive(
            head,
            version,
            [.continueFile(version)],
            resumedAt: receivedByteCount,
            showing: shown(for: head, of: version)
        )
        self.segments = segments
        return effects
    }

    /// Replaces the file's bytes by a body that begins at the first byte.
    private mutating func wholeCame(_ head: HTTPResponseHead) -> [Effect] {
        let isBodiless =
            current.transfer.method == "HEAD" || head.status == 204 || head.status == 304
        let length = isBodiless || head.hasContentCoding ? nil : head.contentLength
        let isContinuable =
            original.isResumable && current.transfer.isResumable
            && (head.status == 200 || head.status == 206)
        let version = ResourceVersion(
            validator: isContinuable ? Validator(head: head) : nil,
            totalByteCount: length,
            url: head.url,
            link: configuration.link
        )
        proof = Proof()
        var effects: [Effect] = []
        if held != nil, current.resumption != nil {
            effects.append(.reportRestart(reason: "the server answers \(head.status)"))
        }
        held = nil
        sources.forgetProofs()
        sources.returnToFirst()
        end = length
        receivedByteCount = 0
        noteDigests(head)
        return receive(head, version, effects + [.beginFile(version)], resumedAt: 0, showing: head)
    }

    private mutating func receive(
        _ head: HTTPResponseHead,
        _ version: ResourceVersion,
        _ preparation: [Effect],
        resumedAt offset: Int64,
        showing shown: HTTPResponseHead
    ) -> [Effect] {
        let isContinuation = offset > 0 && response != nil
        state = .receiving
        hasReceivedBytes = false
        self.version = version
        segments = nil
        growth = canSegment(head, version) ? SegmentGrowth(policy: configuration.segments) : nil
        // A further continuation is not reported again.
        if isContinuation { return preparation + [.takeBody] }
        response = shown
        var effects = preparation + [.reportResponse(shown, current.transfer)]
        if offset > 0 || announcesResumption {
            announcesResumption = false
            effects.append(.reportResumption(offset: offset, total: version.totalByteCount))
        }
        return effects + [.takeBody]
    }

    /// The server will not continue the bytes in the file; the body of its response is ignored.
    private mutating func leaveRefusal(_ head: HTTPResponseHead, _ reason: String) -> [Effect] {
        [.reportRestart(reason: reason)] + leaveBody(of: head, for: Request(transfer: leading))
    }

    /// Sends the next request, after the current body if that is shorter than a handshake.
    private mutating func leaveBody(
        of head: HTTPResponseHead,
        for next: Request
    ) -> [Effect] {
        guard let length = head.contentLength, length <= Self.drainedByteCount else {
            return [.cancelLoad] + send(next)
        }
        state = .draining(next: next)
        return [.skipBody]
    }

    private static let drainedByteCount: Int64 = 16 * 1024

    /// Returns why a response is not delivered; `nil` if it is.
    private func refusal(of head: HTTPResponseHead, at now: HTTPDate) -> TransferError? {
        let message = "the server answers \(head.status)"
        if configuration.isUnavailable(head.status), configuration.unavailableResponses == .fail {
            let wait = RetryAfter(head: head, now: now)?.seconds
            // The app has named the status, there are bytes to lose, or the server has named a time.
            if configuration.retriedStatuses != nil || held != nil || wait != nil {
                return TransferError(
                    code: .serverUnavailable,
                    message: message,
                    retryAfter: wait,
                    failingURL: head.url
                )
            }
        }
        if configuration.linkStatuses.contains(head.status) {
            return TransferError(code: .linkExpired, message: message)
        }
        guard configuration.refusesErrorResponses, head.status >= 400 else { return nil }
        return TransferError(code: .errorResponse, message: message)
    }

    private func claimsToBePart(_ head: HTTPResponseHead) -> Bool {
        head.fields.first(named: "Content-Range") != nil && !coversAll(head)
    }

    private func coversAll(_ head: HTTPResponseHead) -> Bool {
        guard let content = ContentRange(head: head), let range = content.range,
            let total = content.totalByteCount
        else { return false }
        return range == 0..<total
    }
}
