extension Wire {
    /// Lists tasks in the order of their ids, a page at a time.
    ///
    /// A page may hold fewer tasks than asked for although there are more.
    package struct ListTasks: TransferMethod {
        /// What ``ListTasks`` is answered with.
        package struct Reply: Codable, Hashable, Sendable {
            /// The page's tasks.
            package var tasks: [Task]
            /// What the next page is after; nothing on the last page.
            package var next: Int64?

            /// Creates a reply.
            package init(tasks: [Task], next: Int64? = nil) {
                self.tasks = tasks
                self.next = next
            }
        }

        /// The method's name in the interface.
        package static let name = "ListTasks"

        /// Only tasks of this application.
        package var application: String?
        /// Only tasks of sessions with this identifier.
        package var session: String?
        /// Only tasks in one of these states.
        package var states: [TaskState]?
        /// Only tasks with greater ids.
        package var after: Int64?
        /// How many tasks at most.
        package var limit: Int?

        /// Creates a call.
        package init(
            application: String? = nil,
            session: String? = nil,
            states: [TaskState]? = nil,
            after: Int64? = nil,
            limit: Int? = nil
        ) {
            self.application = application
            self.session = session
            self.states = states
            self.after = after
            self.limit = limit
        }
    }
}
