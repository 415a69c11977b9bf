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
            // It does not matter how an unwanted body ended.
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

    /// Handles the normal end of the load while a body was received.
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
        // A server may send less than requested (RFC 9110 §14.2); each such part is at least a byte long, so
        // that this ends.
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

    /// Handles a file that could not be created, written or synchronized, or was changed by another program.
    mutating func fileFailed(_ error: TransferError) -> [Effect] {
        if error.code == .fileChanged { return fileDisturbed(error.message) }
        guard !hasEnded else { return [] }
        return abandonRunningLoads() + fail(error)
    }

    /// Another program has changed the file: all its bytes are discarded.
    ///
    /// The first time may be an accident; the second time fails the download, which would otherwise load
    /// forever.
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

    /// Finishes the download.
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
