import Testing

@testable import Ferry

@Suite("A task's lifecycle", .timeLimit(.minutes(5)))
struct LifecycleTests {
    @Test func `DL-15: a new task is suspended once, so that one resume starts it`() {
        var lifecycle = URLSessionTask.Lifecycle()
        #expect(lifecycle.state == .suspended)
        #expect(!lifecycle.wasResumed)
        #expect(lifecycle.resume() == .resume)
        #expect(lifecycle.state == .running)
        #expect(lifecycle.wasResumed)
    }

    @Test func `DL-15: suspends nest and the state shows the last call`() {
        var lifecycle = URLSessionTask.Lifecycle()
        #expect(lifecycle.resume() == .resume)
        #expect(lifecycle.suspend() == .suspend)
        #expect(lifecycle.suspend() == nil)
        #expect(lifecycle.state == .suspended)
        #expect(lifecycle.resume() == nil)
        #expect(lifecycle.state == .running)
        #expect(lifecycle.resume() == .resume)
    }

    @Test func `DL-15: extra resumes do not count`() {
        var lifecycle = URLSessionTask.Lifecycle()
        #expect(lifecycle.resume() == .resume)
        #expect(lifecycle.resume() == nil)
        #expect(lifecycle.resume() == nil)
        #expect(lifecycle.suspend() == .suspend)
    }

    @Test func `DL-19: a task that was suspended before its first resume has not run`() {
        var lifecycle = URLSessionTask.Lifecycle()
        #expect(lifecycle.suspend() == nil)
        #expect(lifecycle.resume() == nil)
        #expect(!lifecycle.wasResumed)
        #expect(lifecycle.resume() == .resume)
        #expect(lifecycle.wasResumed)
    }

    @Test(arguments: [false, true])
    func `DL-17: a cancelled task obeys no more`(producingResumeData: Bool) {
        var lifecycle = URLSessionTask.Lifecycle()
        let command = lifecycle.cancel(producingResumeData: producingResumeData)
        #expect(command == (producingResumeData ? .cancelProducingResumeData : .cancel))
        #expect(lifecycle.state == .canceling)
        #expect(lifecycle.resume() == nil)
        #expect(lifecycle.suspend() == nil)
        #expect(lifecycle.cancel() == nil)
        lifecycle.complete()
        #expect(lifecycle.state == .completed)
        #expect(lifecycle.resume() == nil)
        #expect(lifecycle.cancel() == nil)
    }

    @Test func `BG-27: a task of an earlier launch counts as resumed`() {
        var running = URLSessionTask.Lifecycle(isSuspended: false)
        #expect(running.state == .running)
        #expect(running.wasResumed)
        #expect(running.suspend() == .suspend)

        var suspended = URLSessionTask.Lifecycle(isSuspended: true)
        #expect(suspended.state == .suspended)
        #expect(suspended.wasResumed)
        #expect(suspended.resume() == .resume)
    }
}
