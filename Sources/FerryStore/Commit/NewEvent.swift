/// An event to be added to a session's log.
package struct NewEvent: Hashable, Sendable {
    /// What happened, in the daemon's own numbering.
    package var kind: Int
    /// The details, in the daemon's own encoding.
    package var payload: [UInt8]

    /// Creates an event.
    package init(kind: Int, payload: [UInt8]) {
        self.kind = kind
        self.payload = payload
    }
}
