import FerryHTTP

/// What follows a response.
extension ResumableUpload.StateMachine {
    /// Delivers a response as the answer to the app's request.
    mutating func answer(
        _ head: HTTPResponseHead,
        to answered: TransferRequest
    ) -> [Effect] {
        var (head, shown) = (head, answered)
        switch state {
        case .requesting(.append) where resource?.language != .tus && !isAnswerElsewhere:
            // This is the response to the app's request, wherever the rest was sent.
            (head.url, shown) = (request.url, request)
        case .requesting(.upload(.some)):
            shown.fields.removeAll { field in
                UploadProtocol.ownNames.contains { field.isNamed($0) }
            }
        default:
            break
        }
        state = .answering
        return [.answer(head, shown)]
    }

    /// Continues after the response's body, if that is shorter than a handshake.
    mutating func leave(_ head: HTTPResponseHead, for sequel: Sequel) -> [Effect] {
        let hasNoBody = head.status == 204 || state == .requesting(.locate)
        guard hasNoBody || head.contentLength ?? .max <= 16 << 10 else {
            state = .leaving(then: sequel)
            // The owner reports the end, as if it had arrived.
            return [.cancelLoad]
        }
        state = .leaving(then: sequel)
        return [.skipBody]
    }

    /// Whether a response only says that the server cannot continue now.
    func isUnavailable(
        _ head: HTTPResponseHead,
        _ report: UploadReport,
        at now: ResumableUpload.Moment
    ) -> Bool {
        guard head.status >= 500, resource != nil, report.isComplete != true else { return false }
        switch configuration.interruptions {
        case .isFailure:
            return configuration.unavailableResponses == .fail
        case .goOn(let policy, let patience):
            return failureCount < policy.maximumUnavailableResponses
                && timeLeft(of: patience, at: now) ?? .seconds(1) > .zero
        }
    }

    mutating func goOnLater(
        _ head: HTTPResponseHead,
        at now: ResumableUpload.Moment
    ) -> [Effect] {
        let error = TransferError(
            code: .serverUnavailable,
            message: "the server answers \(head.status) to a part of the upload",
            retryAfter: RetryAfter(head: head, now: now.date)?.seconds,
            failingURL: head.url
        )
        return leave(head, for: .goOn(after: error))
    }

    /// Fails because the server has reported an impossible offset.
    mutating func contradicted(_ offset: Int64) -> [Effect] {
        let error = TransferError(
            code: .badServerResponse,
            message: "the server claims to have \(offset) bytes, which it cannot"
        )
        return fail(error, keepsResource: false)
    }

    /// Fails because the server does not continue where it says that it does.
    mutating func misplaced(_ offset: Int64) -> [Effect] {
        let message = "the server does not go on with the upload at \(offset)"
        return fail(TransferError(code: .badServerResponse, message: message))
    }

    mutating func gone(_ head: HTTPResponseHead) -> [Effect] {
        let error = TransferError(
            code: .uploadGone,
            message: "the server answers \(head.status): it has forgotten the upload"
        )
        return fail(error, keepsResource: false)
    }

    static let answerIsLost = TransferError(
        code: .answerLost,
        message: "the upload is complete, but the connection was cut before its answer came, "
            + "which cannot be fetched again"
    )

    /// Returns what the end of the app's request says about its offer.
    func endOfOffer(_ draft: UploadProtocol?) -> [Effect] {
        guard let draft, resource == nil, let origin = Origin(url: request.url) else { return [] }
        let evidence: UploadKnowledge.Evidence =
            namedProtocol.map { .name($0, origin) } ?? .silence(draft, origin)
        return [.remember(evidence)]
    }
}
