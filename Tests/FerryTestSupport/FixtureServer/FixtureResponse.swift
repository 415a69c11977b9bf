/// One response, with everything that is to go wrong with it.
package struct FixtureResponse: Sendable {
    /// How the end of the body is told.
    package enum Framing: Sendable, Hashable {
        /// By the body's true `Content-Length`.
        case contentLength
        /// By this `Content-Length`, whatever is sent.
        case claimed(contentLength: Int64)
        /// By `Transfer-Encoding: chunked`, in chunks of this size.
        case chunked(byteCount: Int)
        /// By the end of the connection.
        case untilClose
    }

    /// What happens at a place in the body.
    package enum Incident: Sendable {
        /// The connection ends in good order (FIN), what was sent arrives.
        case drop
        /// The connection is reset (RST); what the client has not taken yet may be lost.
        case reset
        /// Nothing more is sent until the gate is open.
        case stall(FixtureGate)
    }

    /// The status.
    package var status: Int
    /// The fields beside those that the framing needs.
    package var fields: [(name: String, value: String)] = []
    /// Where the body comes from.
    package var content: FixtureContent
    /// The part of the content to send, all of it by default.
    package var part: Range<Int64>
    /// How the end of the body is told.
    package var framing = Framing.contentLength
    /// What happens after how many bytes of this body; several may be given.
    package var incidents: [(afterByteCount: Int64, incident: Incident)] = []
    /// How fast the body is sent at most.
    package var bytesPerSecond: Int64?
    /// Interim responses (1xx) to send first.
    package var interim: [(status: Int, fields: [(name: String, value: String)])] = []
    /// Fields after the last chunk of a chunked body.
    package var trailers: [(name: String, value: String)] = []
    /// Before what gate nothing at all is sent.
    package var gate: FixtureGate?
    /// Exactly what to send in place of all of the above.
    package var script: [FixtureStep]?

    /// Makes a response without any faults.
    package init(status: Int, content: FixtureContent = .empty) {
        self.status = status
        self.content = content
        part = 0..<content.byteCount
    }
}
