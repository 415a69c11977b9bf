extension Wire {
    /// Changes how important a task is, for a person.
    package struct SetTaskPriority: TransferMethod {
        /// What ``SetTaskPriority`` is answered with: nothing but that it was done.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "SetTaskPriority"

        /// The task's id.
        package var id: Int64
        /// The new importance, from 0 to 1.
        package var priority: Double

        /// Creates a call.
        package init(
            id: Int64,
            priority: Double
        ) {
            self.id = id
            self.priority = priority
        }
    }
}
