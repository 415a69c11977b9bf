import FerryHTTP

/// Divides the decisions between the app and the protocol.
extension ResumableUpload.StateMachine {
    /// Whether the app is not asked about a challenge: a mere question is not worth its password.
    func leavesOpen(_ challenge: LoadChallenge) -> Bool {
        guard case .requesting(.discover) = state, case .password = challenge.kind else {
            return false
        }
        return true
    }

    /// Returns who decides about a redirect.
    ///
    /// - Parameters:
    ///   - head: The response that redirects.
    ///   - next: The request that would follow.
    /// - Returns: Who decides.
    mutating func redirected(
        by head: HTTPResponseHead,
        to next: TransferRequest
    ) -> ResumableUpload.Redirection {
        guard case .requesting(let step) = state, !isAnswerElsewhere else { return .offer(next) }
        if case .upload = step { return .offer(next) }
        guard !UploadReport.givesUpTLS(from: head.url, to: next.url) else { return .isAnswer }
        switch (step, head.status) {
        case (.locate, 308), (.append, 308):
            resource?.url = next.url
            return .follow
        case (.locate, 307):
            detour = next.url
            return .follow
        case (.append, 307), (.create, 307), (.create, 308):
            return .follow
        case (.append, let status) where leadsToAnswer(byStatus: status):
            // The result of the upload is to be fetched, as after the app's request.
            isAnswerElsewhere = true
            var answer = next
            answer.method = "GET"
            answer.fields.removeAll { field in
                (UploadProtocol.ownNames + RedirectPolicy.bodyNames).contains { field.isNamed($0) }
            }
            return .offer(answer)
        default:
            return .isAnswer
        }
    }

    /// Whether a redirect says where the response is, and not where to send the request.
    private func leadsToAnswer(byStatus status: Int) -> Bool {
        status == 303 || (status == 301 || status == 302) && request.method == "POST"
    }
}
