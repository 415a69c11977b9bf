import FerryHTTP
import FerrySystem

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

        /// What the owner must do.
        var effects = Effects()
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
        mutating func start(holding held: Held?) {
            switch state {
            case .ready: break
            // Cancelled before the file was opened.
            case .ended: return
            case .requesting, .draining, .receiving, .synchronizing, .verifying: return misuse()
            }
            // Otherwise the whole is requested from the app's address first.
            guard body.start(holding: held), body.mayRequestParts, let held else { return send() }
            sources.lead(by: held.version)
            send(body.resumption)
        }

        mutating func cancel() {
            effects.removeAll()
            abandonLoads()
            state = .ended
        }

        /// Requests the whole, or a part.
        private mutating func send(_ resumption: Resumption? = nil) {
            let request = Request(transfer: sources.request(of: 0), resumption: resumption)
            state = .requesting
            repetition = nil
            body.send(request)
            sources.abandonProbes(into: &effects)
            effects.add(.send(request))
        }

        private mutating func fail(_ error: TransferError) {
            state = .ended
            var error = error
            error.holdsBytes = body.holdsEarlierBytes || body.held != nil
            sources.abandonProbes(into: &effects)
            effects.add(.fail(error))
        }

        /// Fails because of an input that is impossible in this state: a fault here or in the engine, which
        /// ends this download and no other.
        private mutating func misuse(_ input: StaticString = #function) {
            let message = "\(input) while \(state)"
            abandonLoads()
            fail(TransferError(code: .internalFailure, message: message))
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
    mutating func receivedHead(
        _ head: HTTPResponseHead,
        to request: TransferRequest,
        now: HTTPDate,
        at clock: Instant = .now
    ) {
        switch state {
        case .requesting: break
        case .ended: return
        case .ready, .draining, .receiving, .synchronizing, .verifying: return misuse()
        }
        sources.record(nil, of: 0)
        let resumption = body.request.resumption
        body.redirect(to: resumption?.removingFields(of: request) ?? request)
        let isFinal = isLedByOriginal || resumption != nil
        if let error = configuration.failure(of: head, isFinal: isFinal), let other = failover {
            effects.add(.cancelLoads)
            return failOver(to: other, after: error, at: clock)
        }
        switch configuration.answer(head, to: body.request, holding: body.held?.version, now: now) {
        // An error that is not withheld is delivered.
        case .whole:
            if rejectExcess(head.storedLength) { return }
            wholeCame(head, beside: head.status < 400 ? body.held : nil)
        case .part(let resumption, let end, let total):
            if rejectExcess(total) { return }
            partCame(head, for: resumption, upTo: end, of: total)
        case .unproved(let reason):
            if !compare() { leaveRefusal(head, reason) }
        case .refusal(let reason): leaveRefusal(head, reason)
        case .failure(let error):
            // A request that is retried has no response yet.
            let isShown = error.code == .errorResponse || error.code == .linkExpired
            if isShown { effects.add(.reportResponse(head, currentRequest)) }
            effects.add(.cancelLoads)
            fail(error)
        }
    }

    /// Fails if the file is longer than it may be; returns whether it does.
    private mutating func rejectExcess(_ byteCount: Int64?) -> Bool {
        let url = body.request.transfer.url
        guard let error = configuration.excess(of: byteCount, at: url) else { return false }
        abandonLoads()
        fail(error)
        return true
    }

    /// Handles a body that begins at the first byte, where the file may hold bytes already.
    private mutating func wholeCame(
        _ head: HTTPResponseHead,
        beside held: Download.Body.Held?
    ) {
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
            if compare() { return }
            if held.segments == nil { return wholeComesAgain(head, isKnown: false) }
            if configuration.isAgreed(head, against: held) { return replace(by: head) }
        case .odd: break
        }
        effects.add(.recordDoubt(answer))
        effects.add(.cancelLoads)
        fail(answer.error(at: head.url))
    }

    /// Ends with what contradicts the repeated answer, whose length is unknown or another; returns whether it does.
    ///
    /// One such answer proves nothing: it may have been cut, or be about something else.
    private mutating func doubtRepetition() -> Bool {
        let isMeasured = body.end != nil && body.held?.version.totalByteCount == body.end
        guard let repetition, !isMeasured else { return false }
        doubt(repetition)
        return true
    }

    private mutating func doubt(_ answer: OddAnswer) {
        let url = body.request.transfer.url
        abandonLoads()
        effects.add(.recordDoubt(answer))
        fail(answer.error(at: url))
    }

    /// Asks for some of the file's bytes again, and the rest; returns `false` if that was done already.
    private mutating func compare() -> Bool {
        guard let comparison = body.nextComparison else { return false }
        effects.add(.cancelLoads)
        send(comparison)
        return true
    }

    /// Compares the first bytes of a body with those in the file.
    private mutating func wholeComesAgain(_ head: HTTPResponseHead, isKnown: Bool) {
        guard let version = body.beginAgain(head, isKnown: isKnown) else { return misuse() }
        repetition = OddAnswer(head)
        digests.record(head, to: currentRequest)
        let shown = response.shown(for: head, of: version)
        receive(head, showing: shown, resumedAt: receivedByteCount)
    }

    /// Replaces the file's bytes by a body that begins at the first byte.
    private mutating func replace(by head: HTTPResponseHead) {
        if body.held != nil, body.request.resumption != nil {
            effects.add(.reportRestart(reason: "the server answers \(head.status)"))
        }
        effects.add(.beginFile(body.beginWhole(head)))
        sources.forgetProofs()
        sources.returnToFirst()
        digests.record(head, to: currentRequest)
        receive(head, showing: head, resumedAt: 0)
    }

    private mutating func partCame(
        _ head: HTTPResponseHead,
        for resumption: Resumption,
        upTo end: Int64,
        of total: Int64
    ) {
        guard let version = body.beginPart(head, for: resumption, upTo: end, of: total) else {
            return leaveRefusal(head, "the new address has nothing that proves its parts")
        }
        digests.record(head, to: currentRequest, of: resumption.offset..<end)
        let shown = response.shown(for: head, of: version)
        // Bytes that are requested again for a comparison have not been lost.
        if !resumption.isCompared { effects.add(.continueFile(version)) }
        let offset = resumption.isCompared ? receivedByteCount : body.position
        receive(head, showing: shown, resumedAt: offset)
    }

    private mutating func receive(
        _ head: HTTPResponseHead,
        showing shown: HTTPResponseHead,
        resumedAt offset: Int64
    ) {
        state = .receiving
        connections.begin(head, of: body)
        response.show(shown, of: body, resumedAt: offset, isProved: body.isShown, into: &effects)
        effects.add(.takeBody)
    }

    /// Requests the whole, after the current body if that is shorter than a handshake.
    private mutating func leaveRefusal(_ head: HTTPResponseHead, _ reason: String) {
        effects.add(.reportRestart(reason: reason))
        guard let length = head.contentLength, length <= Self.drainedByteCount else {
            effects.add(.cancelLoads)
            return send()
        }
        state = .draining
        effects.add(.skipBody)
    }

    mutating func receivedBytes(count: Int) {
        switch state {
        case .receiving: break
        case .ended: return
        case .ready, .requesting, .draining, .synchronizing, .verifying: return misuse()
        }
        if connections.isSegmented {
            partReceivedBytes(Self.firstConnection, count: count)
        } else if !body.receive(count: count, into: &effects) {
            bodyTooLong()
        }
    }

    /// Handles a body that is longer than its head has announced.
    ///
    /// After a part the whole is requested, and judged, as after any other invalid part.
    private mutating func bodyTooLong() {
        guard repetition != nil || body.request.resumption != nil else {
            abandonLoads()
            return refused(Self.tooLong)
        }
        // Its bytes may be wrong. No part continues them, also in later attempts, until the whole was compared with them.
        if let version = body.keepDoubtful() { effects.add(.continueFile(version)) }
        if let repetition { return doubt(repetition) }
        abandonLoads()
        effects.add(.reportRestart(reason: Self.tooLong))
        send()
    }

    private static let tooLong = "the body is longer than announced"

    /// Handles received bytes that differ from those in the file.
    mutating func compareFailed() {
        guard state == .receiving else { return }
        effects.removeAll()
        if body.held?.version.validator?.isStrong != true, doubtRepetition() { return }
        abandonLoads()
        beginAnew(because: "the part differs from what is at hand")
    }

    /// Handles bytes that were written to the file.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - failure: Why the others were not written.
    mutating func wrote(count: Int, failure: TransferError? = nil) {
        if state == .receiving {
            // Those to be compared are equal, if this was not found out before.
            if body.isShown { response.showPending(of: body, into: &effects) }
            progress(by: count)
        }
        if let failure { giveUpFile(failure) }
    }

    private mutating func progress(by count: Int) {
        // What is only compared is no progress.
        guard count > 0 || body.isProved else { return }
        body.wrote(count: count)
        // The server has not said how long it is.
        if rejectExcess(receivedByteCount) { return }
        effects.add(.reportProgress(received: receivedByteCount, total: totalByteCount))
    }

    mutating func loadFinished(_ error: TransferError?, at now: Instant = .now) {
        switch state {
        case .requesting:
            let error =
                error ?? TransferError(code: .badServerResponse, message: "no response came")
            sources.record(error, of: 0)
            serverFailed(error, at: now)
        case .draining:
            // It does not matter how an unwanted body ended.
            send()
        case .receiving where connections.isSegmented:
            partFinished(Self.firstConnection, error, at: now)
        case .receiving:
            if let error { serverFailed(error, at: now) } else { bodyEnded() }
        case .ended:
            break
        case .ready, .synchronizing, .verifying:
            misuse()
        }
    }

    /// Handles the normal end of the load while a body was received.
    private mutating func bodyEnded() {
        switch body.finish() {
        case .complete:
            state = .synchronizing
            sources.abandonProbes(into: &effects)
            effects.add(.synchronize)
        // What is here is as good as before.
        case .short(let error):
            if !doubtRepetition() { interrupted(error) }
        case .partial(let resumption): send(resumption)
        }
    }

    private mutating func interrupted(_ error: TransferError) {
        body.interrupt(error, isRefuted: sources.isRefutedByOriginal)
        fail(error)
    }
}

