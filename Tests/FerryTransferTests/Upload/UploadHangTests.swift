import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryTransfer

/// Uploads of files whose file system does not answer any more.
@Suite(.enabled(if: HangingDisk.canBeMade), .timeLimit(.minutes(1)))
@LoopActor
struct UploadHangTests {
    private let bench: DownloadBench
    private let queue = BlockingQueue(label: "test.files", threadLimit: 4)

    init() throws { bench = try DownloadBench() }

    private func upload(_ disk: HangingDisk, to answer: String = "answer") -> UploadProbe {
        let (path, queue) = (disk.file, queue)
        let source = UploadSource(byteCount: disk.byteCount, on: queue) {
            () throws(SystemCallError) in
            let file = try UserFile.open(path, on: queue)
            return FileBodySource.Opened(file, identity: try file.identity())
        }
        return UploadProbe(
            TransferRequest(url: bench.server.url("/upload"), method: "PUT", idleTimeout: 30),
            source,
            answer: bench.file(answer),
            client: bench.client,
            Upload.Configuration()
        )
    }

    @Test(arguments: [HangingDisk.Operation.lookup, .open, .getattr, .read])
    func `REL-1: a file that does not answer holds up no other transfer, and goes on later`(
        operation: HangingDisk.Operation
    ) async throws {
        let disk = try await HangingDisk(byteCount: 1_000_000)
        bench.server.on("/upload", .content(.text("Thanks")))
        bench.server.on("/file", .content(.text("hello")))
        try await disk.hang(operation)
        let probe = upload(disk)
        try await disk.waitUntilHanging(operation)
        #expect(await bench.download().result()?.byteCount == 5)
        #expect(!probe.events.contains(.finished))
        try await disk.proceed()
        await probe.end()
        #expect(probe.events.last == .finished)
        #expect(bench.server.requests(to: "/upload").first?.body == disk.bytes())
    }

    @Test(arguments: [HangingDisk.Operation.open, .read])
    func `REL-1: an upload whose file does not answer can be cancelled`(
        operation: HangingDisk.Operation
    ) async throws {
        let disk = try await HangingDisk(byteCount: 1_000_000)
        bench.server.on("/upload", .content(.text("Thanks")))
        try await disk.hang(operation)
        let hung = upload(disk)
        try await disk.waitUntilHanging(operation)
        hung.cancel()
        let events = hung.events
        try await bench.server.waitUntil { $0.openConnectionCount == 0 }
        try await disk.proceed()
        // The threads that have waited do other things again.
        let probe = upload(disk, to: "other")
        await probe.end()
        #expect(probe.events.last == .finished)
        #expect(hung.events == events)
    }

    @Test func `REL-1: a file that does not let itself be closed holds up nothing`() async throws {
        let disk = try await HangingDisk(byteCount: 100_000)
        bench.server.on("/upload", .content(.text("Thanks")))
        try await disk.hang(.flush)
        let probe = upload(disk)
        await probe.end()
        #expect(probe.events.last == .finished)
        probe.forget()
        try await disk.waitUntilHanging(.flush)
        bench.server.on("/file", .content(.text("hello")))
        #expect(await bench.download().result()?.byteCount == 5)
        try await disk.proceed()
    }
}
