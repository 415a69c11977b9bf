/// Some of the tasks that pass a filter.
package struct TaskPage: Hashable, Sendable {
    /// The tasks, by number.
    package var tasks: [TaskRecord]
    /// What the next page is after; nothing on the last page.
    package var next: Int64?

    package init(tasks: [TaskRecord], next: Int64? = nil) {
        self.tasks = tasks
        self.next = next
    }
}
