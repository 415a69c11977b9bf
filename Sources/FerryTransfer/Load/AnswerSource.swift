package import FerrySystem

/// What brings a receiver the answer to a request: a load of its own, or its part in one that several share.
@LoopActor
package protocol AnswerSource: AnyObject {
    /// Begins; further calls do nothing.
    func start()
    /// Ends it for this receiver, which hears of it no more.
    func cancel()
    /// Whether others get the answer as well.
    var isShared: Bool { get }
    /// Whether what comes from a load is this source's.
    func brings(_ load: Load) -> Bool
}

/// A source whose answer can be made to wait.
@LoopActor
package protocol PausableAnswerSource: AnswerSource {
    /// Hands over no more of the answer's body.
    func pause()
    /// Goes on after ``pause()``.
    func resume()
}

extension Load: PausableAnswerSource {
    /// Never: it has one receiver.
    package var isShared: Bool { false }

    package func brings(_ load: Load) -> Bool { load === self }
}
