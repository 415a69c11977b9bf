import FerryHTTP

extension Download {
    /// The meaning of a response head.
    enum Answer {
        /// The body is the whole, and replaces the file's bytes.
        case whole
        /// The body is the requested part.
        case part(Resumption, upTo: Int64, of: Int64)
        /// The body may be the requested part; a comparison tells.
        case unproved(String)
        /// The server will not continue the file's bytes, for this reason; its body is ignored.
        case refusal(String)
        /// The response is not delivered.
        case failure(TransferError)
    }
}

extension Download.Configuration {
    /// Returns the meaning of the response to a request for bytes, of which the file may already hold some.
    func answer(
        _ head: HTTPResponseHead,
        to request: Download.StateMachine.Request,
        holding version: ResourceVersion?,
        now: HTTPDate
    ) -> Download.Answer {
        if let resumption = request.resumption {
            switch head.status {
            case 206
            where resumption.version.link == link && resumption.version.isOlder(than: head):
                return .refusal("the resource was modified after its first bytes were sent")
            case 206:
                switch resumption.answer(head) {
                case .accepted(let end, let total): return .part(resumption, upTo: end, of: total)
                case .unproved(let reason): return .unproved(reason)
                case .refused(let reason): return .refusal(reason)
                }
            // The field means nothing here (RFC 9110 §14.4), but a server that sends it may well have sent only
            // the part.
            case 200 where head.claimsToBePart:
                return .refusal("the server answers 200 with a part")
            // 304 answers a condition that was not set.
            case 304, 412, 416: return .refusal("the server answers \(head.status)")
            default: break
            }
        }
        if let error = refusal(of: head, holding: version, now: now) {
            return .failure(error)
        }
        if head.status == 206, !request.transfer.hasRange, !head.coversAll {
            let message = "the server sends a part where the whole was asked for"
            return .failure(TransferError(code: .badServerResponse, message: message))
        }
        return .whole
    }

    /// Returns the error of a response after which another source may succeed; `nil` for any other.
    ///
    /// - Parameters:
    ///   - head: The head of the response.
    ///   - isFinal: Whether nobody else is to be asked if the server refuses the bytes, as the app's address may.
    /// - Returns: The error.
    func failure(of head: HTTPResponseHead, isFinal: Bool) -> TransferError? {
        switch head.status {
        case 200, 206: return nil
        // From a mirror that was asked for the whole, these are failures.
        case 412, 416, ..<400: if isFinal { return nil }
        default: break
        }
        return TransferError(
            code: isUnavailable(head.status) ? .serverUnavailable : .badServerResponse,
            message: "the server answers \(head.status)"
        )
    }

    /// Returns why a response is not delivered; `nil` if it is.
    ///
    /// For bytes that are here it is withheld only if they outlive the failure: in resume data, or as the download goes on.
    private func refusal(
        of head: HTTPResponseHead,
        holding version: ResourceVersion?,
        now: HTTPDate
    ) -> TransferError? {
        var message: String { "the server answers \(head.status)" }
        let holdsBytes =
            version.map { $0.hasResumeData || unavailableResponses == .fail } ?? false
        let holdsLink = version.map { $0.hasResumeData || holdsExpiredLinks } ?? false
        let isPassing =
            holdsBytes
            ? isPassing(head.status) : isUnavailable(head.status)
        if isPassing, unavailableResponses == .fail || holdsBytes {
            let wait = RetryAfter(head: head, now: now)?.seconds
            // The app has named the status, there are bytes to lose, or the server has named a time.
            if retriedStatuses != nil || holdsBytes || wait != nil {
                return TransferError(
                    code: .serverUnavailable,
                    message: message,
                    retryAfter: wait,
                    failingURL: head.url
                )
            }
        }
        if linkStatuses.contains(head.status) || holdsLink && head.status >= 400 {
            return TransferError(code: .linkExpired, message: message)
        }
        guard refusesErrorResponses, head.status >= 400 else { return nil }
        return TransferError(code: .errorResponse, message: message)
    }
}

extension HTTPResponseHead {
    fileprivate var claimsToBePart: Bool {
        fields.first(named: "Content-Range") != nil && !coversAll
    }

    /// Whether the part is the whole.
    fileprivate var coversAll: Bool {
        guard let content = ContentRange(head: self), let range = content.range,
            let total = content.totalByteCount
        else { return false }
        return range == 0..<total
    }
}
