/// The numbers of tasks and events of a session, or of the whole store.
package struct SessionCounts: Hashable, Sendable {
    /// Tasks that are not to run.
    package var suspendedTasks: Int
    /// Tasks that are to run, or are running.
    package var waitingTasks: Int
    /// Tasks that have ended, but whose events are not all acknowledged.
    package var completedTasks: Int
    /// Events that are not acknowledged.
    package var events: Int

    /// Tasks that have not ended.
    package var unfinishedTasks: Int { suspendedTasks + waitingTasks }

    /// Creates counts, all zero unless given.
    package init(
        suspendedTasks: Int = 0,
        waitingTasks: Int = 0,
        completedTasks: Int = 0,
        events: Int = 0
    ) {
        self.suspendedTasks = suspendedTasks
        self.waitingTasks = waitingTasks
        self.completedTasks = completedTasks
        self.events = events
    }
}
