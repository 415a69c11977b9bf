extension Wire {
    /// Ends a task; its application learns of it.
    package struct CancelTask: TransferMethod {
        /// What ``CancelTask`` is answered with: nothing but that it was done.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "CancelTask"

        /// The task's id.
        package var id: Int64

        /// Creates a call.
        package init(id: Int64) {
            self.id = id
        }
    }
}
