import FerryHTTP

@testable import FerryTransfer

extension MirrorHistory {
    /// Lets the next thing happen.
    func step() throws {
        let ready = flows.filter { $0.value.isReady }.keys.sorted()
        let choice = generator.below(ready.count + pending.count)
        if choice < ready.count {
            now += .milliseconds(generator.below(30))
            try advance(ready[choice])
        } else if !pending.isEmpty {
            try finishPending(at: choice - ready.count)
        } else {
            try waitForTimer()
        }
        guard !machine.hasEnded else { return }
        if let due = stallTimer, due <= now { try stallTimerFired() }
        if generator.happens(10) { file.synchronize() }
        if !isCalm, generator.happens(2) {
            let lenders = lentTo.filter { !$0.value.isEmpty }.keys
            try run { $0.connectionRevoked(from: Set(lenders), at: now) }
        }
        guard !isCalm, generator.below(1000) < 2 else { return }
        count(.cancellation)
        record("the owner cancels it")
        isFailureExcused = true
        try run { $0.cancel() }
    }

    /// With nothing on its way, time passes.
    private func waitForTimer() throws {
        let idle = flows.values.map { $0.touched + MirrorFlow.idleTimeout }.min()
        guard let next = [idle, stallTimer].compactMap({ $0 }).min() else {
            throw Broken(description: "it waits for nothing")
        }
        now = max(now, next)
        guard next != stallTimer else { return }
        for (number, flow) in flows.sorted(by: { $0.key < $1.key })
        where flow.touched + MirrorFlow.idleTimeout <= now {
            guard flows[number]?.identifier == flow.identifier else { continue }
            count(.idleTimeout)
            try finish(number, HTTPError(code: .timedOut, message: "simulated"))
        }
    }

    // MARK: Opening

    /// Opens a connection for a request, through what redirects there are.
    func open(
        _ asked: TransferRequest,
        as number: Int,
        _ range: Range<Int64>?,
        for purpose: MirrorFlow.Purpose,
        follows: Bool = true
    ) throws {
        guard let place = places.firstIndex(where: { $0.answers(asked.url) }) else {
            throw Broken(description: "\(asked.url) is asked for")
        }
        if !isCalm, generator.happens(places[place].changePercent) { change(place) }
        var request = asked
        if follows { request.url = places[place].address(for: asked.url, using: &generator) }
        lastFlow += 1
        let answer = places[place].answer(
            to: range,
            condition: sabotage == .takesAnyVersion ? nil : purpose.condition,
            at: request.url,
            isCalm: isCalm,
            using: &generator
        )
        recordExcuse(answer, of: place, to: range, number: number)
        record("connection \(number): \(request.url) \(range.map { "\($0)" } ?? "all"): \(answer)")
        flows[number] = MirrorFlow(
            identifier: lastFlow,
            purpose: purpose,
            request: request,
            follows: follows,
            head: answer.head,
            answer: answer,
            touched: now
        )
    }

    /// A place has something else from now on, often of the same length.
    private func change(_ place: Int) {
        let length = places[place].content.byteCount
        let isSame = generator.happens(60)
        let byteCount = isSame ? length : Int64(generator.below(300_000))
        places[place].change(to: makeContent(byteCount: byteCount))
        record("\(places[place].url) changes")
    }

    /// What the first connection's server answers may cost the bytes at hand; what others do must not.
    private func recordExcuse(
        _ answer: SimulatedPlace.Answer,
        of place: Int,
        to range: Range<Int64>?,
        number: Int
    ) {
        // That whatever is longer than announced costs all is known.
        if answer.surplus > 0 { isLossExcused = true }
        if place == 0, !places[0].isHonest(answer) { isFailureExcused = true }
        guard number == 0 else { return }
        let isPart = answer.head.map { $0.status == 206 } ?? true
        let isHonest = places[place].isHonest
        // A date means nothing at another node.
        let isBound = places[place].nodes.count < 2 || places[place].validation == .strongETag
        // A part of something of another length is of another version.
        let isOfLength = answer.content.byteCount == file.version?.totalByteCount
        if range != nil, !(isPart && isHonest && isBound && isOfLength) { isLossExcused = true }
        // Where there are no parts, the whole is asked for and compared.
        let hasParts = file.version?.hasParts ?? true
        let isOfVersion = file.version?.isOf(answer.head.flatMap { Validator(head: $0) }) ?? false
        if !hasParts, !(isHonest && isBound && isOfLength && isOfVersion) { isLossExcused = true }
        if range == nil, machine.fruitlessResumptionCount >= Machine.maximumFruitlessResumptionCount
        {
            isLossExcused = true
        }
    }

    // MARK: Bytes

    /// Something happens on one of the connections.
    private func advance(_ number: Int) throws {
        guard let flow = flows[number] else { return }
        flows[number]?.touched = now
        if let head = flow.head {
            flows[number]?.head = nil
            return try answered(number, head, flow)
        }
        if case .lead = flow.purpose, !takesBody { return try finish(number, flow.answer.error) }
        if !flow.answer.body.isEmpty {
            let size = Int64(1 + generator.below(60_000))
            let count = min(flow.answer.body.byteCount, size)
            let start = flow.answer.body.lowerBound
            flows[number]?.answer.body = start + count..<flow.answer.body.upperBound
            return try deliver(
                MirrorPiece(content: flow.answer.content, range: start..<start + count),
                to: number
            )
        }
        if flow.answer.surplus > 0 {
            flows[number]?.answer.surplus = 0
            let start = flow.answer.body.upperBound
            let range = start..<start + flow.answer.surplus
            return try deliver(MirrorPiece(content: .garbage, range: range), to: number)
        }
        try finish(number, flow.answer.error)
    }

