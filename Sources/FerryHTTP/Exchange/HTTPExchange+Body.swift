import CCurl
import FerrySystem

/// What libcurl asks of the request's body.
extension HTTPExchange {
    /// Copies the next part of the request's body.
    ///
    /// - Returns: How many bytes, 0 at the end; or what tells libcurl to wait, or to give up.
    func readBody(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        machine.sentBytes(at: EventLoop.now)
        guard let body else { return 0 }
        guard !machine.isPaused else {
            isSendingHeld = true
            return Int(CURL_READFUNC_PAUSE)
        }
        switch body.read(into: buffer) {
        case .bytes(let count):
            sentBodyByteCount += Int64(count)
            metrics.requestEnd = sinceStart
            handler?.exchange(self, didSendBodyBytes: sentBodyByteCount)
            // Cancelled inside the handler's method.
            return handler == nil ? Int(CURL_READFUNC_ABORT) : count
        case .later:
            body.whenReadable { [weak self] in self?.goOnSending() }
            return Int(CURL_READFUNC_PAUSE)
        case .end:
            return 0
        case .failed(let message):
            cause = HTTPError(code: .bodyUnreadable, message: message)
            return Int(CURL_READFUNC_ABORT)
        }
    }

    /// Goes to a place in the request's body: libcurl sends it again when a kept connection turns
    /// out to be dead.
    func seekBody(to offset: Int64) -> Bool {
        guard let body, body.seek(to: offset) else {
            let message = "The request's body must be sent again, and is there only once"
            cause = HTTPError(code: .bodySpent, message: message)
            return false
        }
        sentBodyByteCount = offset
        return true
    }

    /// Goes on with what a pause has held back.
    func resumeSending() {
        guard isSendingHeld else { return }
        isSendingHeld = false
        LoopActor.perform { [weak self] in self?.goOnSending() }
    }

    /// There is something to send again.
    private func goOnSending() {
        // What libcurl holds of the response meanwhile it hands over, too, and is told to keep.
        client?.release(self)
    }
}
