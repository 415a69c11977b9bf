/// One thing that a ``FixtureServer`` does to a connection.
package enum FixtureStep: Sendable {
    /// Sends these bytes, which do not count as the body.
    case send([UInt8])
    /// Sends a part of a content, as the body.
    case sendBody(FixtureContent, Range<Int64>, bytesPerSecond: Int64?)
    /// Sends these bytes over and over, until the client goes away.
    case sendForever([UInt8])
    /// Waits until the gate is open.
    case wait(FixtureGate)
    /// Carries bytes to a port on loopback and back, until either side ends.
    case tunnel(to: UInt16)
    /// Ends the connection in good order.
    case close
    /// Resets the connection.
    case reset

    /// Sends this text.
    package static func text(_ text: String) -> FixtureStep { .send(Array(text.utf8)) }
}
