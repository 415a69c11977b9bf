package import FerryHTTP
package import FerrySystem

/// Receives the response of a load: the head, the body, the end.
@LoopActor package protocol LoadReceiver: AnyObject {
    /// Completes a request after the decider, for example with the conditions of a cache; a receiver that needs no request
    /// cancels the load instead.
    ///
    /// - Parameters:
    ///   - load: The load.
    ///   - request: The request as the app made it, or as a redirect changed it.
    ///   - fields: The fields that the decider has added.
    ///   - send: Sends it with all fields that are added.
    func load(
        _ load: Load,
        prepare request: TransferRequest,
        adding fields: [HTTPField],
        then send: @escaping @LoopActor ([HTTPField]) -> Void
    )

    /// Called once, with the response head.
    ///
    /// - Parameters:
    ///   - load: The load.
    ///   - head: The head.
    ///   - request: The request that it answers, after redirects.
    /// - Returns: What to do with the body.
    func load(
        _ load: Load,
        didReceive head: HTTPResponseHead,
        to request: TransferRequest
    ) -> HTTPBodyDisposition

    /// Called for each part of the body; the bytes are valid only inside the call.
    func load(_ load: Load, didReceive bytes: UnsafeRawBufferPointer) -> HTTPBodyDisposition

    /// Called for parts in pipes, if the receiver has asked for them; it must empty the pipe.
    func load(_ load: Load, didReceive pipe: SplicePipe) -> HTTPBodyDisposition

    /// Called exactly once, as the last call, unless the load was cancelled: then never.
    func load(_ load: Load, didFinishWith error: TransferError?)
}

extension LoadReceiver {
    /// Adds nothing.
    package func load(
        _ load: Load,
        prepare request: TransferRequest,
        adding fields: [HTTPField],
        then send: @escaping @LoopActor ([HTTPField]) -> Void
    ) { send(fields) }

    /// Never called where no pipes were asked for.
    package func load(_ load: Load, didReceive pipe: SplicePipe) -> HTTPBodyDisposition { .cancel }
}

/// The source of the response for a receiver: its own load, or its share of one that several use.
@LoopActor
package protocol AnswerSource: AnyObject {
    /// Starts the source; further calls do nothing.
    func start()
    /// Ends the source for this receiver, which is no longer notified.
    func cancel()
    /// Whether other receivers get the response as well.
    var isShared: Bool { get }
    /// Returns whether a load belongs to this source.
    func owns(_ load: Load) -> Bool
}

/// A source that can be paused.
@LoopActor
package protocol PausableAnswerSource: AnswerSource {
    /// Delivers no more of the response's body.
    func pause()
    /// Resumes after ``pause()``.
    func resume()
}

extension Load: PausableAnswerSource {
    /// Never: it has one receiver.
    package var isShared: Bool { false }

    package func owns(_ load: Load) -> Bool { load === self }
}
