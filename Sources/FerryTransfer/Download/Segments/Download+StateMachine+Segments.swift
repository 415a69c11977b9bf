import FerryHTTP

// A download begins with one connection, and as long as it has one nothing of this matters. When there is to
// be another, what is missing becomes the parts of `Segments`, the first connection's among them, and from
// then on all connections are alike: whichever has brought its part takes the next one. When none is left,
// the last one's end is the download's, or one more request finds out what has become of the resource.

extension Download.StateMachine {
    /// The number of the connection that a download begins with.
    static let firstConnection = 0

    /// How the connection for a part has ended.
    enum PartEnd {
        /// It has brought all of it.
        case complete
        /// It broke before.
        case lost(TransferError)
        /// The server has answered with something else.
        case refused
    }

    /// The head of the answer to the request for a part.
    mutating func partAnswered(
        _ identifier: Int,
        _ head: HTTPResponseHead,
        to resumption: Resumption,
        at now: ContinuousClock.Instant
    ) -> [Effect] {
        guard state == .receiving, var part = segments?[identifier] else { return [] }
        guard head.status == 206, case .accepted(let end, _) = resumption.answer(head) else {
            sources.noteRefusal(by: part.source, status: head.status)
            return cancelPart(identifier) + partEnded(part, .refused, at: now)
        }
        // It may be less than was asked for; the rest is asked for again.
        if end < part.limit { segments?.giveBack(end..<part.limit) }
        part.end = end
        part.limit = min(part.limit, end)
        part.isReceiving = true
        part.touched = now
        segments?[identifier] = part
        return []
    }

    /// Bytes of a part have come.
    mutating func partReceivedBytes(_ identifier: Int, count: Int) -> [Effect] {
        guard state == .receiving, let part = segments?[identifier] else { return [] }
        if part.position + Int64(count) > part.end {
            return partTooLong(part)
        }
        hasReceivedBytes = true
        fruitlessResumptionCount = 0
        var effects: [Effect] = []
        while let missing = segments?[identifier]?.missing, missing <= Int64(count),
            let step = goOn(identifier)
        { effects += step }
        let wanted = min(Int64(count), segments?[identifier]?.missing ?? 0)
        return effects + [.writePart(identifier, at: part.position, count: Int(wanted))]
    }

    /// Nothing that has come by a connection that brings too much can be relied on, nor taken back by itself.
    private mutating func partTooLong(_ part: Segments.Part) -> [Effect] {
        let reason = "the body is longer than announced"
        guard part.source > 0 else { return abandonLoads() + refused(reason) }
        // A mirror's fault is not the server's.
        sources[part.source] = .closed
        return abandonLoads() + beginAnew(because: reason)
    }

    /// Has a connection that was asked for more than its part go on with what follows, where nobody brings
    /// that yet; `nil` where somebody does.
    private mutating func goOn(_ identifier: Int) -> [Effect]? {
        if segments?.extend(identifier) == true { return [] }
        guard let next = segments?.unansweredSuccessor(of: identifier) else { return nil }
        return cancelPart(next)
    }

    /// Bytes of a part were written.
    mutating func wrotePart(
        _ identifier: Int,
        count: Int,
        at now: ContinuousClock.Instant
    ) -> [Effect] {
        guard state == .receiving, var part = segments?[identifier] else { return [] }
        part.position += Int64(count)
        part.touched = now
        segments?[identifier] = part
        receivedByteCount += Int64(count)
        let progress: [Effect] = [
            .reportProgress(received: receivedByteCount, total: version?.totalByteCount)
        ]
        // At the end of its answer a connection can be used again; before, it cannot.
        guard part.missing == 0, part.position < part.end else { return progress }
        return progress + cancelPart(identifier) + partEnded(part, .complete, at: now)
    }

