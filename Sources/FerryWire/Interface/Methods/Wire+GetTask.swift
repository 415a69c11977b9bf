extension Wire {
    /// Tells how a task stands.
    package struct GetTask: TransferMethod {
        /// What ``GetTask`` is answered with.
        package struct Reply: Codable, Hashable, Sendable {
            /// The task.
            package var task: Task

            /// Creates a reply.
            package init(task: Task) {
                self.task = task
            }
        }

        /// The method's name in the interface.
        package static let name = "GetTask"

        /// The task's id.
        package var id: Int64

        /// Creates a call.
        package init(id: Int64) {
            self.id = id
        }
    }
}