// MARK: - Other servers

extension Download.StateMachine {
    /// What follows the failure of the first server.
    private enum Failover {
        /// Mirrors fetch the missing bytes, as soon as they have proved that they have the same version.
        case parts(ByteRanges, of: ResourceVersion, total: Int64)
        /// A mirror is asked for the whole, as there is nothing to continue.
        case mirror
        /// The app's address is asked again, as no mirror has the resource either: its response is the app's.
        case original
    }

    /// What follows the failure of the first server; `nil` if the download fails with it.
    ///
    /// Before any bytes are received there is nothing to prove: a mirror's response is then as good as the first
    /// server's.
    private var failover: Failover? {
        let original = state == .requesting && !isLedByOriginal ? Failover.original : nil
        let lead = sources.canLeadOn ? .mirror : original
        guard sources.hasMirror else { return original }
        guard body.held != nil || state == .receiving else { return lead }
        guard let version = body.provableVersion, let total = version.totalByteCount,
            Sources.probedRange(of: body.written) != nil
        else {
            // So few bytes are not worth a failure.
            let isLittle = receivedByteCount < Sources.probedByteCount
            return state == .requesting && isLittle ? lead : original
        }
        // When no bytes are missing, only a server that has them can say that they are still current.
        let missing = body.written.gaps(upTo: total)
        return missing.isEmpty ? original : .parts(missing, of: version, total: total)
    }

