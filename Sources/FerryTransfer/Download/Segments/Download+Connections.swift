import FerryHTTP
import FerrySystem

extension Download {
    /// Decides about the connections that fetch parts of a body, once there are several.
    ///
    /// A download begins with one connection. With the second one, the missing bytes become the parts of
    /// `Segments`, including the first connection's. From then on all connections are alike: one that has
    /// finished its part takes the next. `SegmentGrowth` decides how many there are.
    struct Connections {
        typealias Effects = StateMachine.Effects
        typealias Instant = ContinuousClock.Instant

        private let policy: SegmentPolicy
        /// The number of connections to use, if there can be several.
        private var growth: SegmentGrowth?
        /// The part of the body that each connection fetches, once there are several.
        private var segments: Segments?
        /// The number of the last connection for a part or a comparison.
        private var lastNumber = StateMachine.firstConnection
        /// Whether no more parts are fetched, and one request follows the other.
        private var hasGivenUp = false
        /// How long a connection may receive nothing.
        private var stallTime: Duration

        /// Makes the connections of a download.
        init(policy: SegmentPolicy) {
            self.policy = policy
            stallTime = policy.stallTime
        }

        /// Whether there are several, or were until a moment ago.
        var isSegmented: Bool { segments != nil }
        /// Whether parts were fetched, and still may be.
        var canGiveUp: Bool { lastNumber > StateMachine.firstConnection && !hasGivenUp }
        /// Whether several connections have received all bytes.
        var areComplete: Bool { segments?.missing == 0 }
        /// Whether none of several is left.
        var haveEnded: Bool { segments?.parts.isEmpty ?? false }
        /// The bytes that several connections have received.
        var written: ByteRanges? { segments?.written }
        /// When to look for stalled connections.
        var nextStall: Instant? { segments?.firstTouched.map { $0 + stallTime } }

        /// Returns the part of a connection.
        subscript(number: Int) -> Segments.Part? { segments?[number] }

        /// Returns the number of connections, including those for comparisons.
        private func count(beside comparisonCount: Int) -> Int {
            (segments?.parts.count ?? 1) + comparisonCount
        }

        // MARK: Beginning and end

        /// Begins with the one connection of a response.
        mutating func begin(_ head: HTTPResponseHead, of body: Body) {
            segments = nil
            growth = canDivide(body, head) ? SegmentGrowth(policy: policy) : nil
            guard let gap = body.gap, let total = body.totalByteCount else { return }
            segments = Segments(filling: gap, beside: body.written, of: total)
        }

        /// Whether further connections can fetch parts of the body that has just begun.
        private func canDivide(_ body: Body, _ head: HTTPResponseHead) -> Bool {
            guard policy.maximumConnections > 1, !hasGivenUp, body.mayRequestParts,
                body.version?.provesParts == true, let total = body.totalByteCount,
                total - body.byteCount >= policy.minimumBodyBytes,
                total <= PartialFile.SegmentTable.maximumTotalByteCount,
                // Streams of one HTTP/2 connection share its rate.
                head.version.hasPrefix("HTTP/1.")
            else { return false }
            return head.status == 206 || head.acceptsRanges
        }

        /// Has others fetch the missing bytes than the first connection, which has failed.
        mutating func replaceFirst(_ missing: ByteRanges, of total: Int64) {
            segments = Segments(totalByteCount: total, unassigned: missing)
            growth = growth ?? SegmentGrowth(policy: policy)
        }

        /// Sends one request after the other from now on.
        mutating func giveUp() { hasGivenUp = true }

        /// Ends the parts without their connections.
        mutating func clear() {
            segments = nil
            growth = nil
        }

        // MARK: Work

        /// Finds out, after a write, whether further connections are useful.
        mutating func grow(
            byteCount: Int64,
            of total: Int64,
            beside comparisonCount: Int,
            at now: Instant
        ) -> Bool {
            growth?.record(
                byteCount: byteCount,
                missing: total - byteCount,
                connections: segments?.receivingCount ?? 1,
                at: now
            )
            return isGrowing(beside: comparisonCount)
        }

        private func isGrowing(beside comparisonCount: Int) -> Bool {
            (growth?.target ?? 0) > count(beside: comparisonCount)
        }

        /// Assigns the missing bytes to as many connections as there should be.
        ///
        /// - Returns: Whether that changes anything.
        @discardableResult
        mutating func employ(
            for body: Body,
            from sources: Sources,
            at now: Instant,
            into effects: inout Effects
        ) -> Bool {
            guard isGrowing(beside: sources.probeCount), let divided = divided(body),
                hasWork(divided), let source = chooseSource(for: body, from: sources)
            else { return false }
            guard source == 0, divided.isOwnConnectionFree else {
                effects.add(.askForConnection(source: source))
                return true
            }
            return continueFirst(for: body, from: sources, at: now, into: &effects)
        }

