extension Wire {
    /// Lets a paused task run; one that backs off tries again at once.
    package struct ResumeTask: TransferMethod {
        /// What ``ResumeTask`` is answered with: nothing but that it was done.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "ResumeTask"

        /// The task's id.
        package var id: Int64

        /// Creates a call.
        package init(id: Int64) {
            self.id = id
        }
    }
}
