extension Wire {
    /// Opens a session for its application, which learns of its events until the connection closes.
    ///
    /// One process at a time may have a session open. The session's number is good on every
    /// connection of
    /// that process until the connection that opened it closes or CloseSession is called.
    package struct OpenSession: TransferMethod {
        /// What ``OpenSession`` is answered with.
        package struct Reply: Codable, Hashable, Sendable {
            /// The open session's number.
            package var session: Int64
            /// A number that no task of the session has had yet.
            package var nextTaskIdentifier: Int
            /// What another connection of the process has to show to subscribe, where the daemon cannot see which process
            /// that is.
            package var token: String?

            /// Creates a reply.
            package init(session: Int64, nextTaskIdentifier: Int, token: String? = nil) {
                self.session = session
                self.nextTaskIdentifier = nextTaskIdentifier
                self.token = token
            }
        }

        /// The method's name in the interface.
        package static let name = "OpenSession"

        /// The application.
        package var application: Application
        /// What tells the session from the application's others.
        package var identifier: String
        /// What holds for the session's tasks.
        package var configuration: SessionConfiguration

        /// Creates a call.
        package init(
            application: Application,
            identifier: String,
            configuration: SessionConfiguration
        ) {
            self.application = application
            self.identifier = identifier
            self.configuration = configuration
        }
    }
}