    /// Handles the end of a request to the first server.
    private mutating func serverFailed(_ error: TransferError, at now: Instant) {
        guard let other = failover else { return interrupted(error) }
        failOver(to: other, after: error, at: now)
    }

    private mutating func failOver(
        to other: Failover,
        after error: TransferError,
        at now: Instant
    ) {
        switch other {
        case .parts(let missing, let version, let total):
            if state != .receiving { effects.add(.continueFile(version)) }
            state = .receiving
            body.handOver(version)
            sources.leaveFirst(after: error)
            connections.replaceFirst(missing, of: total)
            effects.add(.beginSegments)
            connections.employ(for: body, from: sources, at: now, into: &effects)
        case .mirror:
            sources.leadOn()
            send()
        case .original:
            sources.returnToOriginal()
            if let failure = sources.originalFailure { return interrupted(failure) }
            send(body.resumption)
        }
    }
}

// MARK: - Several connections

extension Download.StateMachine {
    /// Finds out, after a write, whether further connections are useful.
    mutating func grow(at now: Instant) {
        guard acceptsPipes, let total = totalByteCount,
            connections.grow(
                byteCount: receivedByteCount,
                of: total,
                beside: sources.probeCount,
                at: now
            )
        else { return }
        connections.employ(for: body, from: sources, at: now, into: &effects)
    }

