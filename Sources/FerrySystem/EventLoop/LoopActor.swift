/// The isolation domain of the process's event loop thread, as `MainActor` is that of the main thread.
///
/// Everything that owns a descriptor, a timer or a transfer is isolated to it. Code on the loop never blocks;
/// blocking work runs on a ``BlockingQueue``.
@globalActor
package actor LoopActor {
    /// The only instance.
    package static let shared = LoopActor()

    private init() {}

    /// The event loop's thread.
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        LoopThread.shared.asUnownedSerialExecutor()
    }

    /// Runs `work` on the loop, in the order of the calls, from any thread and without waiting.
    ///
    /// Unlike tasks, this keeps the order of two calls.
    package static func perform(_ work: @escaping @LoopActor @Sendable () -> Void) {
        LoopThread.shared.enqueue(work)
    }

    /// Traps, in debug builds, if the loop itself is about to make a call that may never return.
    package static func assertMayBlock() {
        assert(!LoopThread.shared.isCurrent, "the event loop's thread must not block")
    }

    /// Runs an asynchronous function on the loop.
    ///
    /// A plain task would resume on the global executor after each suspension, and only then return to the
    /// loop. That starts Dispatch's threads, one of which wakes every second forever.
    package static func task(_ body: @escaping @LoopActor @Sendable () async -> Void) {
        Task(executorPreference: LoopTaskExecutor.shared, operation: body)
    }

    /// Runs `body` at once, for C callbacks that the loop itself has called.
    ///
    /// - Precondition: The caller is on the event loop's thread.
    package static func assumeIsolated<T>(_ body: @LoopActor () throws -> T) rethrows -> T {
        precondition(LoopThread.shared.isCurrent, "not on the event loop's thread")
        return try withoutActuallyEscaping(body) { escapable in
            // The check above is what the cast asserts: the isolation is dynamic here.
            try unsafeBitCast(escapable, to: (() throws -> T).self)()
        }
    }

    /// Runs `body` at once, as ``assumeIsolated(_:)`` does, without allocating memory.
    ///
    /// - Parameters:
    ///   - argument: What `body` needs.
    ///   - body: Something that captures nothing.
    /// - Returns: What `body` returns.
    /// - Precondition: The caller is on the event loop's thread.
    package static func assumeIsolated<Argument, Result>(
        with argument: Argument,
        _ body: @escaping @LoopActor (Argument) -> Result
    ) -> Result {
        precondition(LoopThread.shared.isCurrent, "not on the event loop's thread")
        return unsafeBitCast(body, to: ((Argument) -> Result).self)(argument)
    }
}

/// Runs the parts of a loop's task that are outside every actor, such as waking up, on the loop's thread.
///
/// It is separate from the actor's executor: the runtime must know on which of them each job runs.
final class LoopTaskExecutor: TaskExecutor {
    static let shared = LoopTaskExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        LoopThread.shared.enqueue { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
