import FerryHTTP

extension Download {
    /// Decides what a download does next; performs nothing itself.
    ///
    /// Requests follow one another: for the rest if a server sends less than requested, and once for the whole
    /// if the server refuses to continue the existing bytes. Those are discarded only when the head of a
    /// replacement has arrived. A long body comes by several connections where that is faster.
    ///
    /// The parts know, each for itself, what the file holds and what the response adds (`Body`), which
    /// connections fetch which bytes (`Connections`), which servers there are (`Sources`), what the app has been
    /// told (`ShownResponse`), and what the file must be (`DigestChecks`). This machine routes the inputs to them.
    struct StateMachine {
        typealias Instant = ContinuousClock.Instant

        /// How far the download has come.
        private enum State: Equatable {
            /// Nothing has been requested.
            case ready
            /// A request was sent, and its response head has not arrived.
            case requesting
            /// The body of a response that is not final is being skipped; the whole is requested next.
            case draining
            /// The response body is being written to the file. Only now there can be several connections.
            case receiving
            /// All bytes are written and are being forced onto the disk.
            case synchronizing
            /// All bytes are being compared with their digests.
            case verifying
            /// The download has ended.
            case ended
        }

        /// The number of the connection that a download begins with.
        static let firstConnection = 0
        /// How many bytes are skipped rather than making another connection.
        private static let drainedByteCount: Int64 = 16 * 1024

        private let configuration: Configuration
        private var state = State.ready
        private var body: Body
        private var connections: Connections
        private var sources: Sources
        private var response: ShownResponse
        private var digests: DigestChecks
        /// Whether another program has changed the file during this download.
        private var wasDisturbed = false
        /// The answer that begins with the first byte again, though the file holds that.
        private var repetition: OddAnswer?

        init(request: TransferRequest, configuration: Configuration) {
            self.configuration = configuration
            body = Body(of: request, link: configuration.link)
            connections = Connections(policy: configuration.segments)
            sources = Sources(request: request, mirrors: configuration.mirrors)
            response = ShownResponse(configuration)
            digests = DigestChecks(expected: configuration.digests)
        }

        /// How often in a row a request for the rest was interrupted before a byte of it arrived.
        var fruitlessResumptionCount: Int { body.fruitlessResumptionCount }
        /// How many bytes the file holds.
        var receivedByteCount: Int64 { body.byteCount }
        /// The last request, without the fields that ask for the rest.
        var currentRequest: TransferRequest { body.request.transfer }
        /// The length of the whole, if it is known.
        var totalByteCount: Int64? { body.totalByteCount }
        /// Whether the download is over, so that no event may follow.
        var hasEnded: Bool { state == .ended }
        /// Whether all received bytes are appended to the file.
        var acceptsPipes: Bool { state == .receiving && body.isProved }
        /// When to look for stalled connections.
        var nextStall: Instant? { connections.nextStall }

        /// Whether the app's address is the first source, and not a mirror.
        var isLedByOriginal: Bool { sources.isLedByOriginal }

        /// Returns the request for a source, without the range of a part.
        func request(of source: Int) -> TransferRequest {
            sources.request(of: source, redirected: currentRequest)
        }

        /// Starts the download, with the bytes in the file that are certain to be of one version.
        mutating func start(holding held: Held?) -> [Effect] {
            switch state {
            case .ready: break
            // Cancelled before the file was opened.
            case .ended: return []
            case .requesting, .draining, .receiving, .synchronizing, .verifying: return misuse()
            }
            // Otherwise the whole is requested from the app's address first.
            guard body.start(holding: held), body.mayRequestParts, let held else { return send() }
            sources.lead(by: held.version)
            return send(body.resumption)
        }

        mutating func cancel() -> [Effect] {
            let ends = abandonRunningLoads()
            state = .ended
            return ends
        }

        /// Requests the whole, or a part.
        private mutating func send(_ resumption: Resumption? = nil) -> [Effect] {
            let request = Request(transfer: sources.request(of: 0), resumption: resumption)
            state = .requesting
            repetition = nil
            body.send(request)
            return sources.abandonProbes() + [.send(request)]
        }

