package import FerrySystem

/// The receiver of one exchange's events, in this order: head, bytes…, finish.
///
/// A method may do anything to any exchange of the client, also cancel, pause or resume the one
/// that it is called for, start others, and invalidate the client.
@LoopActor package protocol HTTPExchangeHandler: AnyObject {
    /// Called once, when a final response's header is complete; interim responses (1xx) are not
    /// reported.
    func exchange(
        _ exchange: HTTPExchange,
        didReceive head: HTTPResponseHead
    ) -> HTTPBodyDisposition

    /// Called for each part of the body; the bytes are valid only inside the call.
    func exchange(
        _ exchange: HTTPExchange,
        didReceive bytes: UnsafeRawBufferPointer
    ) -> HTTPBodyDisposition

    /// Called for each part of the body that comes in a pipe, once the handler has answered
    /// ``HTTPBodyDisposition/deliverInPipes``; never otherwise.
    ///
    /// The handler empties the pipe before it returns; the exchange fails with
    /// ``HTTPError/Code/writeFailed`` if it does not, and was not cancelled.
    func exchange(
        _ exchange: HTTPExchange,
        didReceive pipe: SplicePipe
    ) -> HTTPBodyDisposition

    /// Called exactly once, as the last call, unless the exchange was cancelled: then never.
    func exchange(_ exchange: HTTPExchange, didFinishWith error: HTTPError?)
}