    /// Handles the owner's answer to a request for a connection.
    mutating func connectionAnswered(_ isGranted: Bool, source: Int, at now: Instant) {
        if !isGranted {
            if !connections.refused(from: sources, at: now) { endConnections() }
        } else if state == .receiving {
            connections.lent(source, for: body, from: &sources, at: now, into: &effects)
        } else {
            effects.add(.giveConnectionBack(source: source))
        }
    }

    /// Gives a lent connection back.
    mutating func connectionRevoked(from lenders: Set<Int>, at now: Instant) {
        if connections.revoke(from: lenders, &sources, at: now, into: &effects) { proceed(at: now) }
    }

    /// Gives the bytes of stalled connections to others.
    mutating func stallTimePassed(at now: Instant) {
        if connections.endStalled(from: &sources, at: now, into: &effects) { proceed(at: now) }
    }

    /// Handles the response head of a part.
    mutating func partAnswered(
        _ number: Int,
        _ head: HTTPResponseHead,
        to resumption: Resumption,
        at now: Instant
    ) {
        let hasEnded = connections.answered(
            number,
            head,
            to: resumption,
            from: &sources,
            at: now,
            into: &effects
        )
        if hasEnded { proceed(at: now) }
    }

    /// Handles received bytes of a part.
    mutating func partReceivedBytes(_ number: Int, count: Int) {
        guard let part = connections[number] else { return }
        guard part.position + Int64(count) <= part.end else { return partTooLong(part) }
        body.recordBytes()
        connections.received(count, of: part, by: number, into: &effects)
    }

    /// Handles a connection that sends too much: its bytes cannot be trusted, nor removed separately.
    private mutating func partTooLong(_ part: Segments.Part) {
        if part.source > 0 {
            // A mirror's fault is not the server's.
            sources.close(part.source)
        } else {
            connections.giveUp()
        }
        abandonLoads()
        beginAnew(because: Self.tooLong)
    }

    /// Handles bytes of a part that were written to the file.
    ///
    /// - Parameters:
    ///   - number: The part's number.
    ///   - count: How many.
    ///   - failure: Why the others were not written.
    ///   - now: When they were written.
    mutating func wrotePart(
        _ number: Int,
        count: Int,
        failure: TransferError? = nil,
        at now: Instant
    ) {
        if let part = connections.wrote(count, by: number, at: now) {
            progress(by: count)
            if part.isCompleteEarly {
                connections.endEarly(number, of: part.source, from: &sources, into: &effects)
                proceed(at: now)
            }
        }
        if let failure { giveUpFile(failure) }
    }

    /// Handles the end of the connection for a part.
    mutating func partFinished(_ number: Int, _ error: TransferError?, at now: Instant) {
        if connections.finished(number, error, from: &sources, at: now, into: &effects) {
            proceed(at: now)
        }
    }

    /// Handles the head of a mirror's response to a comparison.
    mutating func probeAnswered(_ number: Int, _ head: HTTPResponseHead, at now: Instant) {
        guard let known = body.version ?? body.held?.version else { return }
        let hasEnded = sources.probeAnswered(
            number,
            head,
            like: known,
            answeredBy: response.head,
            into: &effects
        )
        if hasEnded { proceed(at: now) }
    }

    /// Compares received bytes.
    mutating func probeReceivedBytes(_ number: Int, count: Int, at now: Instant) {
        if let position = sources.probeReceivedBytes(number, count: count) {
            effects.add(.compareProbe(number, count: count, at: position))
        } else if sources.cancelProbe(number, into: &effects) {
            proceed(at: now)
        }
    }

    /// Closes a mirror whose bytes differ from the file's.
    mutating func probeDiffers(_ number: Int, at now: Instant) {
        if sources.probeDiffers(number, into: &effects) { proceed(at: now) }
    }

    /// Handles the end of a mirror's response.
    mutating func probeFinished(_ number: Int, at now: Instant) {
        guard let probe = sources.endProbe(number) else { return }
        if response.head == nil, let version = probe.provenVersion, let head = probe.head {
            // The first server has not answered in this attempt.
            body.redirect(to: sources.request(of: probe.source))
            let shown = response.shown(for: head, of: version)
            let offset = receivedByteCount
            response.show(shown, of: body, resumedAt: offset, isProved: true, into: &effects)
        }
        effects.add(.giveConnectionBack(source: probe.source))
        proceed(at: now)
    }

