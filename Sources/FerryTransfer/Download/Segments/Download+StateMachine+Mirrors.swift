import FerryHTTP

// Mirrors share in the parts of a body once they have proved that they have the same version (`Sources`), and
// take the place of a server that fails. Where nothing is at hand yet, there is nothing to prove: then a
// mirror's answer is as good as the first server's.

extension Download.StateMachine {
    /// What there is to compare a mirror with: the last bytes before what is missing first.
    private var probedRange: Range<Int64>? {
        let written = segments?.written ?? held?.segments ?? ByteRanges([0..<receivedByteCount])
        guard
            let range = written.ranges.first(where: { $0.byteCount >= Sources.probedByteCount })
        else { return nil }
        return range.upperBound - Sources.probedByteCount..<range.upperBound
    }

    /// How many connections there are to each source.
    private var loads: [Int: Int] {
        guard let segments else { return [0: 1] }
        return segments.parts.values.reduce(into: [:]) { $0[$1.source, default: 0] += 1 }
    }

    /// How many connections there are.
    var connectionCount: Int { (segments?.parts.count ?? 1) + sources.probes.count }

    /// The source for another connection; `nil` also while a mirror waits for bytes to be compared with.
    func chooseSource() -> Int? {
        let canProbe = probedRange != nil
        if segments == nil, !canProbe, sources.hasUnproven { return nil }
        return sources.choose(loads: loads, canProbe: canProbe)
    }

    // MARK: Proof

    /// Asks a mirror for bytes that are at hand.
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

    /// The head of a mirror's answer to a request for bytes that are at hand.
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
            // What has no such bytes, or cannot say so, is there; what fails may be so again.
            if [200, 206, 416].contains(head.status) { sources.refute(probe.source) }
            return [.cancelPart(identifier)] + probeEnded(identifier, .closed, at: now)
        }
        sources.probes[identifier]?.version = version
        sources.probes[identifier]?.head = head
        return []
    }

    /// Bytes have come to be compared.
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

    /// A mirror sends other bytes than the file holds.
    mutating func probeDiffers(
        _ identifier: Int,
        at now: ContinuousClock.Instant
    ) -> [Effect] {
        guard let probe = sources.probes[identifier] else { return [] }
        sources.refute(probe.source)
        return [.cancelPart(identifier)] + probeEnded(identifier, .closed, at: now)
    }

    /// A mirror's answer has ended.
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

    /// Goes on with a mirror in place of the server that has failed, if there is one.
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
            // So little at hand is not worth a failure.
            let isLittle = receivedByteCount < Sources.probedByteCount
            return state == .requesting && isLittle
                ? leadElsewhere() : leadHome()
        }
        let written = held?.segments ?? ByteRanges([0..<receivedByteCount])
        // When all is there, only a server that has it can say that it is still the same.
        let missing = written.gaps(upTo: total)
        guard !missing.isEmpty else { return leadHome() }
        return goOnElsewhere(with: version, missing: missing, after: error, at: now)
    }

    /// Has mirrors bring what is missing, as soon as they have proved that they have the same.
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

    /// Asks a mirror for the whole, as nothing of it is at hand.
    private mutating func leadElsewhere() -> [Effect]? {
        guard sources.leadOn() else { return leadHome() }
        return send(Request(transfer: leading))
    }

    /// Asks the app's own address once more, when no mirror has what it has not: its answer is the app's.
    private mutating func leadHome() -> [Effect]? {
        guard state == .requesting, !sources.isLedByOriginal else { return nil }
        sources.leadHome()
        if let originalFailure { return interrupted(originalFailure) }
        return send(Request(transfer: leading, resumption: held.flatMap(resumption)))
    }

    /// What a connection to a source asks for, but for the part.
    func request(of source: Int) -> TransferRequest {
        source > 0 ? sources.request(of: source) : current.transfer
    }

    /// The request for the whole.
    var leading: TransferRequest { sources.request(of: 0) }
}