    private func answered(
        _ number: Int,
        _ head: HTTPResponseHead,
        _ flow: MirrorFlow
    ) throws {
        switch flow.purpose {
        case .lead:
            try run { $0.receivedHead(head, to: flow.request, now: Self.date, at: now) }
        case .part(let resumption):
            var head = head
            if sabotage == .takesAnyVersion, head.status == 206 {
                head.fields.removeAll { $0.isNamed("ETag") || $0.isNamed("Last-Modified") }
                head.fields.append(resumption.simulatedValidator)
            }
            try run { $0.partAnswered(number, head, to: resumption, at: now) }
        case .probe:
            try run { $0.probeAnswered(number, head, at: now) }
        }
    }

    private static let date = HTTPDate(secondsSince1970: 1_700_000_000)

    /// Gives the download what has arrived; what it has no use for must be the last of its connection.
    private func deliver(_ piece: MirrorPiece, to number: Int) throws {
        guard let flow = flows[number] else { return }
        let count = Int(piece.range.byteCount)
        used = 0
        switch flow.purpose {
        case .lead: try run(piece) { $0.receivedBytes(count: count) }
        case .part: try run(piece) { $0.partReceivedBytes(number, count: count) }
        case .probe: try run(piece) { $0.probeReceivedBytes(number, count: count, at: now) }
        }
        try run { $0.grow(at: now) }
        let isOver = flows[number]?.identifier != flow.identifier
        guard used == piece.range.byteCount || isOver || machine.hasEnded else {
            throw Broken(description: "connection \(number) brings what nobody has a use for")
        }
        try mayDie()
    }

    /// A connection has ended.
    private func finish(_ number: Int, _ error: HTTPError?) throws {
        guard let flow = flows.removeValue(forKey: number) else { return }
        let error = error.map { TransferError($0) }
        record("connection \(number) ends: \(error?.code.rawValue ?? "well")")
        switch flow.purpose {
        case .lead: try run { $0.loadFinished(error, at: now) }
        case .part:
            if sabotage == .restartsForParts, error != nil {
                return try run {
                    $0.abandonLoads()
                    $0.beginAnew(because: "a part is lost")
                }
            }
            try run { $0.partFinished(number, error, at: now) }
        case .probe:
            try run { $0.probeFinished(number, at: now) }
            count(flow.uncompared == 0 ? .proof : .refutation)
        }
    }

    // MARK: Time

    /// As `Download` does: the timer is set while there are parts.
    func watchForStalls() {
        guard stallTimer == nil, let due = machine.nextStall else { return }
        stallTimer = max(due, now)
    }

    private func stallTimerFired() throws {
        stallTimer = nil
        let before = Set(flows.values.map(\.identifier))
        try run { $0.stallTimePassed(at: now) }
        if !before.isSubset(of: Set(flows.values.map(\.identifier))) { count(.replacedConnection) }
        watchForStalls()
    }

    private func finishPending(at index: Int) throws {
        switch pending.remove(at: index) {
        case .synchronization:
            file.synchronize()
            try run { $0.synchronized() }
        case .verification(let checks):
            let mismatch = mismatch(with: checks)
            if mismatch != nil {
                count(.digestMismatch)
                isLossExcused = true
                isFailureExcused = true
            }
            try run { $0.verified(mismatch) }
        }
    }

    private func mismatch(with checks: [DigestCheck]) -> String? {
        guard sabotage != .skipsDigests else { return nil }
        let isRight = checks.allSatisfy { check in
            contents.contains { content in
                Digest.simulated(content) == check.digest && file.byteCount == content.byteCount
                    && file.pieces.allSatisfy { $0.content.isSame(as: content, in: $0.range) }
            }
        }
        return isRight ? nil : "another digest"
    }
}

extension MirrorFlow.Purpose {
    /// The version that an answer is to be a part of.
    fileprivate var condition: String? {
        switch self {
        case .lead(let condition): condition
        case .part(let resumption): resumption.version.validator?.ifRange
        case .probe: nil
        }
    }
}

extension Resumption {
    /// The validator that an answer has to have.
    fileprivate var simulatedValidator: HTTPField {
        let value = version.validator?.ifRange ?? ""
        let name = value.hasPrefix("\"") ? "ETag" : "Last-Modified"
        return HTTPField(name: name, value: value)
    }
}

/// What comes by one connection.
struct MirrorFlow {
    /// What it is for.
    enum Purpose {
        case lead(condition: String?)
        case part(Resumption)
        case probe
    }

    /// Unlike that of any other.
    let identifier: Int
    let purpose: Purpose
    /// What was asked, wherever that led.
    let request: TransferRequest
    /// Whether it was led elsewhere if the server said so, as parts are only from mirrors.
    let follows: Bool
    /// `nil` once it has come, or when none comes.
    var head: HTTPResponseHead?
    var answer: SimulatedPlace.Answer
    /// How many bytes are still to be compared, if that is what it is for.
    var uncompared: Int64 = 0
    /// When something has come last.
    var touched: ContinuousClock.Instant

    /// Whether something is to come without delay.
    var isReady: Bool {
        head != nil || !answer.body.isEmpty || answer.surplus > 0 || !answer.stalls
    }

    /// How long it may bring nothing.
    static let idleTimeout: Duration = .seconds(60)
}

/// Bytes that have just arrived.
struct MirrorPiece {
    let content: SimulatedContent
    /// Where they are in what they are of.
    let range: Range<Int64>
}
