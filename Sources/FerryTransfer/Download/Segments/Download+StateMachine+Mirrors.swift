import FerryHTTP

// Mirrors serve parts of a body once they have proved that they have the same version (`Sources`), and replace
// a server that fails. Before any bytes are received there is nothing to prove: a mirror's response is then as
// good as the first server's.

extension Download.StateMachine {
    /// The bytes to compare a mirror with: the end of the first range that is long enough.
    private var probedRange: Range<Int64>? {
        let written = segments?.written ?? held?.segments ?? ByteRanges([0..<receivedByteCount])
        guard
            let range = written.ranges.first(where: { $0.byteCount >= Sources.probedByteCount })
        else { return nil }
        return range.upperBound - Sources.probedByteCount..<range.upperBound
    }

    /// The number of connections to each source.
    private var loads: [Int: Int] {
        guard let segments else { return [0: 1] }
        return segments.parts.values.reduce(into: [:]) { $0[$1.source, default: 0] += 1 }
    }

    /// The number of connections.
    var connectionCount: Int { (segments?.parts.count ?? 1) + sources.probes.count }

    /// The source for another connection; also `nil` while a mirror waits for bytes to be compared with.
    func chooseSource() -> Int? {
        let canProbe = probedRange != nil
        if segments == nil, !canProbe, sources.hasUnproven { return nil }
        return sources.choose(loads: loads, canProbe: canProbe)
    }

    // MARK: Proof

    /// Requests from a mirror bytes that the file already holds.
    mutating func startProbe(_ source: Int) -> [Effect] {
        guard let range = probedRange else { return [.giveConnectionBack(source: source)] }
        partCount += 1
        sources[source] = .probing
        sources.probes[partCount] = Sources.Probe(
            source: source,
            range: range,
            position: range.lowerBound
        )
        return [.startProbe(partCount, sources.request(of: source), range, source: source)]
    }

    /// Handles the head of a mirror's response to a comparison.
    mutating func probeAnswered(
        _ identifier: Int,
        _ head: HTTPResponseHead,
        at now: ContinuousClock.Instant
    ) -> [Effect] {
        guard let probe = sources.probes[identifier], let known = version ?? held?.version else {
            return []
        }
        let version = Sources.version(
            of: head,
            to: probe.range,
            like: known,
            answeredBy: response
        )
        guard let version else {
            // With these statuses the server is up, but lacks the bytes or cannot prove them; others may be
            // temporary.
            if [200, 206, 416].contains(head.status) { sources.refute(probe.source) }
            return [.cancelPart(identifier)] + probeEnded(identifier, .closed, at: now)
        }
        sources.probes[identifier]?.version = version
        sources.probes[identifier]?.head = head
        return []
    }

    /// Compares received bytes.
    mutating func probeReceivedBytes(
        _ identifier: Int,
        count: Int,
        at now: ContinuousClock.Instant
    ) -> [Effect] {
        guard let probe = sources.probes[identifier] else { return [] }
        guard probe.position + Int64(count) <= probe.range.upperBound else {
            return [.cancelPart(identifier)] + probeEnded(identifier, .closed, at: now)
        }
        sources.probes[identifier]?.position += Int64(count)
        return [.compareProbe(identifier, count: count, at: probe.position)]
    }

    /// Closes a mirror whose bytes differ from the file's.
    mutating func probeDiffers(
        _ identifier: Int,
        at now: ContinuousClock.Instant
    ) -> [Effect] {
        guard let probe = sources.probes[identifier] else { return [] }
        sources.refute(probe.source)
        return [.cancelPart(identifier)] + probeEnded(identifier, .closed, at: now)
    }

    /// Handles the end of a mirror's response.
    mutating func probeFinished(
        _ identifier: Int,
        at now: ContinuousClock.Instant
    ) -> [Effect] {
        guard let probe = sources.probes[identifier] else { return [] }
        guard let version = probe.version, probe.position == probe.range.upperBound else {
            return probeEnded(identifier, .closed, at: now)
        }
        var effects: [Effect] = []
        if response == nil, let head = probe.head {
            // The first server has not answered in this attempt.
            let shown = shown(for: head, of: version)
            response = shown
            current.transfer = sources.request(of: probe.source)
            effects = [
                .reportResponse(shown, current.transfer),
                .reportResumption(offset: receivedByteCount, total: version.totalByteCount),
            ]
            announcesResumption = false
        }
        return effects + probeEnded(identifier, .proven(version), at: now)
    }

    private mutating func probeEnded(
        _ identifier: Int,
        _ standing: Sources.Standing,
        at now: ContinuousClock.Instant
    ) -> [Effect] {
        guard let probe = sources.probes.removeValue(forKey: identifier) else { return [] }
        sources[probe.source] = standing
        return [.giveConnectionBack(source: probe.source)] + goOnOrFail(at: now)
    }

    // MARK: Failures

    /// Continues with a mirror in place of the failed server, if there is one.
    mutating func failOver(
        after error: TransferError,
        at now: ContinuousClock.Instant
    ) -> [Effect]? {
        guard sources.hasMirror else { return leadHome() }
        guard held != nil || state == .receiving else { return leadElsewhere() }
        guard original.isResumable,
            let version = proof.isOpen ? held?.version : version ?? held?.version,
            version.validator != nil, let total = version.totalByteCount, probedRange != nil
        else {
            // So few bytes are not worth a failure.
            let isLittle = receivedByteCount < Sources.probedByteCount
            return state == .requesting && isLittle
                ? leadElsewhere() : leadHome()
        }
        let written = held?.segments ?? ByteRanges([0..<receivedByteCount])
        // When no bytes are missing, only a server that has them can say that they are still current.
        let missing = written.gaps(upTo: total)
        guard !missing.isEmpty else { return leadHome() }
        return goOnElsewhere(with: version, missing: missing, after: error, at: now)
    }

    /// Fetches the missing bytes from mirrors, as soon as they have proved that they have the same version.
    private mutating func goOnElsewhere(
        with version: ResourceVersion,
        missing: ByteRanges,
        after error: TransferError,
        at now: ContinuousClock.Instant
    ) -> [Effect] {
        proof = Proof()
        var effects: [Effect] = []
        if segments == nil, let total = version.totalByteCount {
            if state != .receiving { effects.append(.continueFile(version)) }
            effects.append(.beginSegments)
            segments = Segments(totalByteCount: total, unassigned: missing)
        }
        self.version = version
        sources.leaveFirst()
        lastFailure = error
        growth = growth ?? SegmentGrowth(policy: configuration.segments)
        state = .receiving
        return effects + employ(at: now)
    }

    /// Requests the whole from a mirror, as there is nothing to continue.
    private mutating func leadElsewhere() -> [Effect]? {
        guard sources.leadOn() else { return leadHome() }
        return send(Request(transfer: leading))
    }

    /// Asks the app's address again when no mirror has the resource either: its response is the app's.
    private mutating func leadHome() -> [Effect]? {
        guard state == .requesting, !sources.isLedByOriginal else { return nil }
        sources.leadHome()
        if let originalFailure { return interrupted(originalFailure) }
        return send(Request(transfer: leading, resumption: held.flatMap(resumption)))
    }

    /// Returns the request for a source, without the range of a part.
    func request(of source: Int) -> TransferRequest {
        source > 0 ? sources.request(of: source) : current.transfer
    }

    /// The request for the whole.
    var leading: TransferRequest { sources.request(of: 0) }
}
