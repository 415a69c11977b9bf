extension Wire {
    /// Holds a task back, whatever its application wants, until ResumeTask.
    package struct PauseTask: TransferMethod {
        /// What ``PauseTask`` is answered with: nothing but that it was done.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "PauseTask"

        /// The task's id.
        package var id: Int64

        /// Creates a call.
        package init(id: Int64) {
            self.id = id
        }
    }
}
