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

    // MARK: Growth

    /// Whether parts of the body that has just begun can be had by further connections.
    func canSegment(_ head: HTTPResponseHead, _ version: ResourceVersion) -> Bool {
        guard configuration.segments.maximumConnections > 1, !hasGivenUpSegments,
            original.isResumable, version.validator != nil, let total = version.totalByteCount,
            total - receivedByteCount >= configuration.segments.minimumBodyBytes,
            // One that has failed at them time and again is asked for the whole.
            fruitlessResumptionCount < Self.maximumFruitlessResumptionCount,
            // Streams of one HTTP/2 connection share its rate.
            head.version.hasPrefix("HTTP/1.")
        else { return false }
        return head.status == 206 || head.acceptsRanges
    }

    /// Bytes were written: finds out whether further connections are of use.
    mutating func grow(at now: ContinuousClock.Instant) -> [Effect] {
        guard state == .receiving, growth != nil, overlapByteCount == 0,
            let total = version?.totalByteCount
        else { return [] }
        growth?.note(
            byteCount: receivedByteCount,
            missing: total - receivedByteCount,
            connections: segments?.receivingCount ?? 1,
            at: now
        )
        return employ(at: now)
    }

    /// Has as many connections as there are to be fetch what is missing.
    mutating func employ(at now: ContinuousClock.Instant) -> [Effect] {
        guard let growth, growth.target > connectionCount, let divided, hasWork(divided),
            let source = chooseSource()
        else { return [] }
        if source == 0, divided.isOwnConnectionFree {
            return startPart(0, isExtra: false, at: now) + employ(at: now)
        }
        return [.askForConnection(source: source)]
    }

    /// The parts, as they would be if there were another connection now.
    private var divided: Segments? {
        if let segments { return segments }
        guard let version, let total = version.totalByteCount, end == total else { return nil }
        var segments = Segments(totalByteCount: total, unassigned: ByteRanges())
        segments[Self.firstConnection] = .begun(at: receivedByteCount, limit: total, end: total)
        return segments
    }

    private func hasWork(_ segments: Segments) -> Bool {
        var segments = segments
        return takePart(of: &segments) != nil
    }

    private func takePart(of segments: inout Segments) -> Range<Int64>? {
        segments.take(
            configuration.segments,
            connections: growth?.target ?? 1,
            rate: growth?.rate
        )
    }

    /// The owner has lent a connection, or has none.
    mutating func connectionAnswered(
        _ isGranted: Bool,
        source: Int,
        at now: ContinuousClock.Instant
    ) -> [Effect] {
        guard isGranted else {
            let count = connectionCount
            growth?.refuse(connections: count, at: now)
            return count > 0 ? [] : end(after: lastFailure)
        }
        guard state == .receiving, growth != nil else {
            return [.giveConnectionBack(source: source)]
        }
        if source > 0, sources[source] == .unproven {
            return startProbe(source) + employ(at: now)
        }
        let start = startPart(source, isExtra: true, at: now)
        guard !start.isEmpty else { return [.giveConnectionBack(source: source)] }
        return start + employ(at: now)
    }

    private mutating func startPart(
        _ source: Int,
        isExtra: Bool,
        at now: ContinuousClock.Instant
    ) -> [Effect] {
        var provenVersion = version
        if source > 0, case .proven(let version) = sources[source] { provenVersion = version }
        let effects: [Effect] = segments == nil ? [.beginSegments] : []
        guard let provenVersion, var divided, let range = takePart(of: &divided),
            let resumption = Resumption(gap: range, version: provenVersion)
        else { return [] }
        partCount += 1
        divided[partCount] = Segments.Part(
            start: range.lowerBound,
            position: range.lowerBound,
            limit: range.upperBound,
            end: range.upperBound,
            source: source,
            isExtra: isExtra,
            touched: now
        )
        if segments == nil { divided[Self.firstConnection]?.touched = now }
        segments = divided
        let transfer = source > 0 ? sources.requests[source] : current.transfer
        let request = Request(transfer: transfer, resumption: resumption)
        return effects + [.startPart(partCount, request, source: source)]
    }

    // MARK: Parts

    /// The head of the answer to the request for a part.
    mutating func partAnswered(
        _ identifier: Int,
        _ head: HTTPResponseHead,
        to resumption: Resumption,
        at now: ContinuousClock.Instant
    ) -> [Effect] {
        guard state == .receiving, var part = segments?[identifier] else { return [] }
        guard head.status == 206, case .accepted(let end, _) = resumption.answer(head) else {
            return [.cancelPart(identifier)] + partEnded(identifier, .refused, at: now)
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
            return abandonLoads() + refused("the body is longer than announced")
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

    /// Has a connection that was asked for more than its part go on with what follows, where nobody brings
    /// that yet; `nil` where somebody does.
    private mutating func goOn(_ identifier: Int) -> [Effect]? {
        if segments?.extend(identifier) == true { return [] }
        guard let next = segments?.unansweredSuccessor(of: identifier),
            let part = segments?.end(next)
        else { return nil }
        return [.cancelPart(next)]
            + (part.isExtra ? [.giveConnectionBack(source: part.source)] : [])
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
        return progress + [.cancelPart(identifier)] + partEnded(identifier, .complete, at: now)
    }

    /// The connection for a part has ended.
    mutating func partFinished(
        _ identifier: Int,
        _ error: TransferError?,
        at now: ContinuousClock.Instant
    ) -> [Effect] {
        guard state == .receiving, let part = segments?[identifier] else { return [] }
        if part.missing == 0, part.isReceiving {
            return partEnded(identifier, .complete, at: now)
        }
        let message = "the body ended at byte \(part.position) of \(part.end)"
        let loss = error ?? TransferError(code: .connectionLost, message: message)
        return partEnded(identifier, .lost(loss), at: now)
    }

    private mutating func partEnded(
        _ identifier: Int,
        _ end: PartEnd,
        at now: ContinuousClock.Instant
    ) -> [Effect] {
        guard let part = segments?.end(identifier), let segments else { return [] }
        let release: [Effect] = part.isExtra ? [.giveConnectionBack(source: part.source)] : []
        if segments.missing == 0 {
            // One that has brought everything may only have to tell so.
            guard segments.parts.isEmpty else { return release }
            let probes = abandonProbes()
            self.segments = nil
            growth = nil
            state = .synchronizing
            return release + probes + [.endSegments, .synchronize]
        }
        switch end {
        case .complete:
            lastFailure = nil
            isRefused = false
            stallTime = configuration.segments.stallTime
        case .lost(let error):
            lastFailure = error
            isRefused = false
            // What has served a whole part is worth another try, unless nobody else shows that there is
            // a network.
            let brought = part.position - part.start
            if connectionCount == 0 || brought < configuration.segments.minimumSegmentBytes {
                leave(part.source)
            }
        case .refused:
            lastFailure = nil
            isRefused = true
            leave(part.source)
        }
        return release + goOnOrFail(at: now)
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
        let ends = stalled.flatMap { identifier -> [Effect] in
            guard let part = segments?.end(identifier) else { return [] }
            return [.cancelPart(identifier)]
                + (part.isExtra ? [.giveConnectionBack(source: part.source)] : [])
        }
        return ends + goOnOrFail(at: now)
    }

    /// Asks nothing more of a source, and without another one is content with the connections there are.
    private mutating func leave(_ source: Int) {
        guard sources.requests.count == 1 || !close(source) else { return }
        let count = connectionCount
        growth?.lose(connections: count)
    }

    /// Has the connections fetch what is missing; where there is none and can be none, that is the end.
    mutating func goOnOrFail(at now: ContinuousClock.Instant) -> [Effect] {
        guard segments != nil, connectionCount == 0 else { return employ(at: now) }
        // What has served all of its part goes on with the next one, however many there are to be.
        if lastFailure == nil, !isRefused, sources[0] != .closed {
            return startPart(0, isExtra: false, at: now) + employ(at: now)
        }
        guard sources.hasMirror else { return end(after: lastFailure) }
        let effects = employ(at: now)
        return effects.isEmpty ? end(after: lastFailure) : effects
    }

    /// No connection is left: either that is a failure, or what the servers' refusals mean is told by the
    /// answer to a request that is the only one.
    private mutating func end(after error: TransferError?) -> [Effect] {
        guard let segments else { return [] }
        guard let error else { return askAlone(segments) }
        self.segments = nil
        growth = nil
        return interrupted(error)
    }

    private mutating func askAlone(_ segments: Segments) -> [Effect] {
        guard let version else { return misuse() }
        let written = segments.written
        self.segments = nil
        growth = nil
        hasGivenUpSegments = true
        held = Held(byteCount: written.byteCount, version: version, segments: written)
        return send(Request(transfer: leading, resumption: held?.resumption))
    }

    /// Ends all connections.
    mutating func abandonLoads() -> [Effect] {
        let probes = abandonProbes()
        guard let segments else { return [.cancelLoad] + probes }
        self.segments = nil
        growth = nil
        return probes
            + segments.parts.sorted { $0.key < $1.key }.flatMap { identifier, part in
                [.cancelPart(identifier)]
                    + (part.isExtra ? [.giveConnectionBack(source: part.source)] : [])
            }
    }
}

extension Download.StateMachine {
    /// Ends all comparisons.
    mutating func abandonProbes() -> [Effect] {
        let probes = sources.probes.sorted { $0.key < $1.key }
        sources.probes = [:]
        for (_, probe) in probes { sources[probe.source] = .unproven }
        return probes.flatMap { identifier, probe in
            [.cancelPart(identifier), .giveConnectionBack(source: probe.source)]
        }
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
