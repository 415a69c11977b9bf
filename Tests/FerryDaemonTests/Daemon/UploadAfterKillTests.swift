import FerryStore
import FerrySystem
import FerryTestSupport
import FerryTransfer
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

/// What a daemon that was killed while it kept files for uploads has left.
@Suite(.timeLimit(.minutes(1)))
@LoopActor
struct UploadAfterKillTests {
    let bench: DaemonBench
    let server: FixtureServer
    nonisolated static let content = FixtureContent.seeded(1, byteCount: 1000)

    init() async throws {
        bench = try await DaemonBench()
        server = try FixtureServer()
        server.on("/in", .content(.text("thanks")))
        try bench.temporary.write(Self.content.bytes, to: "source")
    }

    private var uploads: Directory { get throws { try bench.state.openSubdirectory("uploads") } }

    /// A task that sends the file, with a copy of it or without.
    private func leaveTask(
        _ state: TaskRecord.State = .waiting,
        isCopied: Bool
    ) async throws {
        let file = try bench.temporary.directory.open("source", .read)
        let original = UploadState(
            path: bench.temporary.directory.path(of: "source"),
            identity: try file.identity(),
            boot: .current
        )
        let passed = UserFile(file)
        let uploads = bench.files.uploads
        let copied =
            isCopied
            ? await uploads.secure(passed, original, for: 1, on: passed.queue) : original
        let url = server.url("/in")
        let task = TaskRecord(
            id: 1,
            sessionID: 1,
            identifier: 1,
            state: state,
            host: Origin(url: url)?.authority ?? "",
            request: Encoded(
                Wire.Request(url: url, method: "PUT", fields: [], idleTimeout: 30)
            ),
            createdAt: Date(),
            upload: Encoded(try #require(copied))
        )
        try await bench.store.commit([.insertTask(task)])
    }

    @Test(arguments: [true, false])
    func `BG-42: the next daemon sends the file, and lets go of it`(isCopied: Bool) async throws {
        try await leaveTask(isCopied: isCopied)
        if isCopied { try bench.temporary.directory.remove("source") }
        try await bench.start()
        try await bench.work { try await bench.events().count == 1 }
        let finished = try #require(try await bench.events().first)
        #expect(finished.failure == nil && finished.sentByteCount == 1000)
        let path = try #require(finished.path)
        #expect(try Data(contentsOf: URL(filePath: path)) == Data("thanks".utf8))
        let arrived = try #require(server.requests.first)
        #expect(Self.content.firstDifference(from: arrived.body) == nil)
        try await bench.work { try uploads.names().isEmpty }
        await bench.end()
    }

    @Test func `a copy that no task knows is deleted`() async throws {
        _ = try uploads.open("Upload_7", .createNew)
        _ = try uploads.open("Upload_8.new", .createNew)
        try await bench.start()
        try await bench.work { try uploads.names().isEmpty }
        await bench.end()
    }

    @Test func `the copy of a task that has ended is deleted, its answer stays`() async throws {
        try await leaveTask(.suspended, isCopied: true)
        let answer = try bench.downloads.open("CFNetworkDownload_000001.tmp", .createNew)
        try answer.close()
        let end = NewEnd(event: Encoded(Wire.Event(kind: .completed, task: 1)))
        try await bench.store.commit([.completeTask(.id(1), end)])
        try await bench.start()
        try await bench.work { try uploads.names().isEmpty }
        #expect(try bench.downloads.names() == ["CFNetworkDownload_000001.tmp"])
        await bench.end()
    }

    @Test func `BG-42: a file that is not what it was fails its task`() async throws {
        try await leaveTask(isCopied: false)
        try bench.temporary.write([1], to: "source")
        try await bench.start()
        try await bench.work { try await bench.events().count == 1 }
        #expect(try await bench.events().last?.failure?.code == "fileChanged")
        #expect(server.requests.isEmpty)
        await bench.end()
    }
}
