extension Wire {
    /// Stops the daemon; its tasks go on when it is started again.
    package struct Stop: TransferMethod {
        /// What ``Stop`` is answered with: nothing but that it was done.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "Stop"

        /// Creates a call.
        package init() {}
    }
}
