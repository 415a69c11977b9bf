extension Wire {
    /// Cancels an application's tasks because its user quit it, and starts it no more until its
    /// user does.
    package struct QuitApplication: TransferMethod {
        /// What ``QuitApplication`` is answered with.
        package struct Reply: Codable, Hashable, Sendable {
            /// How many tasks were cancelled.
            package var cancelled: Int

            /// Creates a reply.
            package init(cancelled: Int) {
                self.cancelled = cancelled
            }
        }

        /// The method's name in the interface.
        package static let name = "QuitApplication"

        /// The application's identifier.
        package var application: String

        /// Creates a call.
        package init(application: String) {
            self.application = application
        }
    }
}