        private mutating func fail(_ error: TransferError) -> [Effect] {
            state = .ended
            var error = error
            error.holdsBytes = body.holdsEarlierBytes || body.held != nil
            return sources.abandonProbes() + [.fail(error)]
        }

        /// Fails because of an input that is impossible in this state: a fault here or in the engine, which
        /// ends this download and no other.
        private mutating func misuse(_ input: StaticString = #function) -> [Effect] {
            let message = "\(input) while \(state)"
            return abandonLoads()
                + fail(TransferError(code: .internalFailure, message: message))
        }
    }
}

// MARK: - One connection

extension Download.StateMachine {
    /// Handles the response head.
    ///
    /// - Parameters:
    ///   - head: The head.
    ///   - request: The request that the redirects led to.
    ///   - now: The date to which a date in the head is relative.
    ///   - clock: When the head arrived.
    /// - Returns: What to do.
    mutating func receivedHead(
        _ head: HTTPResponseHead,
        to request: TransferRequest,
        now: HTTPDate,
        at clock: Instant = .now
    ) -> [Effect] {
        switch state {
        case .requesting: break
        case .ended: return []
        case .ready, .draining, .receiving, .synchronizing, .verifying: return misuse()
        }
        sources.note(nil, of: 0)
        let resumption = body.request.resumption
        body.redirect(to: resumption?.removingFields(of: request) ?? request)
        let isFinal = isLedByOriginal || resumption != nil
        if let error = configuration.failure(of: head, isFinal: isFinal),
            let other = failOver(after: error, at: clock)
        {
            return [.cancelLoad] + other
        }
        switch configuration.answer(head, to: body.request, holding: body.held?.version, now: now) {
        // An error that is not withheld is delivered.
        case .whole: return wholeCame(head, beside: head.status < 400 ? body.held : nil)
        case .part(let resumption, let end, let total):
            return partCame(head, for: resumption, upTo: end, of: total)
        case .unproved(let reason): return compare() ?? leaveRefusal(head, reason)
        case .refusal(let reason): return leaveRefusal(head, reason)
        case .failure(let error):
            // A request that is retried has no response yet.
            let isShown = error.code == .errorResponse || error.code == .linkExpired
            let report: [Effect] = isShown ? [.reportResponse(head, currentRequest)] : []
            return report + [.cancelLoad] + fail(error)
        }
    }

    /// Handles a body that begins at the first byte, where the file may hold bytes already.
    private mutating func wholeCame(
        _ head: HTTPResponseHead,
        beside held: Download.Body.Held?
    ) -> [Effect] {
        guard let held else { return replace(by: head) }
        let answer = OddAnswer(head)
        switch configuration.weigh(
            head,
            against: held,
            isNamed: sources.involveMirror(held.version)
        ) {
        case .replacement: return replace(by: head)
        case .same:
            return wholeComesAgain(head, isKnown: held.version.validator?.isStrong == true)
        case .comparable:
            if let effects = compare() { return effects }
            if held.segments == nil { return wholeComesAgain(head, isKnown: false) }
            if configuration.isAgreed(head, against: held) { return replace(by: head) }
        case .odd: break
        }
        return [.noteDoubt(answer), .cancelLoad] + fail(answer.error(at: head.url))
    }

    /// Ends with what contradicts the repeated answer, whose length is unknown or another; `nil` for any other answer.
    ///
    /// One such answer proves nothing: it may have been cut, or be about something else.
    private mutating func doubtRepetition() -> [Effect]? {
        let isMeasured = body.end != nil && body.held?.version.totalByteCount == body.end
        return repetition.flatMap { isMeasured ? nil : doubt($0) }
    }

    private mutating func doubt(_ answer: OddAnswer) -> [Effect] {
        let url = body.request.transfer.url
        return abandonLoads() + [.noteDoubt(answer)] + fail(answer.error(at: url))
    }

    /// Asks for some of the file's bytes again, and the rest; `nil` if that was done already.
    private mutating func compare() -> [Effect]? {
        body.nextComparison.map { [.cancelLoad] + send($0) }
    }

