extension Wire {
    /// Tells a session's events: first those not acknowledged yet, then drained, then each as it
    /// happens.
    ///
    /// Must be called with more. The connection is busy with it until it closes, so give it one of
    /// its own.
    package struct Subscribe: TransferMethod {
        /// What ``Subscribe`` is answered with.
        package struct Reply: Codable, Hashable, Sendable {
            /// What happened.
            package var event: Event

            /// Creates a reply.
            package init(event: Event) {
                self.event = event
            }
        }

        /// The method's name in the interface.
        package static let name = "Subscribe"
        /// Events are a stream or nothing.
        package static let requiresMore = true

        /// The open session's number.
        package var session: Int64
        /// What the session was opened with, if there was such a thing.
        package var token: String?

        /// Creates a call.
        package init(session: Int64, token: String? = nil) {
            self.session = session
            self.token = token
        }
    }
}
