import FerryHTTP

// `SegmentGrowth` decides how many connections to use; this file gives them work.

extension Download.StateMachine {
    /// Whether further connections can fetch parts of the body that has just begun.
    func canSegment(_ head: HTTPResponseHead, _ version: ResourceVersion) -> Bool {
        guard configuration.segments.maximumConnections > 1, !hasGivenUpSegments,
            original.isResumable, version.validator != nil, let total = version.totalByteCount,
            total - receivedByteCount >= configuration.segments.minimumBodyBytes,
            total <= PartialFile.SegmentTable.maximumTotalByteCount,
            // A server that has failed at parts repeatedly is asked for the whole.
            fruitlessResumptionCount < Self.maximumFruitlessResumptionCount,
            // Streams of one HTTP/2 connection share its rate.
            head.version.hasPrefix("HTTP/1.")
        else { return false }
        return head.status == 206 || head.acceptsRanges
    }

    /// Finds out, after a write, whether further connections are useful.
    mutating func grow(at now: ContinuousClock.Instant) -> [Effect] {
        guard state == .receiving, growth != nil, proof.isComplete,
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

    /// Assigns the missing bytes to as many connections as there should be.
    mutating func employ(at now: ContinuousClock.Instant) -> [Effect] {
        guard let growth, growth.target > connectionCount, let divided, hasWork(divided),
            let source = chooseSource()
        else { return [] }
        if source == 0, divided.isOwnConnectionFree {
            return startPart(0, isExtra: false, at: now) + employ(at: now)
        }
        return [.askForConnection(source: source)]
    }

    /// The parts as they would be with another connection.
    var divided: Segments? {
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

    /// Handles the owner's answer to a request for a connection.
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

    mutating func startPart(
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
        let request = Request(transfer: request(of: source), resumption: resumption)
        return effects + [.startPart(partCount, request, source: source)]
    }
}
