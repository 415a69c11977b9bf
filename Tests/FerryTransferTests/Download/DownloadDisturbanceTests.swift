import FerrySystem
import FerryTestSupport
import Glibc
import Testing

@testable import FerryTransfer

/// What another program may do to the file while it is being filled.
enum Disturbance: CaseIterable, CustomTestStringConvertible {
    case deleted
    case truncated
    case truncatedInPart
    case replaced
    case replacedByAsMany

    var testDescription: String { "\(self)" }

    /// Does it to a file.
    func happen(to name: String, in temporary: TemporaryDirectory) throws {
        let path = temporary.directory.path(of: name)
        switch self {
        case .deleted: #expect(unlink(path) == 0)
        case .truncated: #expect(truncate(path, 0) == 0)
        case .truncatedInPart: #expect(truncate(path, 1000) == 0)
        case .replaced: try replace(path, byteCount: 10)
        case .replacedByAsMany: try replace(path, byteCount: 3_000_001)
        }
    }

    private func replace(_ path: String, byteCount: Int) throws {
        let bytes = [UInt8](repeating: 7, count: byteCount)
        let other = open(path + ".other", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        #expect(write(other, bytes, byteCount) == byteCount)
        close(other)
        #expect(rename(path + ".other", path) == 0)
    }
}

@Suite(.timeLimit(.minutes(1)))
@LoopActor
struct DownloadDisturbanceTests {
    private let bench: DownloadBench
    private let content = FixtureContent.seeded(1, byteCount: 3_000_001)
    private let gate = FixtureGate()

    init() throws { bench = try DownloadBench() }

    private func disturb(
        _ disturbance: Disturbance,
        _ configuration: Download.Configuration
    )
        async throws -> DownloadProbe
    {
        let file = FixtureFile(content)
        bench.server.on("/file", .file(file).stalling(after: 2_000_000, at: gate), .file(file))
        let probe = bench.download(to: "file", configuration)
        await probe.wait { $0.events.last { $0.isProgress } == .progressed(2_000_000, 3_000_001) }
        try disturbance.happen(to: "file", in: bench.temporary)
        gate.open()
        return probe
    }

    @Test(arguments: Disturbance.allCases)
    func `SEC-6: a file that another program has changed is fetched again`(
        disturbance: Disturbance
    ) async throws {
        let probe = try await disturb(disturbance, Download.Configuration())
        #expect(await probe.result()?.byteCount == content.byteCount)
        #expect(probe.story == [.responded(200), .restarted, .responded(200), .finished])
        #expect(try bench.difference(content) == nil)
        #expect(bench.ranges() == [nil, nil])
    }

    @Test(arguments: Disturbance.allCases)
    func `SEC-6: a file that is forced onto the disk is looked at after that`(
        disturbance: Disturbance
    ) async throws {
        let configuration = Download.Configuration(
            synchronization: .periodic(every: .seconds(100), by: bench.synchronizer)
        )
        let (file, disk) = (FixtureFile(content), Gate())
        bench.server.on("/file", .file(file))
        bench.synchronizer.queue.perform { disk.wait() }
        let probe = bench.download(to: "file", configuration)
        // All bytes are there, and the end waits for the disk.
        await probe.wait { $0.events.last { $0.isProgress } == .progressed(3_000_001, 3_000_001) }
        try disturbance.happen(to: "file", in: bench.temporary)
        disk.open()
        await probe.wait { $0.story.count > 1 }
        #expect(probe.story.dropFirst().first != .finished || disturbance == .replacedByAsMany)
        #expect(await probe.result()?.byteCount == content.byteCount)
        #expect(try bench.difference(content) == nil)
    }

    @Test func `SEC-6: a program that does it again and again ends the download`() async throws {
        bench.server.on("/file", .file(FixtureFile(content)))
        let probe = bench.download()
        let temporary = bench.temporary
        probe.onEvent = { event in
            guard case .responded = event else { return }
            try? Disturbance.deleted.happen(to: "file", in: temporary)
        }
        let failure = try #require(await probe.failure())
        #expect(failure.code == .cannotWriteToFile)
        #expect(failure.message.contains("was changed by another program"))
        #expect(bench.server.requests.count == 2)
        #expect(try bench.temporary.directory.status(of: "file") == nil)
    }

    @Test(arguments: [Disturbance.deleted, .truncated, .replaced])
    func `SEC-6: a file that several connections fill is fetched again as well`(
        disturbance: Disturbance
    ) async throws {
        let (file, gate) = (FixtureFile(content), gate)
        bench.server.on(
            "/file",
            .file(file).stalling(after: 500_000, at: gate),
            .file(file).stalling(after: 200_000, at: gate),
            .file(file)
        )
        let probe = bench.download(
            Download.Configuration(segments: .eager(4, minimumSegmentBytes: 100_000))
        )
        try await bench.server.waitUntil { $0.requests.count > 1 }
        await probe.wait { $0.events.last.map { $0.isProgress } ?? false }
        try disturbance.happen(to: "file", in: bench.temporary)
        gate.open()
        #expect(await probe.result()?.byteCount == content.byteCount)
        #expect(probe.story.contains(.restarted))
        #expect(try bench.difference(content) == nil)
    }
}
