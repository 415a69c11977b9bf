import FerrySystem

// How a connection reads and writes bytes: as far as possible without waiting, and further when the socket is
// ready. Reading and writing form one turn, and turns are never nested.

extension WebSocketConnection {
    /// Schedules reading and writing, on this turn of the event loop.
    func takeTurn() {
        guard !isTurnPending else { return }
        isTurnPending = true
        // Not at once: the caller may be in the middle of a turn, or have more to ask for.
        LoopActor.perform { [weak self] in
            guard let self else { return }
            isTurnPending = false
            move()
        }
    }

    private func move() {
        read()
        let wasClogged = isClogged
        write()
        guard let connection else { return }
        // Unread bytes may be inside TLS, for which no socket becomes ready.
        if wasClogged, !isClogged { takeTurn() }
        var readiness: Readiness = wantsBytes && !isTurnPending ? .readable : []
        if hasOutput { readiness.insert(.writable) }
        let error = connection.wait(for: readiness) { [weak self] _ in self?.move() }
        if let error { lost(error) }
    }

    private var isClogged: Bool { framer?.isClogged == true }

    private var wantsBytes: Bool { machine.wantsBytes && !isClogged }

    private var hasOutput: Bool { !opening.isEmpty || framer.map { !$0.output.isEmpty } == true }

    // MARK: - Reading

    /// How much is read before other work has its turn.
    private static let byteCountPerTurn = 1 << 20

    private func read() {
        guard wantsBytes else { return }
        withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 16) { buffer in
            var byteCount = 0
            while let connection, wantsBytes {
                guard byteCount < Self.byteCountPerTurn else { return takeTurn() }
                switch connection.receive(into: buffer) {
                case .bytes(let count):
                    byteCount += count
                    machine.broughtBytes(at: EventLoop.now)
                    received(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                case .wouldBlock:
                    return
                case .ended:
                    return lost(nil)
                case .failure(let error):
                    return lost(error)
                }
            }
        }
    }

    private func received(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        if var handshake {
            let progress = handshake.receive(&rest)
            self.handshake = progress == .incomplete ? handshake : nil
            run { $0.answered(progress, at: EventLoop.now) }
        }
        guard handshake == nil, let framer, !rest.isEmpty else { return }
        for event in framer.receive(UnsafeRawBufferPointer(rebasing: rest)) {
            run { $0.received(event, at: EventLoop.now) }
        }
    }

    // MARK: - Writing

    private func write() {
        guard writeOpening(), let framer else { return }
        repeat {
            fillOutput(of: framer)
            guard writeOutput(of: framer) else { return }
        } while framer.output.isEmpty && self.framer === framer && hasMore(framer)
        guard self.framer === framer, framer.output.isEmpty, !framer.hasQueue else { return }
        run { $0.drained() }
    }

    /// Returns whether another round may write something.
    private func hasMore(_ framer: WebSocketFramer) -> Bool {
        fillOutput(of: framer)
        return !framer.output.isEmpty
    }

    /// Turns the frames to send into bytes, one after the other, so that it is known when each has been sent.
    private func fillOutput(of framer: WebSocketFramer) {
        framer.fillOutput()
        recordMark(of: framer)
        while framer.output.hasRoom, !framer.hasQueue, let next = machine.nextFrame() {
            guard framer.queue(next.frame) else { continue }
            waiting = next.number
            framer.fillOutput()
            recordMark(of: framer)
        }
    }

    /// Records where the frame that has just become bytes ends.
    private func recordMark(of framer: WebSocketFramer) {
        guard let number = waiting, !framer.hasQueue else { return }
        waiting = nil
        marks.append(Mark(byteCount: framer.output.appendedByteCount, number: number))
    }

    /// Sends the output; returns `false` if the connection takes no more now, or is lost.
    private func writeOutput(of framer: WebSocketFramer) -> Bool {
        while !framer.output.isEmpty {
            guard let connection, self.framer === framer else { return false }
            switch connection.send(framer.output.bytes) {
            case .bytes(let count):
                framer.output.sent(count)
                machine.tookBytes(at: EventLoop.now)
            case .wouldBlock:
                reportSent(framer)
                return false
            case .ended:
                lost(nil)
                return false
            case .failure(let error):
                lost(error)
                return false
            }
        }
        reportSent(framer)
        return true
    }

    private func reportSent(_ framer: WebSocketFramer) {
        while let mark = marks.first, mark.byteCount <= framer.output.sentByteCount {
            _ = marks.popFirst()
            run { $0.sent(mark.number) }
        }
    }

    /// Sends the request; returns `false` if it has not been sent completely.
    private func writeOpening() -> Bool {
        while !opening.isEmpty {
            guard let connection else { return false }
            switch connection.send(opening.bytes) {
            case .bytes(let count):
                opening.sent(count)
            case .wouldBlock:
                return false
            case .ended:
                lost(nil)
                return false
            case .failure(let error):
                lost(error)
                return false
            }
        }
        return true
    }

    // MARK: - The end

    /// Sends an empty close frame, unless that would have to wait.
    func takeLeave() {
        guard opening.isEmpty, let framer, let connection else { return }
        guard !framer.hasQueue, framer.output.isEmpty,
            framer.queue(.close(code: nil, reason: []))
        else { return }
        framer.fillOutput()
        _ = connection.send(framer.output.bytes)
    }
}