        /// Has the first source's own connection fetch the next part, and others what is missing then.
        ///
        /// - Returns: Whether that changes anything.
        private mutating func continueFirst(
            for body: Body,
            from sources: Sources,
            at now: Instant,
            into effects: inout Effects
        ) -> Bool {
            let isStarted = startPart(
                of: 0,
                isExtra: false,
                for: body,
                from: sources,
                at: now,
                into: &effects
            )
            return employ(for: body, from: sources, at: now, into: &effects) || isStarted
        }

        /// Has the connections fetch what is missing; returns `false` if none is left, and no other can be opened.
        mutating func proceed(
            for body: Body,
            from sources: Sources,
            at now: Instant,
            into effects: inout Effects
        ) -> Bool {
            guard segments != nil, count(beside: sources.probeCount) == 0 else {
                employ(for: body, from: sources, at: now, into: &effects)
                return true
            }
            // A source that has served all of its part continues with the next one, whatever the target.
            if sources.canGoOn {
                _ = continueFirst(for: body, from: sources, at: now, into: &effects)
                return true
            }
            guard sources.hasMirror else { return false }
            growth = growth ?? SegmentGrowth(policy: policy)
            return employ(for: body, from: sources, at: now, into: &effects)
        }

        /// The owner has lent a connection to a source.
        mutating func lent(
            _ source: Int,
            for body: Body,
            from sources: inout Sources,
            at now: Instant,
            into effects: inout Effects
        ) {
            guard growth != nil else { return effects.add(.giveConnectionBack(source: source)) }
            if source > 0, sources[source] == .unproven {
                startProbe(of: source, for: body, from: &sources, into: &effects)
            } else {
                let isStarted = startPart(
                    of: source,
                    isExtra: true,
                    for: body,
                    from: sources,
                    at: now,
                    into: &effects
                )
                guard isStarted else { return effects.add(.giveConnectionBack(source: source)) }
            }
            employ(for: body, from: sources, at: now, into: &effects)
        }

        /// The owner has lent no connection; returns whether there are others.
        mutating func refused(from sources: Sources, at now: Instant) -> Bool {
            let count = count(beside: sources.probeCount)
            growth?.refuse(connections: count, at: now)
            return count > 0
        }

        private mutating func startProbe(
            of source: Int,
            for body: Body,
            from sources: inout Sources,
            into effects: inout Effects
        ) {
            guard let range = Sources.probedRange(of: written ?? body.written) else {
                return effects.add(.giveConnectionBack(source: source))
            }
            lastNumber += 1
            sources.startProbe(lastNumber, of: source, in: range, into: &effects)
        }

        private mutating func startPart(
            of source: Int,
            isExtra: Bool,
            for body: Body,
            from sources: Sources,
            at now: Instant,
            into effects: inout Effects
        ) -> Bool {
            var provenVersion = body.version
            if source > 0, case .proven(let version) = sources[source] { provenVersion = version }
            guard let provenVersion, var divided = divided(body),
                let range = takePart(of: &divided),
                let resumption = Resumption(gap: range, version: provenVersion)
            else { return false }
            if segments == nil { effects.add(.beginSegments) }
            lastNumber += 1
            divided[lastNumber] = Segments.Part(
                start: range.lowerBound,
                position: range.lowerBound,
                limit: range.upperBound,
                end: range.upperBound,
                source: source,
                isExtra: isExtra,
                touched: now
            )
            if segments == nil { divided[StateMachine.firstConnection]?.touched = now }
            segments = divided
            let transfer = sources.request(of: source, redirected: body.request.transfer)
            let request = StateMachine.Request(transfer: transfer, resumption: resumption)
            effects.add(.startPart(lastNumber, request, source: source))
            return true
        }

        /// Returns the parts as they would be with another connection.
        private func divided(_ body: Body) -> Segments? {
            if let segments { return segments }
            guard let total = body.totalByteCount, body.end == total, !body.isOnlyCompared else {
                return nil
            }
            return Segments(continuingAt: body.byteCount, of: total)
        }

        private func hasWork(_ segments: Segments) -> Bool {
            var segments = segments
            return takePart(of: &segments) != nil
        }

        private func takePart(of segments: inout Segments) -> Range<Int64>? {
            segments.take(policy, connections: growth?.target ?? 1, rate: growth?.rate)
        }

        /// Returns the source for another connection; also `nil` while a mirror waits for bytes to be compared
        /// with.
        private func chooseSource(for body: Body, from sources: Sources) -> Int? {
            let canProbe = Sources.probedRange(of: written ?? body.written) != nil
            if segments == nil, !canProbe, sources.hasUnproven { return nil }
            return sources.choose(loads: segments?.loads ?? [0: 1], canProbe: canProbe)
        }

        // MARK: Parts

