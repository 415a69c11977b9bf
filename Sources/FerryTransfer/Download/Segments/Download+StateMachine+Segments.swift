import FerryHTTP

// A download begins with one connection, and this file matters only once there are several. With the second
// one, the missing bytes become the parts of `Segments`, including the first connection's. From then on all
// connections are alike: one that has finished its part takes the next. When no connection is left, the
// download ends as the last one did, or one more request finds out what happened to the resource.

extension Download.StateMachine {
    /// The number of the connection that a download begins with.
    static let firstConnection = 0

    /// How the connection for a part has ended.
    enum PartEnd {
        /// The connection has received all of the part.
        case complete
        /// The connection was lost before that.
        case lost(TransferError)
        /// The server's response is not the part.
        case refused
    }

    /// Handles the response head of a part.
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
        // It may be less than requested; the rest is requested again.
        if end < part.limit { segments?.giveBack(end..<part.limit) }
        part.end = end
        part.limit = min(part.limit, end)
        part.isReceiving = true
        part.touched = now
        segments?[identifier] = part
        return []
    }

    /// Handles received bytes of a part.
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

    /// Handles a connection that sends too much: its bytes cannot be trusted, nor removed separately.
    private mutating func partTooLong(_ part: Segments.Part) -> [Effect] {
        let reason = "the body is longer than announced"
        guard part.source > 0 else { return abandonLoads() + refused(reason) }
        // A mirror's fault is not the server's.
        sources[part.source] = .closed
        return abandonLoads() + beginAnew(because: reason)
    }

    /// Lets a connection with a longer response continue past its part, if no other connection receives what
    /// follows; `nil` if one does.
    private mutating func goOn(_ identifier: Int) -> [Effect]? {
        if segments?.extend(identifier) == true { return [] }
        guard let next = segments?.unansweredSuccessor(of: identifier) else { return nil }
        return cancelPart(next)
    }

    /// Records written bytes of a part.
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
        // A connection can only be reused at the end of its response.
        guard part.missing == 0, part.position < part.end else { return progress }
        return progress + cancelPart(identifier) + partEnded(part, .complete, at: now)
    }

    /// Handles the end of the connection for a part.
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

    /// Takes a part from its connection, and ends the connection.
    private mutating func cancelPart(_ identifier: Int) -> [Effect] {
        [.cancelPart(identifier)] + endPart(identifier)
    }

    /// Takes a part from its connection.
    private mutating func endPart(_ identifier: Int) -> [Effect] {
        guard let part = segments?.end(identifier), part.isExtra else { return [] }
        return [.giveConnectionBack(source: part.source)]
    }

    /// Returns what to do after the connection for a part has ended.
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
            // A source that has served a whole part is worth another try, unless no other connection shows that
            // there is a network.
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

    /// Records how a source has failed: by an error, or by a response that is not the part.
    ///
    /// A mirror's failure is no reason to give up as long as the first source can be asked.
    private mutating func blame(_ source: Int, for error: TransferError?) {
        let isForgiven = source > 0 && sources.canAskFirst
        lastFailure = isForgiven ? nil : error
        isRefused = !isForgiven && error == nil
    }

    /// Returns what to do when nothing is missing; `nil` as long as something is.
    private mutating func completed() -> [Effect]? {
        guard let segments, segments.missing == 0 else { return nil }
        // A connection that has received everything may still have to report its end.
        guard segments.parts.isEmpty else { return [] }
        let probes = abandonProbes()
        self.segments = nil
        growth = nil
        state = .synchronizing
        return probes + [.endSegments, .synchronize]
    }

    // MARK: Stalls

    /// When to look for stalled connections.
    var nextStall: ContinuousClock.Instant? {
        segments?.parts.values.compactMap(\.touched).min().map { $0 + stallTime }
    }

    /// Gives the bytes of stalled connections to others.
    ///
    /// Bytes in flight on them are lost, but those are what they wait for.
    mutating func stallTimePassed(at now: ContinuousClock.Instant) -> [Effect] {
        // Connections that stalled together are replaced together: otherwise the last would wait twice as long.
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

    /// Gives a lent connection back, unless it is the only one: first a comparison's, then the one with the
    /// most missing bytes.
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

    /// Stops using a source if it is one of several.
    ///
    /// - Returns: Whether there is no other source, so that the current connections must suffice.
    private mutating func leave(_ source: Int) -> Bool {
        guard !sources.isAlone else { return true }
        sources[source] = .closed
        return !sources.hasOpen
    }

    /// Has the connections fetch what is missing; ends if there is none and no other can be opened.
    mutating func goOnOrFail(at now: ContinuousClock.Instant) -> [Effect] {
        guard segments != nil, connectionCount == 0 else { return employ(at: now) }
        // A source that has served all of its part continues with the next one, whatever the target.
        if lastFailure == nil, !isRefused, sources[0] != .closed {
            return startPart(0, isExtra: false, at: now) + employ(at: now)
        }
        guard sources.hasMirror else { return end(after: lastFailure) }
        growth = growth ?? SegmentGrowth(policy: configuration.segments)
        let effects = employ(at: now)
        return effects.isEmpty ? end(after: lastFailure) : effects
    }

    /// Ends without a connection: the download fails, or a single request finds out what the refusals mean.
    mutating func end(after error: TransferError?) -> [Effect] {
        guard let segments else { return [] }
        guard let error else { return askAlone(segments) }
        // A failed mirror may recover; a mirror that no longer has the resource is no reason to fail.
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

    /// Asks the app's address, which decides: it does not have what the mirrors have sent.
    private mutating func askHome(_ segments: Segments) -> [Effect] {
        guard hold(segments) else { return misuse() }
        sources.leadHome()
        return send(Request(transfer: leading))
    }

    /// Keeps the bytes that the connections received; returns whether their version is known.
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

    /// Ends a comparison, which may be repeated later.
    private mutating func abandonProbe(_ identifier: Int) -> [Effect] {
        guard let probe = sources.probes.removeValue(forKey: identifier) else { return [] }
        sources[probe.source] = .unproven
        return [.cancelPart(identifier), .giveConnectionBack(source: probe.source)]
    }
}

extension Segments.Part {
    /// Makes the part of the first connection.
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
