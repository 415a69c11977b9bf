import FerryHTTP

/// Handles interim responses and the progress of the upload.
extension ResumableUpload.StateMachine {
    mutating func sent(byteCount: Int64) -> [Effect] {
        switch state {
        // A server may respond while bytes are still being sent.
        case .requesting, .leaving, .answering: break
        case .ready, .digesting, .waiting, .ended: return []
        }
        sentByteCount = byteCount
        if let greatest = greatestSentByteCount {
            greatestSentByteCount = max(greatest, bodyStart + byteCount)
        }
        return [.reportSent(bodyStart + byteCount)]
    }

    /// Handles an interim response, the only proof that the server can continue the upload.
    mutating func informational(_ head: HTTPResponseHead) -> [Effect] {
        guard head.status == 104 else { return [] }
        let report = UploadReport(head)
        switch state {
        case .requesting(.upload(let draft?)):
            return proved(report, by: draft)
        case .requesting(.append):
            guard report.interopVersion == resource?.language.interopVersion else { return [] }
            acknowledge(report.offset)
            return []
        case .requesting(.upload(nil)), .requesting(.discover), .requesting(.create),
            .requesting(.locate), .ready, .leaving, .digesting, .waiting, .answering, .ended:
            return []
        }
    }

    private mutating func proved(_ report: UploadReport, by draft: UploadProtocol) -> [Effect] {
        guard let version = report.interopVersion else { return [] }
        guard version == draft.interopVersion else {
            // Not to be used, but to be remembered for the next upload.
            namedProtocol = UploadProtocol(interopVersion: version)
            return []
        }
        guard resource == nil else {
            acknowledge(report.offset)
            return []
        }
        guard let url = report.location, let origin = Origin(url: request.url) else { return [] }
        let resource = UploadResource(
            url: url,
            language: draft,
            limits: report.limits ?? UploadLimits()
        )
        self.resource = resource
        return [.remember(.proof(draft, origin)), .report(resource)]
    }

    /// Records the offset that the server reports while it is being sent more.
    private mutating func acknowledge(_ offset: Int64?) {
        guard let offset, offset <= greatestSentByteCount ?? .max, offset <= byteCount ?? .max
        else { return }
        noteProgress(to: offset)
    }

    /// Records progress at the server, which ends a row of failures.
    mutating func noteProgress(to offset: Int64) {
        resource?.acknowledgedByteCount = offset
        guard offset > greatestAcknowledgedByteCount else { return }
        greatestAcknowledgedByteCount = offset
        failureCount = 0
        firstFailure = nil
    }
}
