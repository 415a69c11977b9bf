import FerryHTTP
import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FerryWireTestSupport
import FoundationEssentials
import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(5))) struct ProgressTests {
    @Test func `progress is told ten times a second at most, and the latest in any case`() {
        var bench = MachineBench()
        let client = bench.open()
        let stream = bench.subscribe(client)
        let task = bench.start(client)
        for count: Int64 in 1...50 {
            bench.wait(0.01)
            bench.progress(task, count)
        }
        bench.wait(1)
        let told = bench.progressTold(stream)
        #expect(told.count <= 7)
        #expect(told.last == 50)
        #expect(told == told.sorted())
        #expect(bench.timers[.progress] == nil)
    }

    @Test func `a task that loads nothing tells nothing`() {
        var bench = MachineBench()
        let client = bench.open()
        let stream = bench.subscribe(client)
        let task = bench.start(client)
        bench.progress(task, 10)
        bench.wait(1)
        let before = bench.events[stream]?.count
        bench.wait(100)
        #expect(bench.events[stream]?.count == before)
        #expect(bench.timers[.progress] == nil)
    }

    @Test func `the end tells all bytes by itself`() {
        var bench = MachineBench()
        let client = bench.open()
        let stream = bench.subscribe(client)
        let task = bench.start(client)
        bench.wait(1)
        bench.progress(task, 10)
        bench.progress(task, 90)
        bench.finish(task, byteCount: 100)
        bench.wait(1)
        #expect(bench.progressTold(stream) == [10])
        let kinds = bench.events[stream]?.map(\.kind)
        #expect(kinds == [.drained, .progress, .completed])
        #expect(bench.events[stream]?.last?.receivedByteCount == 100)
    }

    @Test func `of a download that is done in a moment only the end is told`() {
        var bench = MachineBench()
        let client = bench.open()
        let stream = bench.subscribe(client)
        let task = bench.start(client)
        bench.input {
            $0.responded(task: task, response: .sample(), request: .sample())
        }
        bench.progress(task, 10)
        bench.finish(task, byteCount: 10)
        bench.wait(1)
        #expect(bench.events[stream]?.map(\.kind) == [.drained, .completed])
        #expect(bench.events[stream]?[1].response?.value == .sample())
    }

    @Test func `the answer is told with the first progress`() {
        var bench = MachineBench()
        let client = bench.open()
        let stream = bench.subscribe(client)
        let task = bench.start(client)
        bench.input {
            $0.responded(task: task, response: .sample(), request: .sample())
        }
        #expect(bench.events[stream]?.map(\.kind) == [.drained])
        bench.wait(1)
        #expect(bench.events[stream]?.map(\.kind) == [.drained, .response, .progress])
        bench.progress(task, 10)
        bench.wait(1)
        #expect(bench.events[stream]?.map(\.kind) == [.drained, .response, .progress, .progress])
    }

    @Test func `API-3: what an app was told of the response is in the store`() {
        var bench = MachineBench()
        let task = bench.start(bench.open())
        bench.input {
            $0.responded(task: task, response: .sample(), request: .sample())
        }
        bench.progress(task, 10)
        #expect(bench.stored(task)?.response == nil)
        bench.wait(1)
        #expect(bench.stored(task)?.response?.value == .sample())
    }

    @Test func `API-3: a refusal does not take the place of the response to the bytes at hand`() {
        var bench = MachineBench()
        let task = bench.start(bench.open())
        bench.input {
            $0.responded(task: task, response: .sample(), request: .sample())
        }
        bench.progress(task, 10)
        bench.fail(task)
        bench.wait(60)
        bench.input {
            $0.responded(task: task, response: .sample(403), request: .sample())
        }
        bench.fail(task)
        #expect(bench.stored(task)?.response?.value == .sample())
    }

    @Test func `what is loaded is not noted with every byte`() {
        var bench = MachineBench()
        let task = bench.start(bench.open())
        bench.forgetEffects()
        for count: Int64 in 1...100 { bench.progress(task, count) }
        #expect(!bench.hasWork)
    }

    @Test func `a checkpoint is durable and carries the progress`() {
        var bench = MachineBench()
        let task = bench.start(bench.open())
        bench.progress(task, 70, of: 100)
        bench.input { machine in machine.checkpointed(task: task, [9]) }
        bench.settle()
        let stored = bench.database.synchronized.tasks[task]?.record
        #expect(stored?.checkpoint == [9])
        #expect(stored?.receivedByteCount == 70)
        #expect(stored?.expectedByteCount == 100)
    }

    // MARK: Resume data

    private static func database(isFromResumeData: Bool) -> ModelDatabase {
        let checkpoint = Checkpoint(
            generation: 1,
            version: ResourceVersion(validator: .strongETag("\"a\""), totalByteCount: 9, url: ""),
            synchronizedByteCount: 4,
            writtenByteCount: 4,
            bootIdentifier: BootIdentifier(rawValue: "boot")
        )
        let state = ByteState(checkpoint: checkpoint, isFromResumeData: isFromResumeData)
        var database = ModelDatabase()
        database.commit([
            .sampleSession(), .sampleTask(1), .setCheckpoint(task: 1, Encoded(state)),
        ])
        return database
    }

    @Test func `RD-7: an application is told once what its resume data was worth`() {
        var bench = MachineBench(on: Self.database(isFromResumeData: true))
        let client = bench.open()
        let stream = bench.subscribe(client)
        bench.resume(client)
        for _ in 1...2 {
            bench.input { $0.resumed(task: 1, offset: 4, expected: 9) }
            bench.fail(1)
            bench.wait(60)
        }
        let told = bench.events[stream]?.filter { $0.kind == .resumed }
        #expect(told?.map(\.offset) == [4])
        #expect(told?.map(\.expectedByteCount) == [9])
        let state = bench.stored(1)?.checkpoint?.value
        #expect(state?.isFromResumeData == false)
        #expect(state?.checkpoint?.writtenByteCount == 4)
    }

    @Test func `RD-7: it is told even when the first attempt did not get that far`() {
        var bench = MachineBench(on: Self.database(isFromResumeData: true))
        let client = bench.open()
        let stream = bench.subscribe(client)
        bench.resume(client)
        bench.fail(1)
        bench.wait(60)
        bench.input { $0.resumed(task: 1, offset: 0, expected: 9) }
        #expect(bench.events[stream]?.last?.kind == .resumed)
        #expect(bench.events[stream]?.last?.offset == 0)
    }

    @Test func `RD-7: an application that comes later is told before any progress`() {
        var bench = MachineBench(on: Self.database(isFromResumeData: true))
        bench.resume(bench.open())
        bench.input { $0.resumed(task: 1, offset: 4, expected: 9) }
        bench.progress(1, 6, of: 9)
        let stream = bench.subscribe(bench.open())
        #expect(bench.events[stream]?.map(\.kind) == [.resumed, .progress, .drained])
    }

    @Test func `a newer checkpoint is not undone by telling`() {
        var bench = MachineBench(on: Self.database(isFromResumeData: true))
        bench.resume(bench.open())
        bench.input { $0.resumed(task: 1, offset: 4, expected: 9) }
        bench.input { machine in machine.checkpointed(task: 1, [5]) }
        bench.settle()
        _ = bench.subscribe(bench.open())
        #expect(bench.stored(1)?.checkpoint == [5])
    }

    @Test func `BG-18: what ferryd resumes by itself is none of the application's business`() {
        var bench = MachineBench(on: Self.database(isFromResumeData: false))
        let client = bench.open()
        let stream = bench.subscribe(client)
        bench.resume(client)
        bench.input { $0.resumed(task: 1, offset: 4, expected: 9) }
        #expect(bench.events[stream]?.contains { $0.kind == .resumed } == false)
        #expect(bench.machine.running[1]?.receivedByteCount == 4)
    }
}

extension MachineBench {
    /// The numbers of bytes that a subscriber was told.
    func progressTold(_ stream: CallID) -> [Int64] {
        (events[stream] ?? []).filter { $0.kind == .progress }.compactMap(\.receivedByteCount)
    }
}
