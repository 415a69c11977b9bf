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

extension Load: AnswerSource {
    /// Never: it has one receiver.
    package var isShared: Bool { false }

    package func brings(_ load: Load) -> Bool { load === self }
}
