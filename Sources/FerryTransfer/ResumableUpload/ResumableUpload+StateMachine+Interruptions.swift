import FerryHTTP

/// Handles loads that end, and continues the upload.
extension ResumableUpload.StateMachine {
    mutating func loadFinished(
        _ error: TransferError?,
        at now: ResumableUpload.Moment,
        using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        switch state {
        case .requesting(let step):
            let missing = TransferError(code: .badServerResponse, message: "no response came")
            return failed(step, error ?? missing, at: now, using: &generator)
        case .leaving(.send(let next)):
            // It does not matter how an unwanted body ended.
            return send(next)
        case .leaving(.goOn(let error)):
            return interrupted(error, at: now, using: &generator)
        case .answering:
            // A process that dies before the response is safe must not upload everything again.
            state = .ended
            return [.finish(error)]
        case .ready, .digesting, .waiting, .ended:
            return []
        }
    }

    private mutating func failed(
        _ step: ResumableUpload.Step,
        _ error: TransferError,
        at now: ResumableUpload.Moment,
        using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        switch step {
        case .upload(let draft):
            // A connection that was never made says nothing about the server.
            let evidence = sentByteCount > 0 ? endOfOffer(draft) + cutOff : []
            return evidence + interrupted(error, at: now, using: &generator)
        case .discover:
            hasTriedTus = true
            guard error.code != .cancelled else { return fail(error) }
            let evidence: [Effect] =
                error.code == .timedOut ? [.remember(.noTus(url: request.url))] : []
            return evidence + send(.upload(offering: offer))
        case .append where error.code == .bodySpent:
            // A reused connection had died, and it is unknown which bytes have arrived.
            let message = "the connection was lost while a part of the upload was sent"
            let cut = TransferError(code: .connectionLost, message: message)
            return interrupted(cut, at: now, using: &generator)
        case .create, .locate, .append:
            return interrupted(error, at: now, using: &generator)
        }
    }

    /// After a loss, the server is worth a question before everything is sent again.
    private var cutOff: [Effect] {
        guard resource == nil, allowsTus, let origin = Origin(url: request.url) else { return [] }
        return [.remember(.cut(origin))]
    }

    private mutating func interrupted(
        _ error: TransferError,
        at now: ResumableUpload.Moment,
        using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        guard resource != nil, case .goOn(let policy, let patience) = configuration.interruptions
        else { return fail(error) }
        failureCount += 1
        firstFailure = firstFailure ?? now.instant
        let timeLeft = timeLeft(of: patience, at: now)
        if let timeLeft, timeLeft <= .zero { return fail(error) }
        let decision = policy.decision(
            for: error,
            failureCount: failureCount,
            timeLeft: timeLeft,
            using: &generator
        )
        guard case .retry(let delay) = decision else { return fail(error) }
        state = .waiting
        return [.wait(delay)]
    }

    func timeLeft(
        of patience: Duration?,
        at now: ResumableUpload.Moment
    ) -> Duration? {
        guard let patience else { return nil }
        return patience - (firstFailure.map { now.instant - $0 } ?? .zero)
    }

    /// Starts the patience again after a pause, whose time does not count.
    mutating func renewPatience() { firstFailure = nil }

    /// Asks the server what it has, when the time has passed.
    mutating func waited() -> [Effect] {
        guard state == .waiting else { return [] }
        refusedOffset = nil
        return send(.locate)
    }

    /// Fails because the body has changed or no longer exists.
    mutating func sourceFailed(_ error: TransferError) -> [Effect] {
        switch state {
        case .ended: []
        case .requesting, .ready, .leaving, .digesting, .waiting, .answering:
            fail(error, keepsResource: error.code != .fileChanged)
        }
    }
}
