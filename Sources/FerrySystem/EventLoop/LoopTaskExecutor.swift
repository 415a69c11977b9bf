/// Runs what a task of the loop does outside every actor, such as waking up, on the loop's thread.
///
/// Apart from the actor's executor: the runtime must know for each job as what it is run.
final class LoopTaskExecutor: TaskExecutor {
    static let shared = LoopTaskExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        LoopThread.shared.enqueue { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