    /// Compares the first bytes of a body with those in the file.
    private mutating func wholeComesAgain(_ head: HTTPResponseHead, isKnown: Bool) -> [Effect] {
        guard let version = body.beginAgain(head, isKnown: isKnown) else { return misuse() }
        repetition = OddAnswer(head)
        digests.note(head, to: currentRequest)
        let shown = response.shown(for: head, of: version)
        return receive(head, [], showing: shown, resumedAt: receivedByteCount)
    }

    /// Replaces the file's bytes by a body that begins at the first byte.
    private mutating func replace(by head: HTTPResponseHead) -> [Effect] {
        let isRestart = body.held != nil && body.request.resumption != nil
        let restart: [Effect] =
            isRestart ? [.reportRestart(reason: "the server answers \(head.status)")] : []
        let version = body.beginWhole(head)
        sources.forgetProofs()
        sources.returnToFirst()
        digests.note(head, to: currentRequest)
        return receive(head, restart + [.beginFile(version)], showing: head, resumedAt: 0)
    }

    private mutating func partCame(
        _ head: HTTPResponseHead,
        for resumption: Resumption,
        upTo end: Int64,
        of total: Int64
    ) -> [Effect] {
        guard let version = body.beginPart(head, for: resumption, upTo: end, of: total) else {
            return leaveRefusal(head, "the new address has nothing that proves its parts")
        }
        digests.note(head, to: currentRequest, of: resumption.offset..<end)
        let shown = response.shown(for: head, of: version)
        // Bytes that are requested again for a comparison have not been lost.
        let offset = resumption.isCompared ? receivedByteCount : body.position
        let start: [Effect] = resumption.isCompared ? [] : [.continueFile(version)]
        return receive(head, start, showing: shown, resumedAt: offset)
    }

    private mutating func receive(
        _ head: HTTPResponseHead,
        _ preparation: [Effect],
        showing shown: HTTPResponseHead,
        resumedAt offset: Int64
    ) -> [Effect] {
        state = .receiving
        connections.begin(head, of: body)
        let show = response.show(shown, of: body, resumedAt: offset, isProved: body.isShown)
        return preparation + show + [.takeBody]
    }

    /// Requests the whole, after the current body if that is shorter than a handshake.
    private mutating func leaveRefusal(_ head: HTTPResponseHead, _ reason: String) -> [Effect] {
        let report = Effect.reportRestart(reason: reason)
        guard let length = head.contentLength, length <= Self.drainedByteCount else {
            return [report, .cancelLoad] + send()
        }
        state = .draining
        return [report, .skipBody]
    }

    mutating func receivedBytes(count: Int) -> [Effect] {
        switch state {
        case .receiving: break
        case .ended: return []
        case .ready, .requesting, .draining, .synchronizing, .verifying: return misuse()
        }
        guard !connections.areSeveral else {
            return partReceivedBytes(Self.firstConnection, count: count)
        }
        return body.receive(count: count) ?? bodyTooLong()
    }

    /// Handles a body that is longer than its head has announced.
    ///
    /// After a part the whole is requested, and judged, as after any other invalid part.
    private mutating func bodyTooLong() -> [Effect] {
        guard repetition != nil || body.request.resumption != nil else {
            return abandonLoads() + refused(Self.tooLong)
        }
        // Its bytes may be wrong. No part continues them, also in later attempts, until the whole was compared with them.
        let mark = body.keepDoubtful().map { [Effect.continueFile($0)] } ?? []
        if let repetition { return mark + doubt(repetition) }
        return abandonLoads() + mark + [.reportRestart(reason: Self.tooLong)] + send()
    }

    private static let tooLong = "the body is longer than announced"

    /// Handles received bytes that differ from those in the file.
    mutating func compareFailed() -> [Effect] {
        guard state == .receiving else { return [] }
        if body.held?.version.validator?.isStrong != true, let effects = doubtRepetition() {
            return effects
        }
        return abandonLoads() + beginAnew(because: "the part differs from what is at hand")
    }

    mutating func wrote(count: Int) -> [Effect] {
        guard state == .receiving else { return [] }
        // Those to be compared are equal, if this was not found out before.
        let show = body.isShown ? response.showPending(of: body) : []
        return show + progress(by: count)
    }