    /// The connection for a part has ended.
    mutating func partFinished(
        _ identifier: Int,
        _ error: TransferError?,
        at now: ContinuousClock.Instant
    ) -> [Effect] {
        guard state == .receiving, let part = segments?[identifier] else { return [] }
        let release = endPart(identifier)
        if part.missing == 0, part.isReceiving {
            return release + partEnded(part, .complete, at: now)
        }
        let message = "the body ended at byte \(part.position) of \(part.end)"
        let loss = error ?? TransferError(code: .connectionLost, message: message)
        return release + partEnded(part, .lost(loss), at: now)
    }

    /// Takes a part from the connection that was to bring it, and ends that.
    private mutating func cancelPart(_ identifier: Int) -> [Effect] {
        [.cancelPart(identifier)] + endPart(identifier)
    }

    /// Takes a part from the connection that was to bring it.
    private mutating func endPart(_ identifier: Int) -> [Effect] {
        guard let part = segments?.end(identifier), part.isExtra else { return [] }
        return [.giveConnectionBack(source: part.source)]
    }

    /// What follows the end of the connection for a part.
    private mutating func partEnded(
        _ part: Segments.Part,
        _ end: PartEnd,
        at now: ContinuousClock.Instant
    ) -> [Effect] {
        if let completion = completed() { return completion }
        switch end {
        case .complete:
            if sources.isOriginal(part.source) { originalFailure = nil }
            lastFailure = nil
            isRefused = false
            stallTime = configuration.segments.stallTime
        case .lost(let error):
            if sources.isOriginal(part.source) { originalFailure = error }
            blame(part.source, for: error)
            // What has served a whole part is worth another try, unless nobody else shows that there is
            // a network.
            let brought = part.position - part.start
            if connectionCount == 0 || brought < configuration.segments.minimumSegmentBytes {
                let count = connectionCount
                if leave(part.source) { growth?.refuse(connections: count, at: now) }
            }
        case .refused:
            blame(part.source, for: nil)
            let count = connectionCount
            if leave(part.source) { growth?.lose(connections: count) }
        }
        return goOnOrFail(at: now)
    }

    /// Keeps how a source has failed: by an error, or by another answer than was asked for.
    ///
    /// What a mirror does is no reason to give up as long as the first can be asked.
    private mutating func blame(_ source: Int, for error: TransferError?) {
        let isForgiven = source > 0 && sources.canAskFirst
        lastFailure = isForgiven ? nil : error
        isRefused = !isForgiven && error == nil
    }

    /// What there is to do when nothing is missing; `nil` as long as something is.
    private mutating func completed() -> [Effect]? {
        guard let segments, segments.missing == 0 else { return nil }
        // One that has brought everything may only have to tell so.
        guard segments.parts.isEmpty else { return [] }
        let probes = abandonProbes()
        self.segments = nil
        growth = nil
        state = .synchronizing
        return probes + [.endSegments, .synchronize]
    }

    // MARK: Stalls

    /// When to look for connections that bring nothing.
    var nextStall: ContinuousClock.Instant? {
        segments?.parts.values.compactMap(\.touched).min().map { $0 + stallTime }
    }

    /// Gives what connections that bring nothing were to bring to others.
    ///
    /// What is on its way on them is lost, but that is what they wait for.
    mutating func stallTimePassed(at now: ContinuousClock.Instant) -> [Effect] {
        // Those that have stopped together are replaced together: else the last would wait twice as long.
        guard state == .receiving, let due = nextStall, due <= now,
            let stalled = segments?.stalled(since: now - stallTime * 3 / 4)
        else { return [] }
        stallTime = min(stallTime * 2, .seconds(64))
        growth?.interrupt(at: now)
        lastFailure = nil
        isRefused = false
        let ends = stalled.flatMap { cancelPart($0) }
        return ends + (completed() ?? goOnOrFail(at: now))
    }

