/// What a handler wants done with the rest of a response.
package enum HTTPBodyDisposition: Hashable, Sendable {
    /// Hand over the body.
    case deliver
    /// Hand over the body, the rest of it in pipes where that is cheaper.
    ///
    /// From then on an answer of ``deliver`` means the same.
    case deliverInPipes
    /// Read the body, without handing it over, so that the connection can be used again.
    ///
    /// `didFinishWith` follows as usual.
    case discard
    /// End the exchange here; `didFinishWith` follows with ``HTTPError/Code/aborted``.
    case cancel
}