    private mutating func progress(by count: Int) -> [Effect] {
        // What is only compared is no progress.
        guard count > 0 || body.isProved else { return [] }
        body.wrote(count: count)
        return [.reportProgress(received: receivedByteCount, total: totalByteCount)]
    }

    mutating func loadFinished(_ error: TransferError?, at now: Instant = .now) -> [Effect] {
        switch state {
        case .requesting:
            let error =
                error ?? TransferError(code: .badServerResponse, message: "no response came")
            sources.note(error, of: 0)
            return failOver(after: error, at: now) ?? interrupted(error)
        case .draining:
            // It does not matter how an unwanted body ended.
            return send()
        case .receiving where connections.areSeveral:
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
        switch body.finish() {
        case .complete:
            state = .synchronizing
            return sources.abandonProbes() + [.synchronize]
        // What is here is as good as before.
        case .short(let error): return doubtRepetition() ?? interrupted(error)
        case .partial(let resumption): return send(resumption)
        }
    }

    private mutating func interrupted(_ error: TransferError) -> [Effect] {
        body.interrupt(error, isRefuted: sources.isRefutedByOriginal)
        return fail(error)
    }
}

// MARK: - Other servers

extension Download.StateMachine {
    /// Continues with a mirror in place of the failed server, if there is one.
    ///
    /// Before any bytes are received there is nothing to prove: a mirror's response is then as good as the first
    /// server's. Otherwise mirrors fetch the missing bytes, as soon as they have proved that they have the same
    /// version.
    private mutating func failOver(after error: TransferError, at now: Instant) -> [Effect]? {
        guard sources.hasMirror else { return leadHome() }
        guard body.held != nil || state == .receiving else { return leadElsewhere() }
        guard let version = body.provableVersion, let total = version.totalByteCount,
            Sources.probedRange(of: body.written) != nil
        else {
            // So few bytes are not worth a failure.
            let isLittle = receivedByteCount < Sources.probedByteCount
            return state == .requesting && isLittle ? leadElsewhere() : leadHome()
        }
        // When no bytes are missing, only a server that has them can say that they are still current.
        let missing = body.written.gaps(upTo: total)
        guard !missing.isEmpty else { return leadHome() }
        let effects: [Effect] = state == .receiving ? [] : [.continueFile(version)]
        state = .receiving
        body.handOver(version)
        sources.leaveFirst(after: error)
        connections.replaceFirst(missing, of: total)
        return effects + [.beginSegments] + connections.employ(for: body, from: sources, at: now)
    }

    /// Requests the whole from a mirror, as there is nothing to continue.
    private mutating func leadElsewhere() -> [Effect]? {
        sources.leadOn() ? send() : leadHome()
    }

    /// Asks the app's address again when no mirror has the resource either: its response is the app's.
    private mutating func leadHome() -> [Effect]? {
        guard state == .requesting, !isLedByOriginal else { return nil }
        sources.leadHome()
        if let failure = sources.originalFailure { return interrupted(failure) }
        return send(body.resumption)
    }
}

// MARK: - Several connections

extension Download.StateMachine {
    /// Finds out, after a write, whether further connections are useful.
    mutating func grow(at now: Instant) -> [Effect] {
        guard acceptsPipes, let total = totalByteCount,
            connections.grow(
                byteCount: receivedByteCount,
                of: total,
                beside: sources.probeCount,
                at: now
            )
        else { return [] }
        return connections.employ(for: body, from: sources, at: now)
    }

    /// Handles the owner's answer to a request for a connection.
    mutating func connectionAnswered(_ isGranted: Bool, source: Int, at now: Instant) -> [Effect] {
        guard isGranted else {
            return connections.refused(from: sources, at: now) ? [] : endConnections()
        }
        guard state == .receiving else { return [.giveConnectionBack(source: source)] }
        return connections.lent(source, for: body, from: &sources, at: now)
    }

    /// Gives a lent connection back.
    mutating func connectionRecalled(from lenders: Set<Int>, at now: Instant) -> [Effect] {
        goOn(after: connections.recall(from: lenders, &sources, at: now), at: now)
    }

