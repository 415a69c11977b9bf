extension Download.StateMachine {
    mutating func receivedBytes(count: Int) -> [Effect] {
        switch state {
        case .receiving: break
        case .ended: return []
        case .ready, .requesting, .draining, .synchronizing, .verifying: return misuse()
        }
        guard segments == nil else {
            return partReceivedBytes(Self.firstConnection, count: count)
        }
        let start = proof.position(in: receivedByteCount)
        if let end, start + Int64(count) > end {
            return abandonLoads() + refused("the body is longer than announced")
        }
        hasReceivedBytes = true
        fruitlessResumptionCount = 0
        guard !proof.isComplete else { return [.write(dropping: 0)] }
        let known = proof.receive(count: count)
        var effects = [Effect.compare(count: known, at: start)]
        if let version = proof.conclude() { effects.append(.continueFile(version)) }
        // Bytes that were requested only for comparison are already in the file.
        return proof.isAlone ? effects : effects + [.write(dropping: known)]
    }

    /// Whether all received bytes are appended to the file.
    var acceptsPipes: Bool { state == .receiving && proof.isComplete }

    /// Handles received bytes that differ from those in the file.
    mutating func compareFailed() -> [Effect] {
        guard state == .receiving else { return [] }
        return abandonLoads() + refused("the part differs from what is at hand")
    }

    mutating func wrote(count: Int) -> [Effect] {
        guard state == .receiving else { return [] }
        receivedByteCount += Int64(count)
        return [.reportProgress(received: receivedByteCount, total: version?.totalByteCount)]
    }

    /// Gives up the file, because the body contradicts its head or the file.
    ///
    /// It is not enough to truncate the file. Bytes that were forced onto the disk must never be replaced in
    /// the same file: a stored checkpoint would vouch for the new bytes.
    mutating func refused(
        _ reason: String,
        as code: TransferError.Code = .badServerResponse
    ) -> [Effect] {
        guard current.resumption != nil else {
            receivedByteCount = 0
            let error = TransferError(code: code, message: reason)
            return [.discardFile] + fail(error)
        }
        return beginAnew(because: reason)
    }

    /// Discards all bytes and requests the whole.
    mutating func beginAnew(because reason: String) -> [Effect] {
        receivedByteCount = 0
        proof = Proof()
        held = nil
        sources.forgetProofs()
        growth = nil
        segments = nil
        return [.discardFile, .reportRestart(reason: reason)] + send(Request(transfer: leading))
    }
}
