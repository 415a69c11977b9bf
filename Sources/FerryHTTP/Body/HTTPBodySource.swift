package import FerrySystem

/// Where the bytes of a request's body come from.
///
/// A source belongs to one exchange at a time, which reads it as the connection takes its bytes.
@LoopActor package protocol HTTPBodySource: AnyObject {
    /// How many bytes there are from the start; `nil` when that is not known, and the body is sent
    /// in chunks.
    var byteCount: Int64? { get }

    /// Copies the next bytes.
    ///
    /// - Parameter buffer: Where to; it has room for at least one byte.
    /// - Returns: How many bytes were copied, or why none were.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> HTTPBodyReading

    /// Goes to a place in the body, counted from its start, because bytes must be sent again.
    ///
    /// - Returns: Whether the next ``read(into:)`` is going to give the bytes from there on.
    func seek(to offset: Int64) -> Bool

    /// Calls `continuation` once, and not from inside of this call, when there is something to read
    /// after ``HTTPBodyReading/later``.
    func whenReadable(_ continuation: @escaping @LoopActor () -> Void)
}

extension HTTPBodySource {
    /// For sources that always have something to read, and never answer ``HTTPBodyReading/later``.
    package func whenReadable(_ continuation: @escaping @LoopActor () -> Void) {
        LoopActor.perform { continuation() }
    }
}

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
