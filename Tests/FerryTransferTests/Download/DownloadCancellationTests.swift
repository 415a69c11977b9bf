import Dispatch
import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(1)))
@LoopActor
struct DownloadCancellationTests {
    let bench: DownloadBench
    let content = FixtureContent.seeded(1, byteCount: 300_001)
    let gate = FixtureGate()

    init() throws { bench = try DownloadBench() }

    /// Lets everything that is under way on the loop and on the queue come to its end.
    private func settle() async {
        for _ in 0..<10 {
            await withCheckedContinuation { continuation in
                bench.synchronizer.queue.perform { LoopActor.perform { continuation.resume() } }
            }
        }
    }

    @Test func `a cancel right after the start asks for nothing`() async throws {
        bench.server.on("/file", .file(FixtureFile(content)))
        let probe = bench.download()
        probe.cancel()
        probe.cancel()
        await settle()
        #expect(probe.events == [])
        #expect(bench.server.requests.isEmpty)
        #expect(try bench.temporary.directory.names() == [])
    }

    @Test func `a second start does nothing`() async throws {
        bench.server.on("/file", .file(FixtureFile(content)))
        let probe = bench.download()
        probe.start()
        #expect(await probe.result() != nil)
        probe.start()
        await settle()
        #expect(probe.story == [.responded(200), .finished])
        #expect(bench.server.requests.count == 1)
    }

    @Test func `a cancel before the head keeps what there was`() async throws {
        let file = FixtureFile(content)
        bench.server.on(
            "/file",
            .file(file).dropping(after: 100_000),
            FixtureAnswer.script([.wait(gate)]),
            .file(file)
        )
        _ = await bench.download().failure()
        let second = bench.download()
        try await bench.server.waitUntil { $0.requests.count == 2 }
        second.cancel()
        gate.open()
        await settle()
        #expect(second.events == [])
        #expect(second.checkpoint?.writtenByteCount == 100_000)
        let third = bench.download()
        #expect(await third.result() != nil)
        #expect(bench.ranges().last == "bytes=100000-")
        #expect(try bench.difference(content) == nil)
    }

    @Test func `a cancel between the only piece and its way to the disk keeps the bytes`()
        async throws
    {
        let held = DispatchSemaphore(value: 0)
        bench.synchronizer.queue.perform { held.wait() }
        bench.server.on("/file", .file(FixtureFile(.seeded(2, byteCount: 100))))
        let probe = bench.download(
            Download.Configuration(synchronization: .periodic(every: .zero, by: bench.synchronizer))
        )
        await probe.wait { $0.events.contains(.progressed(100, 100)) }
        probe.cancel()
        held.signal()
        #expect(try bench.file().recover(checkpoint: nil)?.writtenByteCount == 100)
    }

    @Test func `a cancel in the middle is silent, and leaves resume data`() async throws {
        let file = FixtureFile(content)
        bench.server.on("/file", .file(file).stalling(after: 100_000, at: gate), .file(file))
        let probe = bench.download()
        await probe.wait { $0.events.contains(.progressed(100_000, 300_001)) }
        probe.cancel()
        let count = probe.events.count
        #expect(try probe.resumeData().byteCount == 100_000)
        try await bench.server.waitUntil { $0.requests[0].state == .abandoned }
        gate.open()
        await settle()
        #expect(probe.events.count == count)
        #expect(await bench.download().result() != nil)
        #expect(bench.ranges() == [nil, "bytes=100000-"])
        #expect(try bench.difference(content) == nil)
    }

    @Test(arguments: [
        DownloadProbe.Event.responded(200), .resumed(0, 300_001), .restarted,
    ])
    func `a cancel from inside an event is the last thing that happens`(
        event: DownloadProbe.Event
    ) async throws {
        let other = FixtureContent.seeded(2, byteCount: 300_001)
        let changed = FixtureFile(other, entityTag: "\"v2\"")
        bench.server.on(
            "/file",
            .file(FixtureFile(content)).dropping(after: 100_000),
            .file(changed)
        )
        _ = await bench.download().failure()
        let probe = bench.download(
            nil,
            Download.Configuration(
                synchronization: .periodic(every: .zero, by: bench.synchronizer),
                announcesResumption: true
            )
        )
        probe.onEvent = { [weak probe] in if $0 == event { probe?.cancel() } }
        await probe.wait { $0.events.contains(event) }
        await settle()
        #expect(probe.events.last == event)
        #expect(probe.outcome == nil)
    }

    @Test func `a cancel from inside progress is the last thing that happens`() async throws {
        bench.server.on("/file", .file(FixtureFile(content)))
        let probe = bench.download(
            nil,
            Download.Configuration(synchronization: .periodic(every: .zero, by: bench.synchronizer))
        )
        probe.onEvent = { [weak probe] in if $0.isProgress { probe?.cancel() } }
        await probe.wait { $0.events.contains(where: \.isProgress) }
        await settle()
        #expect(probe.events.last?.isProgress == true)
        let held = try #require(probe.checkpoint).writtenByteCount
        #expect(Int64(try bench.temporary.contents(of: "file").count) == held)
    }

    @Test func `a cancel while a synchronisation is under way is silent`() async throws {
        bench.server.on("/file", .file(FixtureFile(content)).stalling(after: 100_000, at: gate))
        let disk = Gate()
        let file = PartialFile(
            directory: bench.temporary.directory,
            name: "file",
            currentBoot: .current
        ) { _, _ in disk.wait() }
        let probe = DownloadProbe(
            bench.request(),
            file,
            client: bench.client,
            Download.Configuration(synchronization: .periodic(every: .zero, by: bench.synchronizer))
        )
        await probe.wait { $0.events.contains(.progressed(100_000, 300_001)) }
        // The timer is due at once: after a turn of the loop the queue is at the gate.
        await withCheckedContinuation { continuation in
            _ = EventLoop.shared.schedule(after: .milliseconds(1)) { continuation.resume() }
        }
        probe.cancel()
        let count = probe.events.count
        disk.open()
        disk.open()
        await settle()
        #expect(probe.events.count == count)
        #expect(probe.checkpoint?.writtenByteCount == 100_000)
    }

    @Test func `a cancel while the last bytes go to the disk keeps a complete file`() async throws {
        bench.server.on("/file", .file(FixtureFile(content)))
        let disk = Gate()
        let file = PartialFile(
            directory: bench.temporary.directory,
            name: "file",
            currentBoot: .current
        ) { _, _ in disk.wait() }
        let probe = DownloadProbe(
            bench.request(),
            file,
            client: bench.client,
            Download.Configuration(synchronization: .everySecond(bench.synchronizer))
        )
        await probe.wait { $0.events.contains(.progressed(300_001, 300_001)) }
        try await bench.server.waitUntil { $0.requests[0].state == .sent }
        probe.cancel()
        disk.open()
        disk.open()
        await settle()
        #expect(probe.outcome == nil)
        #expect(await bench.download().result() != nil)
        #expect(bench.ranges().last == "bytes=300000-")
        #expect(try bench.difference(content) == nil)
    }

    @Test func `a cancelled download does not outlive its owner`() async throws {
        bench.server.on("/file", .file(FixtureFile(content)).stalling(after: 100_000, at: gate))
        weak var weakFile: PartialFile?
        do {
            let file = bench.file()
            weakFile = file
            let probe = DownloadProbe(bench.request(), file, client: bench.client)
            await probe.wait { $0.events.contains(where: \.isProgress) }
            probe.cancel()
        }
        await settle()
        #expect(weakFile == nil)
    }
}