        /// Handles the response head of a part; returns whether its connection has ended.
        mutating func answered(
            _ number: Int,
            _ head: HTTPResponseHead,
            to resumption: Resumption,
            from sources: inout Sources,
            at now: Instant,
            into effects: inout Effects
        ) -> Bool {
            guard let part = segments?[number] else { return false }
            if head.status == 206, case .accepted(let end, _) = resumption.answer(head) {
                segments?.begin(number, upTo: end, at: now)
                return false
            }
            sources.recordRefusal(by: part.source, status: head.status)
            cancelPart(number, into: &effects)
            guard !areComplete else { return true }
            sources.blame(part.source, for: nil)
            let count = count(beside: sources.probeCount)
            if sources.leave(part.source) { growth?.lose(connections: count) }
            return true
        }

        /// Handles received bytes of a part.
        mutating func received(
            _ count: Int,
            of part: Segments.Part,
            by number: Int,
            into effects: inout Effects
        ) {
            while let missing = segments?[number]?.missing, missing <= Int64(count),
                extend(number, into: &effects)
            {}
            let wanted = min(Int64(count), segments?[number]?.missing ?? 0)
            effects.add(.writePart(number, at: part.position, count: Int(wanted)))
        }

        /// Lets a connection with a longer response continue past its part, if no other connection receives
        /// what follows; returns whether that is so.
        private mutating func extend(_ number: Int, into effects: inout Effects) -> Bool {
            if segments?.extend(number) == true { return true }
            guard let next = segments?.unansweredSuccessor(of: number) else { return false }
            cancelPart(next, into: &effects)
            return true
        }

        /// Records written bytes of a part; returns the part.
        mutating func wrote(_ count: Int, by number: Int, at now: Instant) -> Segments.Part? {
            segments?.wrote(count, of: number, at: now)
        }

        /// Ends a connection that has received all of its part before the end of its response.
        mutating func endEarly(
            _ number: Int,
            of source: Int,
            from sources: inout Sources,
            into effects: inout Effects
        ) {
            cancelPart(number, into: &effects)
            recordCompletion(of: source, from: &sources)
        }

        /// Handles the end of the connection for a part; returns whether there is one.
        mutating func finished(
            _ number: Int,
            _ error: TransferError?,
            from sources: inout Sources,
            at now: Instant,
            into effects: inout Effects
        ) -> Bool {
            guard let part = segments?[number] else { return false }
            endPart(number, into: &effects)
            if part.missing == 0, part.isReceiving {
                recordCompletion(of: part.source, from: &sources)
            } else if !areComplete {
                let message = "the body ended at byte \(part.position) of \(part.end)"
                let loss = error ?? TransferError(code: .connectionLost, message: message)
                sources.recordLoss(loss, by: part.source)
                // A source that has served a whole part is worth another try, unless no other connection shows
                // that there is a network.
                let brought = part.position - part.start
                let count = count(beside: sources.probeCount)
                if count == 0 || brought < policy.minimumSegmentBytes, sources.leave(part.source) {
                    growth?.refuse(connections: count, at: now)
                }
            }
            return true
        }

        private mutating func recordCompletion(of source: Int, from sources: inout Sources) {
            guard !areComplete else { return }
            sources.recordCompletion(by: source)
            stallTime = policy.stallTime
        }

        /// Takes a part from its connection, and ends the connection.
        private mutating func cancelPart(_ number: Int, into effects: inout Effects) {
            effects.add(.cancelPart(number))
            endPart(number, into: &effects)
        }

        /// Takes a part from its connection.
        private mutating func endPart(_ number: Int, into effects: inout Effects) {
            guard let part = segments?.end(number), part.isExtra else { return }
            effects.add(.giveConnectionBack(source: part.source))
        }

        // MARK: Stalls and revoked connections

        /// Gives the bytes of stalled connections to others; returns whether any have stalled.
        ///
        /// Bytes in flight on them are lost, but those are what they wait for.
        mutating func endStalled(
            from sources: inout Sources,
            at now: Instant,
            into effects: inout Effects
        ) -> Bool {
            // Connections that stalled together are replaced together: otherwise the last would wait twice as
            // long.
            guard let due = nextStall, due <= now,
                let stalled = segments?.stalled(since: now - stallTime * 3 / 4)
            else { return false }
            stallTime = min(stallTime * 2, .seconds(64))
            growth?.interrupt(at: now)
            sources.forgetFailures()
            for number in stalled { cancelPart(number, into: &effects) }
            return true
        }

        /// Gives a lent connection back, unless it is the only one: first a comparison's, then the one with the
        /// most missing bytes; returns whether there is one.
        mutating func revoke(
            from lenders: Set<Int>,
            _ sources: inout Sources,
            at now: Instant,
            into effects: inout Effects
        ) -> Bool {
            let count = count(beside: sources.probeCount) - 1
            guard count > 0 else { return false }
            let hasEnded =
                sources.abandonProbe(of: lenders, into: &effects)
                || cancelPart(of: lenders, into: &effects)
            if hasEnded { growth?.refuse(connections: count, at: now) }
            return hasEnded
        }

        private mutating func cancelPart(
            of lenders: Set<Int>,
            into effects: inout Effects
        ) -> Bool {
            guard let number = segments?.longestExtra(of: lenders) else { return false }
            cancelPart(number, into: &effects)
            return true
        }
    }
}
