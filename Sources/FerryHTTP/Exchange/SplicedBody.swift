import FerrySystem

/// The rest of a body on its way from a connection's socket, which libcurl no longer reads, into a pipe.
@LoopActor final class SplicedBody {
    /// The result of reading the socket.
    enum Arrival {
        /// The pipe holds bytes.
        case bytes
        /// The pipe holds the last bytes of the body.
        case lastBytes
        /// No more bytes will arrive.
        case failure(HTTPError)
    }

    private let socket: FileDescriptor
    private let emptyPipe: () -> SplicePipe?
    private let handler: @LoopActor (SplicePipe?, Arrival) -> Void
    private var missingByteCount: Int64
    private var watch: Watch?

    /// Takes over a socket, but reads nothing before ``resume()``.
    ///
    /// - Parameters:
    ///   - socket: The connection, of which libcurl has another descriptor.
    ///   - byteCount: The number of missing bytes, at least 1.
    ///   - emptyPipe: Returns the pipe for the bytes, and is called each time: a handler may have left bytes
    ///     in the previous pipe. `nil` if there is no pipe.
    ///   - handler: Called for each arrival.
    init(
        of socket: consuming FileDescriptor,
        byteCount: Int64,
        through emptyPipe: @escaping () -> SplicePipe?,
        handler: @escaping @LoopActor (SplicePipe?, Arrival) -> Void
    ) {
        self.socket = socket
        self.emptyPipe = emptyPipe
        self.handler = handler
        missingByteCount = byteCount
    }

    isolated deinit {
        pause()
    }

    /// Waits for bytes.
    func resume() throws(SystemCallError) {
        guard watch == nil else { return }
        watch = try EventLoop.shared.watch(socket.rawValue, for: .readable) { [weak self] _ in
            self?.read()
        }
    }

    /// Leaves the bytes in the socket, so that the sender has to stop when it is full.
    func pause() {
        watch?.cancel()
        watch = nil
    }

    private func read() {
        guard let pipe = emptyPipe() else {
            return fail(.outOfMemory, "There is no descriptor left for a pipe")
        }
        do throws(SystemCallError) {
            guard let count = try pipe.fill(from: socket.rawValue, upTo: missingByteCount) else {
                return
            }
            guard count > 0 else {
                return fail(
                    .bodyTooShort,
                    "The connection ended \(missingByteCount) bytes before the body"
                )
            }
            missingByteCount -= Int64(count)
            handler(pipe, missingByteCount > 0 ? .bytes : .lastBytes)
        } catch {
            fail(.connectionLost, "\(error)")
        }
    }

    private func fail(_ code: HTTPError.Code, _ message: String) {
        handler(nil, .failure(HTTPError(code: code, message: message)))
    }
}

// A long body over plain HTTP/1.1 does not have to pass through this process's memory. libcurl reads the head
// and delivers the first bytes. It is then left out: the kernel moves the rest from the socket into a pipe,
// and from there to wherever the handler wants it. The connection ends with that body, as libcurl has
// released it. Pausing libcurl is not enough: version 7.88 may read once more afterwards, and keep what it
// has read.

extension HTTPExchange {
    /// Takes the rest of the body from libcurl once it has returned, if it may be delivered in pipes.
    func spliceIfWorthwhile() {
        guard machine.acceptsPipes, decoder == nil, !isAboutToSplice, let client, let easy,
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
            client.exchangesOutsideLibrary[ObjectIdentifier(self)] = self
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
        guard let pipe,
            machine.receivedPipe(byteCount: pipe.count, at: EventLoop.now), let handler
        else { return }
        recordSplicedBytes(count: pipe.count)
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
        run { $0.endedOutsideLibrary(error) }
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
        version.hasPrefix("HTTP/1.") && fields.first(named: "Transfer-Encoding") == nil
    }
}
