import FerryStore
import FerrySystem
import FerryTestSupport
import FerryTransfer
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

/// What a daemon that was killed while a task ended with resume data has left.
@Suite(.timeLimit(.minutes(1)))
@LoopActor
struct EndAfterKillTests {
    let bench: DaemonBench
    let server: FixtureServer
    nonisolated static let content = FixtureContent.seeded(1, byteCount: 100)
    nonisolated static let name = "CFNetworkDownload_000001.tmp"

    init() async throws {
        bench = try await DaemonBench()
        server = try FixtureServer()
        server.on("/file", .file(FixtureFile(Self.content)))
    }

    /// A suspended task with the first 40 bytes.
    private func leaveTask(_ state: TaskRecord.State = .suspended) async throws {
        let url = server.url("/file")
        let bytes = Array(Self.content.bytes.prefix(40))
        let file = try bench.leave(bytes, of: url, as: Self.name, in: bench.downloads)
        try await bench.storeTask(url, state: state, ByteState(checkpoint: file.checkpoint))
    }

    /// Ends the task, until the store has its end.
    private func endTask(_ daemon: Daemon) async throws {
        let task = try #require(try await bench.store.task(id: 1))
        let ending = DaemonStateMachine.Ending.cancelled(for: .nobody, producesResumeData: true)
        daemon.input { machine in machine.end(task, ending) }
        try await bench.work { try await !bench.events().isEmpty }
    }

    private func resumeData() async throws -> ResumeData {
        let data = try #require(try await bench.events().last?.resumeData)
        return try ResumeData(decoding: Array(data))
    }

    /// What is left of the task's download.
    private func byteCount(_ data: ResumeData) async throws -> Int64? {
        let file = try await PartialFile.adopt(
            data,
            into: bench.downloads,
            as: "mine",
            on: bench.files.queue
        )
        return try file.recover(checkpoint: data.checkpoint)?.writtenByteCount
    }

    @Test func `a file is where its resume data says before anybody is told`() async throws {
        try await leaveTask()
        let daemon = try await bench.start()
        var told: (data: Data?, kept: Int?, left: Int?)
        let left = { try? bench.downloads.names().count }
        let answer = { @LoopActor (result: UnansweredCall.Answer) in
            guard case .success(.resumeData(let data)) = result else { return }
            told = (data, try? bench.resumable.names().count, left())
        }
        daemon.calls[7] = UnansweredCall(answer: answer, deed: nil, file: nil)
        let task = try #require(try await bench.store.task(id: 1))
        let ending = DaemonStateMachine.Ending.cancelled(
            for: .resumeDataCall(7),
            producesResumeData: true
        )
        daemon.input { machine in machine.end(task, ending) }
        #expect(try bench.downloads.status(of: Self.name) != nil, "it is the task's until it ends")
        #expect(try bench.resumable.names() == [])
        try await bench.work { daemon.machine.operationCount == 0 }
        let stored = try #require(try await bench.events().last?.resumeData)
        #expect(told.data == stored)
        #expect(told.kept == 1)
        #expect(told.left == 0)
        #expect(try await byteCount(resumeData()) == 40)
        await bench.end()
    }

    @Test func `a task whose end did not get into the store goes on with its bytes`() async throws {
        try await leaveTask(.waiting)
        // As after a kill in the midst of an end: resume data is made and nobody has it.
        let made = try bench.files.makeResumeData(
            task: 1,
            request: TransferRequest(url: server.url("/file")),
            currentURL: nil,
            checkpoint: try await bench.bytes()?.checkpoint
        )
        #expect(!made.isEmpty)
        try await bench.start()
        try await bench.work { try await !bench.events().isEmpty }
        #expect(server.requests(to: "/file").map(\.range) == ["bytes=40-"])
        #expect(try bench.resumable.names() == [])
        await bench.end()
    }

    @Test func `a task that has ended in the store leaves its file to its resume data`()
        async throws
    {
        try await leaveTask()
        let made = try bench.files.makeResumeData(
            task: 1,
            request: TransferRequest(url: server.url("/file")),
            currentURL: nil,
            checkpoint: try await bench.bytes()?.checkpoint
        )
        try await storeEnd(with: made)
        try await bench.start()
        #expect(try await byteCount(resumeData()) == 40)
        #expect(try bench.downloads.status(of: Self.name) == nil)
        await bench.end()
    }

    @Test func `a record that lies beside the file goes where the file goes`() async throws {
        // An attribute has 64 KiB at most.
        let url = server.url("/" + String(repeating: "a", count: 70_000))
        let bytes = Array(Self.content.bytes.prefix(40))
        let file = try bench.leave(bytes, of: url, as: Self.name, in: bench.downloads)
        let checkpoint = file.checkpoint
        try await bench.storeTask(url, state: .suspended, ByteState(checkpoint: checkpoint))
        #expect(try bench.downloads.status(of: Self.name + ".record") != nil)
        let made = try bench.files.makeResumeData(
            task: 1,
            request: TransferRequest(url: url),
            currentURL: nil,
            checkpoint: checkpoint
        )
        try await storeEnd(with: made)
        try await bench.start()
        #expect(try await byteCount(resumeData()) == 40)
        await bench.end()
    }

    @Test func `a file that was moved, or is used, already stays where it is`() async throws {
        try await leaveTask()
        let made = try bench.files.makeResumeData(
            task: 1,
            request: TransferRequest(url: server.url("/file")),
            currentURL: nil,
            checkpoint: try await bench.bytes()?.checkpoint
        )
        try await storeEnd(with: made)
        try bench.files.keep(task: 1, for: made)
        try bench.files.keep(task: 1, for: made)
        let daemon = try await bench.start()
        #expect(try bench.resumable.names().count == 1)
        #expect(try await byteCount(resumeData()) == 40)
        await daemon.settleFiles()
        #expect(try bench.resumable.names() == [])
        await bench.end()
    }

    @Test func `a file that cannot be moved is moved by the next daemon`() async throws {
        try await leaveTask()
        let daemon = try await bench.start()
        try FileManager.default.removeItem(atPath: bench.state.path(of: "resumable"))
        try await endTask(daemon)
        try await bench.work { daemon.machine.operationCount == 0 }
        #expect(try bench.downloads.status(of: Self.name) != nil)
        try await bench.restart()
        #expect(try bench.resumable.names().count == 1)
        #expect(try await byteCount(resumeData()) == 40)
        await bench.end()
    }

    private func storeEnd(with resumeData: Data?) async throws {
        let failure = Wire.Failure(code: "cancelled", message: "cancelled")
        let event = Wire.Event(
            kind: .completed,
            task: 1,
            failure: failure,
            resumeData: resumeData
        )
        try await bench.store.commit([
            .setRetry(
                task: 1,
                attempts: 0,
                notBefore: nil,
                lastError: Encoded(AttemptFailure(failure))
            ),
            .completeTask(.id(1), NewEnd(event: Encoded(event))),
        ])
    }
}
