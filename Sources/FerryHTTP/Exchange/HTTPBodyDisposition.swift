/// What a handler wants done with the rest of a response.
package enum HTTPBodyDisposition: Hashable, Sendable {
    /// Hand over the body.
    case deliver
    /// Read the body, without handing it over, so that the connection can be used again.
    ///
    /// `didFinishWith` follows as usual.
    case discard
    /// End the exchange here; `didFinishWith` follows with ``HTTPError/Code/aborted``.
    case cancel
}
