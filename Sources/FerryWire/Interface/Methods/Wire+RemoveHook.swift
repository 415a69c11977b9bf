extension Wire {
    /// Forgets how to start an application, until it opens a session again.
    package struct RemoveHook: TransferMethod {
        /// What ``RemoveHook`` is answered with: nothing but that it was done.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "RemoveHook"

        /// The application's identifier.
        package var application: String

        /// Creates a call.
        package init(application: String) {
            self.application = application
        }
    }
}
