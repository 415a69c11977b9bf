import FerrySystem

// A long body over plain HTTP/1.1 does not have to pass through this process's memory. libcurl reads the head
// and delivers the first bytes. It is then left out: the kernel moves the rest from the socket into a pipe,
// and from there to wherever the handler wants it. The connection ends with that body, as libcurl has
// released it. Pausing libcurl is not enough: version 7.88 may read once more afterwards, and keep what it
// has read.

extension HTTPExchange {
    /// Takes the rest of the body from libcurl once it has returned, if it may be delivered in pipes.
    func spliceIfWorthwhile() {
        guard machine.acceptsPipes, !isAboutToSplice, let client, let easy,
            let head = machine.head, head.isSpliceable,
            client.canSplice(easy, after: machine.receivedByteCount)
        else { return }
        isAboutToSplice = true
        // Otherwise libcurl would continue reading as long as bytes are available.
        client.multi.hold(easy) { [weak self] in self?.beginSplicing() }
    }

    /// Begins splicing, after libcurl has returned and has delivered everything that it has read.
    private func beginSplicing() {
        isAboutToSplice = false
        guard let client, let easy else { return }
        do throws(SystemCallError) {
            let received = machine.receivedByteCount
            guard let rest = try client.spliceRest(of: easy, after: received),
                machine.beganSplicing()
            else { return client.release(self) }
            client.withdraw(self)
            client.splicingExchanges[ObjectIdentifier(self)] = self
            let body = SplicedBody(
                of: rest.socket,
                byteCount: rest.byteCount,
                through: { [weak client] in client?.emptyPipe() },
                handler: { [weak self] in self?.received($0, $1) }
            )
            splicedBody = body
            if !machine.isPaused { try body.resume() }
        } catch {
            if splicedBody != nil { return splicingFailed(error) }
            // No descriptor is left: libcurl continues to deliver the body.
            client.release(self)
        }
    }

    private func received(_ pipe: SplicePipe?, _ arrival: SplicedBody.Arrival) {
        if case .failure(let error) = arrival { return endSplicing(error) }
        guard let pipe, machine.receivedPipe(at: EventLoop.now), let handler else { return }
        noteSplicedBytes(count: pipe.count)
        let disposition = handler.exchange(self, didReceive: pipe)
        guard machine.answered(disposition), disposition != .discard else {
            return endSplicing(nil)
        }
        if pipe.count > 0 {
            let message = "The receiver of the body left a part of it"
            return endSplicing(HTTPError(code: .writeFailed, message: message))
        }
        if case .lastBytes = arrival { endSplicing(nil) }
    }

    private func endSplicing(_ error: HTTPError?) {
        run(machine.splicingEnded(error))
    }

    private func splicingFailed(_ error: SystemCallError) {
        // The only failure that is possible here is that the kernel cannot watch one more descriptor.
        endSplicing(HTTPError(code: .outOfMemory, message: "\(error)"))
    }

    // MARK: - Pauses

    func pauseSplicing() {
        splicedBody?.pause()
    }

    func resumeSplicing() {
        do {
            try splicedBody?.resume()
        } catch {
            LoopActor.perform { [self] in splicingFailed(error) }
        }
    }
}

extension HTTPResponseHead {
    /// Whether the connection carries the body's bytes unchanged, one after the other.
    fileprivate var isSpliceable: Bool {
        version.hasPrefix("HTTP/1.")
            && fields.first(named: "Transfer-Encoding") == nil
            && !hasContentCoding
    }
}
