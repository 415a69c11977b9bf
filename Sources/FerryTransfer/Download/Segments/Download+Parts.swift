import FerryHTTP
import FerrySystem

/// The connections beside the first one, and the bytes they receive.
extension Download {
    /// Returns the origin that connections to a source are counted for.
    private func origin(of source: Int) -> String {
        let url = machine.request(of: source).url
        return Origin(url: url)?.description ?? url
    }

    func askForConnection(to source: Int) {
        let isAlone = self.source?.isShared != true
        let origin = origin(of: source)
        let isGranted = isAlone && connections?.lend(connectionTo: origin) ?? true
        if isGranted { lentConnections[source, default: []].append(origin) }
        machine.connectionAnswered(isGranted, source: source, at: EventLoop.now)
    }

    /// Gives a connection back to the origin it was lent for; a redirect or another address may have changed
    /// it.
    func giveConnectionBack(of source: Int) {
        guard let origin = lentConnections[source]?.popLast() else { return }
        connections?.takeBack(connectionTo: origin)
    }

    /// Gives back every connection that was lent.
    func giveConnectionsBack() {
        let lent = lentConnections
        lentConnections = [:]
        for origin in lent.values.joined() { connections?.takeBack(connectionTo: origin) }
    }

    /// Gives a connection back early because another transfer waits for it; the other connections fetch its
    /// bytes.
    ///
    /// - Parameter isWanted: Whether a connection to a server is needed; the server is given as in
    ///   ``ConnectionLender/lend(connectionTo:)``.
    package func returnConnection(where isWanted: (String) -> Bool) {
        let sources = lentConnections.filter { $0.value.last.map(isWanted) ?? false }.keys
        run { $0.connectionRevoked(from: Set(sources), at: EventLoop.now) }
    }

    func start(_ part: Int, _ next: StateMachine.Request, of source: Int) {
        var request = next.transfer
        request.ask(forPart: next.resumption?.fields ?? [])
        start(part, request, for: next.resumption, of: source)
    }

    func startProbe(
        _ part: Int,
        _ next: TransferRequest,
        _ range: Range<Int64>,
        of source: Int
    ) {
        var request = next
        let value = "bytes=\(range.lowerBound)-\(range.upperBound - 1)"
        request.ask(forPart: [HTTPField(name: "Range", value: value)])
        start(part, request, for: nil, of: source)
    }

    private func start(
        _ part: Int,
        _ request: TransferRequest,
        for resumption: Resumption?,
        of source: Int
    ) {
        let isElsewhere = Origin(url: request.url) != Origin(url: self.request.url)
        let load = PartLoad(
            of: self,
            part: part,
            resumption: resumption,
            request: request,
            client: client,
            configuration: configuration.load,
            decider: PartDecider(
                decider,
                followsRedirects: source > 0,
                keepsSecrets: source > 0 && isElsewhere
            ),
            proven: provenLoad
        )
        parts[part] = load
        watchForStalls()
        load.start()
    }

    /// Starts the timer for the connection that has received nothing for the longest time, if there are
    /// several.
    private func watchForStalls() {
        // A connection that a rate limit slows down has not stalled.
        guard stallTimer == nil, configuration.load.rates?.receiveRate == nil,
            let due = machine.nextStall
        else { return }
        stallTimer = EventLoop.shared.schedule(after: due - EventLoop.now) { [weak self] in
            guard let self else { return }
            self.stallTimer = nil
            self.run { $0.stallTimePassed(at: EventLoop.now) }
            self.watchForStalls()
        }
    }

    func stopWatching() {
        stallTimer?.cancel()
        stallTimer = nil
    }

    func compare(
        _ bytes: Slice<UnsafeRawBufferPointer>?,
        at offset: Int64,
        of part: Int
    ) throws(TransferError) {
        guard let bytes else { return }
        if try !file.holds(UnsafeRawBufferPointer(rebasing: bytes), at: offset) {
            machine.probeDiffers(part, at: EventLoop.now)
        }
    }

    func cancel(_ part: Int) {
        guard part != StateMachine.firstConnection else { return cancelLoad() }
        parts.removeValue(forKey: part)?.cancel()
    }

    /// Writes bytes of a part; those that reached the file before an error count.
    func write(
        _ piece: Piece?,
        _ count: Int,
        of part: Int,
        at offset: Int64
    ) {
        guard let piece else { return }
        let (written, failure) = store { () throws(TransferError) in
            try piece.write(count, to: file, at: offset)
        }
        machine.wrotePart(part, count: written, failure: failure, at: EventLoop.now)
        if failure == nil { synchronizeSoon() }
    }

    /// Handles the response head of a part; returns whether the body is wanted.
    func received(_ head: HTTPResponseHead, by load: PartLoad) -> Bool {
        guard parts[load.part] === load else { return false }
        let now = EventLoop.now
        if let resumption = load.resumption {
            run { $0.partAnswered(load.part, head, to: resumption, at: now) }
        } else {
            run { $0.probeAnswered(load.part, head, at: now) }
        }
        return parts[load.part] === load
    }

    /// Handles bytes of a part; returns whether more of them are wanted.
    func received(_ piece: Piece, by load: PartLoad) -> Bool {
        guard parts[load.part] === load else { return false }
        run(with: piece) {
            if load.resumption == nil {
                $0.probeReceivedBytes(load.part, count: piece.count, at: EventLoop.now)
            } else {
                $0.partReceivedBytes(load.part, count: piece.count)
            }
        }
        return parts[load.part] === load
    }

    /// The connection for a part has ended.
    func finished(_ load: PartLoad, with error: TransferError?) {
        guard parts[load.part] === load else { return }
        parts[load.part] = nil
        let now = EventLoop.now
        if load.resumption == nil { return run { $0.probeFinished(load.part, at: now) } }
        run { $0.partFinished(load.part, error, at: now) }
    }
}
