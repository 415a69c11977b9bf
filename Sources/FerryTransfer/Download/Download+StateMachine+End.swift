import FerryHTTP

extension Download.StateMachine {
    mutating func exchangeFinished(_ error: HTTPError?) -> [Effect] {
        switch state {
        case .requesting:
            return interrupted(
                error ?? HTTPError(code: .badServerResponse, message: "no response came")
            )
        case .draining(let next):
            // Whatever became of a body that nobody wants.
            return send(next)
        case .receiving:
            return error.map { interrupted($0) } ?? bodyEnded()
        case .ended:
            return []
        case .ready, .synchronizing:
            return misuse()
        }
    }

    /// The exchange ended as it should while a body was coming.
    private mutating func bodyEnded() -> [Effect] {
        let reached = receivedByteCount - overlapByteCount
        if let end, reached < end {
            return fail(
                TransferError(
                    code: .connectionLost,
                    message: "the body ended at byte \(reached) of \(end)"
                )
            )
        }
        guard let version, let total = version.totalByteCount, receivedByteCount < total
        else {
            state = .synchronizing
            return [.synchronize]
        }
        // A server may send less than it was asked for (RFC 9110 §14.2); each such part is at
        // least a byte long, so that this comes to an end.
        held = Held(byteCount: receivedByteCount, version: version)
        return send(
            Request(
                transfer: original,
                resumption: Resumption(byteCount: receivedByteCount, version: version)
            )
        )
    }

    private mutating func interrupted(_ error: HTTPError) -> [Effect] {
        if current.resumption != nil, !hasReceivedBytes {
            switch error.code {
            case .connectionLost, .bodyTooShort, .badServerResponse:
                fruitlessResumptionCount += 1
            case .unsupportedURL, .badURL, .invalidRequest, .cannotFindHost,
                .cannotConnectToHost, .notConnectedToInternet, .timedOut,
                .secureConnectionFailed, .serverCertificateUntrusted,
                .serverCertificateHasBadDate, .serverTrustUndecided, .clientCertificateUndecided,
                .clientCertificateUnusable, .clientCertificateRejected, .headersTooLarge,
                .cannotDecodeContent,
                .bodyUnreadable, .bodySpent, .writeFailed, .aborted, .outOfMemory, .other:
                break
            }
        }
        var failure = TransferError(error)
        // What could not be sent is what the server has sent us to.
        if failure.code == .badURL, current.redirectCount > 0 {
            failure.code = .badServerResponse
        }
        return fail(failure)
    }

    /// The file could not be created, written or synchronised.
    mutating func fileFailed(_ error: TransferError) -> [Effect] {
        switch state {
        case .ended: []
        case .ready, .synchronizing: fail(error)
        case .requesting, .draining, .receiving: [.cancelExchange] + fail(error)
        }
    }

    mutating func synchronized() -> [Effect] {
        guard state == .synchronizing, let response else { return [] }
        state = .ended
        return [
            .finish(
                DownloadResult(
                    response: response,
                    currentRequest: current.transfer,
                    byteCount: receivedByteCount
                )
            )
        ]
    }
}