    /// Gives a connection back that was lent, unless it is the only one: a comparison's first, then the one that has
    /// most left to bring.
    mutating func connectionRecalled(
        from lenders: Set<Int>,
        at now: ContinuousClock.Instant
    ) -> [Effect] {
        guard state == .receiving, connectionCount > 1 else { return [] }
        let count = connectionCount - 1
        let probe = sources.probes.filter { lenders.contains($0.value.source) }.keys.min()
        if let probe {
            growth?.refuse(connections: count, at: now)
            return abandonProbe(probe)
        }
        let extras = segments?.parts.filter {
            $0.value.isExtra && lenders.contains($0.value.source)
        }
        guard
            let part = extras?.max(by: { first, second in
                (first.value.missing, first.key) < (second.value.missing, second.key)
            })?.key
        else { return [] }
        let end = cancelPart(part)
        growth?.refuse(connections: count, at: now)
        return end + (completed() ?? goOnOrFail(at: now))
    }

    /// Asks nothing more of a source, where it is one of several.
    ///
    /// - Returns: Whether there is no other, so that the connections there are have to do.
    private mutating func leave(_ source: Int) -> Bool {
        guard !sources.isAlone else { return true }
        sources[source] = .closed
        return !sources.hasOpen
    }

    /// Has the connections fetch what is missing; where there is none and can be none, that is the end.
    mutating func goOnOrFail(at now: ContinuousClock.Instant) -> [Effect] {
        guard segments != nil, connectionCount == 0 else { return employ(at: now) }
        // What has served all of its part goes on with the next one, however many there are to be.
        if lastFailure == nil, !isRefused, sources[0] != .closed {
            return startPart(0, isExtra: false, at: now) + employ(at: now)
        }
        guard sources.hasMirror else { return end(after: lastFailure) }
        growth = growth ?? SegmentGrowth(policy: configuration.segments)
        let effects = employ(at: now)
        return effects.isEmpty ? end(after: lastFailure) : effects
    }

    /// No connection is left: either that is a failure, or what the servers' refusals mean is told by the
    /// answer to a request that is the only one.
    mutating func end(after error: TransferError?) -> [Effect] {
        guard let segments else { return [] }
        guard let error else { return askAlone(segments) }
        // A mirror that is out may be back; one that has the resource no longer is no reason to fail.
        if error.code == .badServerResponse, sources.isRefutedByOriginal {
            return askHome(segments)
        }
        self.segments = nil
        growth = nil
        return interrupted(error)
    }

    private mutating func askAlone(_ segments: Segments) -> [Effect] {
        guard hold(segments) else { return misuse() }
        hasGivenUpSegments = true
        return send(Request(transfer: leading, resumption: held?.resumption))
    }

    /// The app's own address has the last word: what mirrors have brought is not what it has.
    private mutating func askHome(_ segments: Segments) -> [Effect] {
        guard hold(segments) else { return misuse() }
        sources.leadHome()
        return send(Request(transfer: leading))
    }

    /// What the connections have brought is what is at hand; returns whether it is known what of.
    private mutating func hold(_ segments: Segments) -> Bool {
        guard let version else { return false }
        let written = segments.written
        self.segments = nil
        growth = nil
        held = Held(byteCount: written.byteCount, version: version, segments: written)
        return true
    }

    /// Ends all connections.
    mutating func abandonLoads() -> [Effect] {
        let probes = abandonProbes()
        guard let segments else { return [.cancelLoad] + probes }
        let ends = segments.parts.keys.sorted().flatMap { cancelPart($0) }
        self.segments = nil
        growth = nil
        return probes + ends
    }
}

extension Download.StateMachine {
    /// Ends all comparisons.
    mutating func abandonProbes() -> [Effect] {
        sources.probes.keys.sorted().flatMap { abandonProbe($0) }
    }

    /// Ends a comparison, which may be made later.
    private mutating func abandonProbe(_ identifier: Int) -> [Effect] {
        guard let probe = sources.probes.removeValue(forKey: identifier) else { return [] }
        sources[probe.source] = .unproven
        return [.cancelPart(identifier), .giveConnectionBack(source: probe.source)]
    }
}

extension Segments.Part {
    /// What the connection that was there first is left with.
    static func begun(at position: Int64, limit: Int64, end: Int64) -> Segments.Part {
        Segments.Part(
            start: position,
            position: position,
            limit: limit,
            end: end,
            isReceiving: true
        )
    }
}
