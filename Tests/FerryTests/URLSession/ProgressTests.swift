import Ferry
import FerryTestSupport
import Foundation
import Testing

@Suite("Progress of tasks", .timeLimit(.minutes(1)))
struct ProgressTests {
    private let server: FixtureServer
    private let recorder = SessionRecorder()
    private let session: URLSession
    private let gate = FixtureGate()

    init() throws {
        _ = Home.path
        server = try FixtureServer()
        session = URLSession(configuration: .default, delegate: recorder, delegateQueue: nil)
        let file = FixtureFile(.seeded(3, byteCount: 2 << 20))
        server.on("/song", .file(file).stalling(after: 1 << 20, at: gate), .file(file))
    }

    @Test func `DL-27: progress counts the bytes of the body`() async throws {
        let task = session.downloadTask(with: try server.address("/song"))
        #expect(task.progress === task.progress)
        #expect(task.progress.isIndeterminate)
        task.resume()
        await recorder.waitForBytes(1 << 20)
        #expect(task.progress.totalUnitCount == 2 << 20)
        #expect(task.progress.completedUnitCount == 1 << 20)
        #expect(task.progress.fractionCompleted == 0.5)
        gate.open()
        await recorder.waitForCompletions()
        #expect(task.progress.isFinished)
    }

    @Test func `the progress of a data task ends with the task, also when nothing came`()
        async throws
    {
        server.on("/empty", .content(.empty))
        let empty = session.dataTask(with: try server.address("/empty"))
        let progress = empty.progress
        empty.resume()
        await recorder.waitForCompletions()
        #expect(progress.isFinished)
        #expect(progress.fractionCompleted == 1)
    }

    @Test func `progress that is first looked at after the end is finished`() async throws {
        server.on(
            "/words",
            .content(.text("la la")).changing { $0.framing = .chunked(byteCount: 2) }
        )
        let task = session.dataTask(with: try server.address("/words"))
        task.resume()
        await recorder.waitForCompletions()
        #expect(task.progress.isFinished)
        #expect(task.progress.fractionCompleted == 1)
    }

    @Test func `P13: tasks are parts of a tree`() async throws {
        server.on("/empty", .content(.empty))
        let parent = Progress.discreteProgress(totalUnitCount: 10)
        let song = session.downloadTask(with: try server.address("/song"))
        let empty = session.downloadTask(with: try server.address("/empty"))
        parent.addChild(song.progress, withPendingUnitCount: 8)
        parent.addChild(empty.progress, withPendingUnitCount: 2)
        gate.open()
        song.resume()
        empty.resume()
        await recorder.waitForCompletions(2)
        #expect(parent.fractionCompleted == 1)
        #expect(parent.isFinished)
    }

    @Test func `DL-27: cancelling the progress cancels the task`() async throws {
        let parent = Progress.discreteProgress(totalUnitCount: 1)
        let task = session.downloadTask(with: try server.address("/song"))
        parent.addChild(task.progress, withPendingUnitCount: 1)
        task.resume()
        await recorder.waitForBytes(1 << 20)
        parent.cancel()
        await recorder.waitForCompletions()
        #expect(recorder.calls.last == .completed(1, .cancelled))
    }

    @Test func `DL-27: pausing and resuming the progress does so to the task`() async throws {
        let task = session.downloadTask(with: try server.address("/song"))
        let progress = task.progress
        task.resume()
        await recorder.waitForBytes(1 << 20)
        progress.pause()
        try await server.waitUntil { $0.requests(to: "/song").first?.state == .abandoned }
        #expect(task.state == .suspended)
        progress.resume()
        await recorder.waitForCompletions()
        #expect(recorder.calls.last == .completed(1, nil))
        #expect(server.requests(to: "/song").last?.range == "bytes=1048576-")
    }

    @Test func `progress of an unknown length is indeterminate until the end`() async throws {
        server.on(
            "/live",
            .content(.seeded(1, byteCount: 1000)).chunked().stalling(after: 500, at: gate)
        )
        let task = session.downloadTask(with: try server.address("/live"))
        let progress = task.progress
        task.resume()
        await recorder.waitForBytes(1)
        #expect(progress.isIndeterminate)
        gate.open()
        await recorder.waitForCompletions()
        #expect(progress.isFinished)
        #expect(progress.totalUnitCount == 1000)
    }

    @Test func `hints about sizes are kept`() throws {
        let task = session.downloadTask(with: try server.address("/song"))
        defer { task.cancel() }
        #expect(task.countOfBytesClientExpectsToReceive == NSURLSessionTransferSizeUnknown)
        task.countOfBytesClientExpectsToReceive = 5
        task.countOfBytesClientExpectsToSend = 6
        task.taskDescription = "cover"
        #expect(task.countOfBytesClientExpectsToReceive == 5)
        #expect(task.countOfBytesClientExpectsToSend == 6)
        #expect(task.taskDescription == "cover")
        #expect(task.countOfBytesExpectedToSend == 0)
    }
}