    /// Gives the bytes of stalled connections to others.
    mutating func stallTimePassed(at now: Instant) -> [Effect] {
        goOn(after: connections.endStalled(from: &sources, at: now), at: now)
    }

    /// Handles the response head of a part.
    mutating func partAnswered(
        _ number: Int,
        _ head: HTTPResponseHead,
        to resumption: Resumption,
        at now: Instant
    ) -> [Effect] {
        let end = connections.answered(number, head, to: resumption, from: &sources, at: now)
        return goOn(after: end, at: now)
    }

    /// Handles received bytes of a part.
    mutating func partReceivedBytes(_ number: Int, count: Int) -> [Effect] {
        guard let part = connections[number] else { return [] }
        guard part.position + Int64(count) <= part.end else { return partTooLong(part) }
        body.noteBytes()
        return connections.received(count, of: part, by: number)
    }

    /// Handles a connection that sends too much: its bytes cannot be trusted, nor removed separately.
    private mutating func partTooLong(_ part: Segments.Part) -> [Effect] {
        if part.source > 0 {
            // A mirror's fault is not the server's.
            sources.close(part.source)
        } else {
            connections.giveUp()
        }
        return abandonLoads() + beginAnew(because: Self.tooLong)
    }

    /// Records written bytes of a part.
    mutating func wrotePart(_ number: Int, count: Int, at now: Instant) -> [Effect] {
        guard let part = connections.wrote(count, by: number, at: now) else { return [] }
        let progress = progress(by: count)
        guard part.isCompleteEarly else { return progress }
        let end = connections.endEarly(number, of: part.source, from: &sources)
        return progress + goOn(after: end, at: now)
    }

    /// Handles the end of the connection for a part.
    mutating func partFinished(_ number: Int, _ error: TransferError?, at now: Instant) -> [Effect]
    {
        goOn(after: connections.finished(number, error, from: &sources, at: now), at: now)
    }

    /// Handles the head of a mirror's response to a comparison.
    mutating func probeAnswered(
        _ number: Int,
        _ head: HTTPResponseHead,
        at now: Instant
    ) -> [Effect] {
        guard let known = body.version ?? body.held?.version else { return [] }
        let first = response.head
        let end = sources.probeAnswered(number, head, like: known, answeredBy: first)
        return goOn(after: end, at: now)
    }

    /// Compares received bytes.
    mutating func probeReceivedBytes(_ number: Int, count: Int, at now: Instant) -> [Effect] {
        guard let position = sources.probeReceivedBytes(number, count: count) else {
            return goOn(after: sources.cancelProbe(number), at: now)
        }
        return [.compareProbe(number, count: count, at: position)]
    }

    /// Closes a mirror whose bytes differ from the file's.
    mutating func probeDiffers(_ number: Int, at now: Instant) -> [Effect] {
        goOn(after: sources.probeDiffers(number), at: now)
    }

    /// Handles the end of a mirror's response.
    mutating func probeFinished(_ number: Int, at now: Instant) -> [Effect] {
        guard let probe = sources.endProbe(number) else { return [] }
        var effects: [Effect] = []
        if response.head == nil, let version = probe.provenVersion, let head = probe.head {
            // The first server has not answered in this attempt.
            body.redirect(to: sources.request(of: probe.source))
            let shown = response.shown(for: head, of: version)
            let offset = receivedByteCount
            effects = response.show(shown, of: body, resumedAt: offset, isProved: true)
        }
        return effects + goOn(after: [.giveConnectionBack(source: probe.source)], at: now)
    }

    /// Continues after a connection has ended; does nothing if none has.
    private mutating func goOn(after end: [Effect]?, at now: Instant) -> [Effect] {
        guard let end else { return [] }
        guard connections.areComplete else {
            return end
                + (connections.goOn(for: body, from: sources, at: now) ?? endConnections())
        }
        // A connection that has received everything may still have to report its end.
        guard connections.haveEnded else { return end }
        connections.clear()
        state = .synchronizing
        return end + sources.abandonProbes() + [.endSegments, .synchronize]
    }

