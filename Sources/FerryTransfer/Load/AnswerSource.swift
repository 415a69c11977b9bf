package import FerrySystem

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
    func brings(_ load: Load) -> Bool
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

    package func brings(_ load: Load) -> Bool { load === self }
}