    /// Continues after a connection has ended.
    private mutating func proceed(at now: Instant) {
        guard connections.areComplete else {
            if !connections.proceed(for: body, from: sources, at: now, into: &effects) {
                endConnections()
            }
            return
        }
        // A connection that has received everything may still have to report its end.
        guard connections.haveEnded else { return }
        connections.clear()
        state = .synchronizing
        sources.abandonProbes(into: &effects)
        effects.add(.endSegments)
        effects.add(.synchronize)
    }

    /// Ends without a connection: the download fails, or a single request finds out what the refusals mean.
    private mutating func endConnections() {
        guard let written = connections.written else { return }
        let failure = sources.lastFailure
        // A failed mirror may recover; a mirror that no longer has the resource is no reason to fail. The app's
        // address decides, which does not have what the mirrors have sent.
        let isRefuted = failure?.code == .badServerResponse && sources.isRefutedByOriginal
        let isHeld = body.hold(written)
        connections.clear()
        if let failure, !isRefuted { return interrupted(failure) }
        guard isHeld else { return misuse() }
        if isRefuted {
            sources.returnToOriginal()
            return send()
        }
        connections.giveUp()
        send(body.held?.resumption)
    }

    /// Ends all connections.
    mutating func abandonLoads() {
        effects.add(.cancelLoads)
        sources.forgetProbes()
        connections.clear()
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
    ) {
        guard body.request.resumption == nil else { return beginAnew(because: reason) }
        body.discard()
        effects.add(.discardFile)
        fail(TransferError(code: code, message: reason))
    }

    /// Requests the whole in place of bytes that are wrong.
    ///
    /// They stay until it comes: otherwise whatever answers next, such as a login page, would be the file.
    mutating func beginAnew(because reason: String) {
        guard let version = body.refute(connections.written) else {
            return discardAll(because: reason)
        }
        effects.add(.continueFile(version))
        requestWhole(because: reason)
    }

    /// Discards all bytes and requests the whole.
    private mutating func discardAll(because reason: String) {
        body.discard()
        effects.add(.discardFile)
        requestWhole(because: reason)
    }

    private mutating func requestWhole(because reason: String) {
        sources.forgetProofs()
        connections.clear()
        effects.add(.reportRestart(reason: reason))
        send()
    }

    /// Handles a file that could not be created, written or synchronized, or was changed by another program.
    mutating func fileFailed(_ error: TransferError) {
        // What was decided before may still have to be reported.
        guard !hasEnded else { return }
        effects.removeAll()
        giveUpFile(error)
    }

    private mutating func giveUpFile(_ error: TransferError) {
        guard !hasEnded else { return }
        abandonLoads()
        guard error.code == .fileChanged else { return fail(error) }
        // All bytes are discarded. The first time may be an accident; the second time fails the download, which
        // would otherwise load forever.
        guard wasDisturbed else {
            wasDisturbed = true
            return discardAll(because: error.message)
        }
        body.discard()
        effects.add(.discardFile)
        fail(TransferError(code: .cannotWriteToFile, message: error.message))
    }

    /// Verifies the bytes, which are in place now, if there are digests.
    mutating func synchronized() {
        guard state == .synchronizing else { return }
        let checks = digests.all
        guard !checks.isEmpty else { return finish() }
        state = .verifying
        effects.add(.verify(checks))
    }

    /// The bytes have been compared with their digests; `nil` if they are as described.
    mutating func verified(_ mismatch: String?) {
        guard state == .verifying else { return }
        guard let mismatch else { return finish() }
        // A body that was assembled from several responses may be right in one response.
        let reason = mismatch + (response.head.map { " (status \($0.status))" } ?? "")
        guard connections.canGiveUp else { return refused(reason, as: .digestMismatch) }
        connections.giveUp()
        beginAnew(because: reason)
    }

    private mutating func finish() {
        guard let response = response.head else { return }
        state = .ended
        let result = DownloadResult(
            response: response,
            currentRequest: currentRequest,
            byteCount: receivedByteCount
        )
        effects.add(.finish(result))
    }
}