    /// Ends without a connection: the download fails, or a single request finds out what the refusals mean.
    private mutating func endConnections() -> [Effect] {
        guard let written = connections.written else { return [] }
        let failure = sources.lastFailure
        // A failed mirror may recover; a mirror that no longer has the resource is no reason to fail. The app's
        // address decides, which does not have what the mirrors have sent.
        let isRefuted = failure?.code == .badServerResponse && sources.isRefutedByOriginal
        let isHeld = body.hold(written)
        connections.clear()
        if let failure, !isRefuted { return interrupted(failure) }
        guard isHeld else { return misuse() }
        if isRefuted {
            sources.leadHome()
            return send()
        }
        connections.giveUp()
        return send(body.held?.resumption)
    }

    /// Ends all connections.
    mutating func abandonLoads() -> [Effect] {
        let probes = sources.abandonProbes()
        return connections.abandon().map { probes + $0 } ?? [.cancelLoad] + probes
    }

    private mutating func abandonRunningLoads() -> [Effect] {
        switch state {
        case .ready, .synchronizing, .verifying, .ended: []
        case .requesting, .draining, .receiving: abandonLoads()
        }
    }
}

// MARK: - The file

extension Download.StateMachine {
    /// Gives up the file, because the body contradicts its head or the file.
    ///
    /// It is not enough to truncate the file. Bytes that were forced onto the disk must never be replaced in
    /// the same file: a stored checkpoint would vouch for the new bytes.
    private mutating func refused(
        _ reason: String,
        as code: TransferError.Code = .badServerResponse
    ) -> [Effect] {
        guard body.request.resumption == nil else { return beginAnew(because: reason) }
        body.discard()
        return [.discardFile] + fail(TransferError(code: code, message: reason))
    }

    /// Requests the whole in place of bytes that are wrong.
    ///
    /// They stay until it comes: otherwise whatever answers next, such as a login page, would be the file.
    mutating func beginAnew(because reason: String) -> [Effect] {
        guard let version = body.refute(connections.written) else {
            return discardAll(because: reason)
        }
        return [.continueFile(version)] + requestWhole(because: reason)
    }

    /// Discards all bytes and requests the whole.
    private mutating func discardAll(because reason: String) -> [Effect] {
        body.discard()
        return [.discardFile] + requestWhole(because: reason)
    }

    private mutating func requestWhole(because reason: String) -> [Effect] {
        sources.forgetProofs()
        connections.clear()
        return [.reportRestart(reason: reason)] + send()
    }

    /// Handles a file that could not be created, written or synchronized, or was changed by another program.
    mutating func fileFailed(_ error: TransferError) -> [Effect] {
        guard !hasEnded else { return [] }
        let ends = abandonRunningLoads()
        guard error.code == .fileChanged else { return ends + fail(error) }
        // All bytes are discarded. The first time may be an accident; the second time fails the download, which
        // would otherwise load forever.
        guard wasDisturbed else {
            wasDisturbed = true
            return ends + discardAll(because: error.message)
        }
        body.discard()
        let failure = TransferError(code: .cannotWriteToFile, message: error.message)
        return ends + [.discardFile] + fail(failure)
    }

    /// Verifies the bytes, which are in place now, if there are digests.
    mutating func synchronized() -> [Effect] {
        guard state == .synchronizing else { return [] }
        let checks = digests.all
        guard !checks.isEmpty else { return finish() }
        state = .verifying
        return [.verify(checks)]
    }

    /// The bytes have been compared with their digests; `nil` if they are as described.
    mutating func verified(_ mismatch: String?) -> [Effect] {
        guard state == .verifying else { return [] }
        guard let mismatch else { return finish() }
        // A body that was assembled from several responses may be right in one response.
        let reason = mismatch + (response.head.map { " (status \($0.status))" } ?? "")
        guard connections.canGiveUp else { return refused(reason, as: .digestMismatch) }
        connections.giveUp()
        return beginAnew(because: reason)
    }

    private mutating func finish() -> [Effect] {
        guard let response = response.head else { return [] }
        state = .ended
        return [
            .finish(
                DownloadResult(
                    response: response,
                    currentRequest: currentRequest,
                    byteCount: receivedByteCount
                )
            )
        ]
    }
}
