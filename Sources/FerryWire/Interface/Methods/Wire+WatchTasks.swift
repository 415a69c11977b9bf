extension Wire {
    /// Tells how tasks stand and, when called with more, how they change.
    ///
    /// The first replies hold all tasks, the later ones those that changed, at most ten times a
    /// second.
    package struct WatchTasks: TransferMethod {
        /// What ``WatchTasks`` is answered with.
        package struct Reply: Codable, Hashable, Sendable {
            /// Tasks as they now stand.
            package var tasks: [Task]
            /// The ids of tasks that are gone.
            package var removed: [Int64]

            /// Creates a reply.
            package init(tasks: [Task], removed: [Int64]) {
                self.tasks = tasks
                self.removed = removed
            }
        }

        /// The method's name in the interface.
        package static let name = "WatchTasks"

        /// Only the tasks with these ids.
        package var ids: [Int64]?

        /// Creates a call.
        package init(ids: [Int64]? = nil) {
            self.ids = ids
        }
    }
}
