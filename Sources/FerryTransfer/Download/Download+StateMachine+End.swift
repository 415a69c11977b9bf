extension Download.StateMachine {
    mutating func loadFinished(
        _ error: TransferError?,
        at now: ContinuousClock.Instant = .now
    ) -> [Effect] {
        switch state {
        case .requesting:
            let error =
                error ?? TransferError(code: .badServerResponse, message: "no response came")
            if sources.isLedByOriginal { originalFailure = error }
            return failOver(after: error, at: now) ?? interrupted(error)
        case .draining(let next):
            // Whatever became of a body that nobody wants.
            return send(next)
        case .receiving where segments != nil:
            return partFinished(Self.firstConnection, error, at: now)
        case .receiving:
            guard let error else { return bodyEnded() }
            return failOver(after: error, at: now) ?? interrupted(error)
        case .ended:
            return []
        case .ready, .synchronizing, .verifying:
            return misuse()
        }
    }

    /// The load ended as it should while a body was coming.
    private mutating func bodyEnded() -> [Effect] {
        let reached = proof.position(in: receivedByteCount)
        if let end, reached < end {
            return fail(
                TransferError(
                    code: .connectionLost,
                    message: "the body ended at byte \(reached) of \(end)"
                )
            )
        }
        if current.resumption?.isRelinked == true, !proof.isComplete {
            return refused("the new address sends too little to prove that it is the same")
        }
        if proof.isAlone, var held, let version {
            proof = Proof()
            held.version = version
            self.held = held
            return send(Request(transfer: leading, resumption: held.resumption))
        }
        guard let version, let total = version.totalByteCount, receivedByteCount < total
        else {
            state = .synchronizing
            return abandonProbes() + [.synchronize]
        }
        // A server may send less than it was asked for (RFC 9110 §14.2); each such part is at
        // least a byte long, so that this comes to an end.
        held = Held(byteCount: receivedByteCount, version: version)
        return send(
            Request(
                transfer: leading,
                resumption: Resumption(byteCount: receivedByteCount, version: version)
            )
        )
    }

    mutating func interrupted(_ error: TransferError) -> [Effect] {
        if current.resumption != nil, !hasReceivedBytes,
            error.code == .connectionLost || error.code == .badServerResponse
                || sources.isRefutedByOriginal
        {
            fruitlessResumptionCount += 1
        }
        return fail(error)
    }

    /// The file could not be created, written or synchronised, or somebody else has changed it.
    mutating func fileFailed(_ error: TransferError) -> [Effect] {
        if error.code == .fileChanged { return fileDisturbed(error.message) }
        guard !hasEnded else { return [] }
        return abandonRunningLoads() + fail(error)
    }

    /// Somebody else has changed the file: whatever it holds is given up.
    ///
    /// Once may be an accident; who does it again is not to cost the server the resource for ever.
    private mutating func fileDisturbed(_ reason: String) -> [Effect] {
        guard !hasEnded else { return [] }
        let loads = abandonRunningLoads()
        guard wasDisturbed else {
            wasDisturbed = true
            return loads + beginAnew(because: reason)
        }
        receivedByteCount = 0
        return loads + [.discardFile]
            + fail(TransferError(code: .cannotWriteToFile, message: reason))
    }

    private mutating func abandonRunningLoads() -> [Effect] {
        switch state {
        case .ready, .synchronizing, .verifying, .ended: []
        case .requesting, .draining, .receiving: abandonLoads()
        }
    }

    /// All is as it should be.
    mutating func finish() -> [Effect] {
        guard let response else { return [] }
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
