/// What comes of reading a request's body.
package enum HTTPBodyReading: Hashable, Sendable {
    /// So many bytes were copied, at least one.
    case bytes(count: Int)
    /// There are none at the moment.
    case later
    /// The body is complete.
    case end
    /// The bytes cannot be had; the message says why, for a person.
    case failed(message: String)
}
