extension Wire {
    /// Tells how the daemon stands.
    package struct GetStatus: TransferMethod {
        /// What ``GetStatus`` is answered with.
        package struct Reply: Codable, Hashable, Sendable {
            /// The daemon.
            package var status: Status

            /// Creates a reply.
            package init(status: Status) {
                self.status = status
            }
        }

        /// The method's name in the interface.
        package static let name = "GetStatus"

        /// Creates a call.
        package init() {}
    }
}
