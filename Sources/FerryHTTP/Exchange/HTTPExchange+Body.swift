import CCurl
import FerrySystem

/// The request's body, as libcurl reads it.
extension HTTPExchange {
    /// Copies the next part of the request's body.
    ///
    /// - Returns: The number of bytes, 0 at the end; or the code that tells libcurl to wait or to give up.
    func readBody(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let now = EventLoop.now
        machine.sentBytes(at: now)
        pieceSize.asked(at: now)
        guard let body else { return 0 }
        guard !machine.isPaused else {
            isSendingHeld = true
            return Int(CURL_READFUNC_PAUSE)
        }
        let room = buffer.prefix(pieceSize.byteCount)
        switch body.read(into: UnsafeMutableRawBufferPointer(rebasing: room)) {
        case .bytes(let count):
            // A source that has less says nothing about the connection.
            if count == room.count { pieceSize.gave(at: now) }
            sentBodyByteCount += Int64(count)
            metrics.requestEnd = sinceStart
            handler?.exchange(self, didSendBodyBytes: sentBodyByteCount)
            // The handler's method has cancelled the exchange.
            return handler == nil ? Int(CURL_READFUNC_ABORT) : count
        case .later:
            body.whenReadable { [weak self] in self?.goOnSending() }
            return Int(CURL_READFUNC_PAUSE)
        case .end:
            guard let total = body.byteCount, sentBodyByteCount < total else { return 0 }
            // libcurl would wait for the rest.
            let message = "The request's body ended after \(sentBodyByteCount) of \(total) bytes"
            cause = HTTPError(code: .bodyUnreadable, message: message)
            return Int(CURL_READFUNC_ABORT)
        case .failed(let message):
            cause = HTTPError(code: .bodyUnreadable, message: message)
            return Int(CURL_READFUNC_ABORT)
        }
    }

    /// Calls `handler` if a body of no bytes has none: its request is complete with the head.
    func findEndOfBody(then handler: @escaping @LoopActor () -> Void) {
        guard let body else { return handler() }
        let reading = withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) {
            body.read(into: $0)
        }
        switch reading {
        case .end:
            handler()
        case .later:
            body.whenReadable { [weak self] in self?.findEndOfBody(then: handler) }
        case .bytes:
            fail("The request's body has more than the 0 bytes that were announced")
        case .failed(let message):
            fail(message)
        }
    }

    private func fail(_ message: String) {
        cause = HTTPError(code: .bodyUnreadable, message: message)
        LoopActor.perform { self.completed(self.cause) }
    }

    /// Moves to an offset in the request's body: libcurl sends it again if a kept connection turns out to be
    /// dead.
    func seekBody(to offset: Int64) -> Bool {
        guard let body, body.seek(to: offset) else {
            let message = "The request's body must be sent again, but can be read only once"
            cause = HTTPError(code: .bodySpent, message: message)
            return false
        }
        sentBodyByteCount = offset
        pieceSize = BodyPieceSize()
        return true
    }

    /// Resumes what a pause has held back.
    func resumeSending() {
        guard isSendingHeld else { return }
        isSendingHeld = false
        LoopActor.perform { [weak self] in self?.goOnSending() }
    }

    /// Lets libcurl send again.
    private func goOnSending() {
        // libcurl also delivers what it holds of the response, and is told to keep it.
        client?.release(self)
    }
}
