import FerrySystem

// A long body over plain HTTP/1.1 does not have to pass through this process's memory. When its
// first bytes have come by libcurl, which had to read the head, libcurl is left out, and the kernel
// moves the rest from the socket into a pipe, and from there wherever the handler wants it. The
// connection ends with that body, as libcurl has let go of it. Only to pause libcurl is not enough:
// version 7.88 may read once more afterwards, and keep what it has read.

extension HTTPExchange {
    /// Takes the rest of the body from libcurl when it has returned, if it may come in pipes.
    func spliceIfWorthwhile() {
        guard machine.acceptsPipes, !isAboutToSplice, let client, let easy,
            let head = machine.head, head.isSpliceable,
            client.canSplice(easy, after: machine.receivedByteCount)
        else { return }
        isAboutToSplice = true
        // Else it would go on reading as long as there is something to read.
        client.multi.hold(easy) { [weak self] in self?.beginSplicing() }
    }

    /// libcurl has returned, and has handed over everything that it has read.
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
            // No descriptor is left: the body goes on as it came.
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
        // All that can be refused here is room for one more descriptor to be waited for.
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
    /// Whether the body's bytes are on the connection as they are, one after the other.
    fileprivate var isSpliceable: Bool {
        version.hasPrefix("HTTP/1.")
            && fields.first(named: "Transfer-Encoding") == nil
            && !hasContentCoding
    }
}
