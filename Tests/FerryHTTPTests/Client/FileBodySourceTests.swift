import Dispatch
import FerrySystem
import FerryTestSupport
import Glibc
import Testing

@testable import FerryHTTP

/// A file that is sent, as whoever sends it reads it.
@Suite(.timeLimit(.minutes(1))) @LoopActor struct FileBodySourceTests {
    private static let byteCount: Int64 = 1_000_000

    private let temporary: TemporaryDirectory
    private let queue = BlockingQueue(label: "test")
    private let content = FixtureContent.seeded(5, byteCount: byteCount).bytes

    init() throws { temporary = try TemporaryDirectory() }

    private func source(in place: TemporaryDirectory? = nil) -> FileBodySource {
        let (directory, queue) = ((place ?? temporary).directory, queue)
        return FileBodySource(range: 0..<Self.byteCount, on: queue) { () throws(SystemCallError) in
            FileBodySource.Opened(UserFile(try directory.open("file", .read), on: queue))
        }
    }

    /// Reads what there is at once.
    private func read(_ source: FileBodySource) -> (reading: HTTPBodyReading, bytes: [UInt8]) {
        var buffer = [UInt8](repeating: 0, count: 100_000)
        let reading = buffer.withUnsafeMutableBytes { source.read(into: $0) }
        guard case .bytes(let count) = reading else { return (reading, []) }
        return (reading, Array(buffer[..<count]))
    }

    private func waitUntilReadable(_ source: FileBodySource) async {
        await withCheckedContinuation { next in source.whenReadable { next.resume() } }
    }

    /// What is left of a body; `nil` if it cannot be read.
    private func rest(of source: FileBodySource) async -> [UInt8]? {
        var rest: [UInt8] = []
        while true {
            let (reading, bytes) = read(source)
            switch reading {
            case .bytes: rest += bytes
            case .later: await waitUntilReadable(source)
            case .end: return rest
            case .failed: return nil
            }
        }
    }

    @Test func `a body that begins again forgets what was read ahead`() async throws {
        try temporary.write(content, to: "file")
        let source = source()
        _ = read(source)
        await waitUntilReadable(source)
        #expect(read(source).bytes == Array(content[..<100_000]))
        let goesBack = source.seek(to: 0)
        #expect(goesBack)
        #expect(await rest(of: source) == content)
    }

    @Test func `a body may go on elsewhere while it is being read`() async throws {
        try temporary.write(content, to: "file")
        let (source, gate) = (source(), DispatchSemaphore(value: 0))
        queue.perform { gate.wait() }
        _ = read(source)
        let goesOn = source.seek(to: 500_000)
        #expect(goesOn)
        gate.signal()
        #expect(await rest(of: source) == Array(content[500_000...]))
    }

    @Test func `a file that could not be read at first may be read by the next attempt`()
        async throws
    {
        let source = source()
        #expect(await rest(of: source) == nil)
        #expect(source.failure != nil)
        try temporary.write(content, to: "file")
        let beginsAgain = source.seek(to: 0)
        #expect(beginsAgain && source.failure == nil)
        #expect(await rest(of: source) == content)
    }

    /// Whether the loop can read a file.
    @concurrent private nonisolated static func isRead(_ file: UserFile) async -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) {
            file.readFromMemory(into: $0, at: 0, ofFileInMemory: file.isInMemory) == 1
        }
    }

    @Test(arguments: ["/tmp", "/dev/shm"])
    func `a file in memory is read without another thread until its end is near`(
        in parent: String
    ) async throws {
        let temporary = try TemporaryDirectory(in: parent)
        try temporary.write(content, to: "file")
        // Not every file system tells what is in memory.
        let file = UserFile(try temporary.directory.open("file", .read))
        guard await Self.isRead(file) else { return }
        let (source, gate) = (source(in: temporary), DispatchSemaphore(value: 0))
        _ = read(source)
        await waitUntilReadable(source)
        queue.perform { gate.wait() }
        var start: [UInt8] = []
        while case (.bytes, let bytes) = read(source) { start += bytes }
        #expect(start == Array(content.dropLast(FileBodyReader.Chunk.capacity)))
        gate.signal()
        await waitUntilReadable(source)
        #expect(await rest(of: source) == Array(content.suffix(FileBodyReader.Chunk.capacity)))
    }

    @Test func `a file that becomes shorter while it is read from memory is an error`() async throws
    {
        try temporary.write(content, to: "file")
        let source = source()
        _ = read(source)
        await waitUntilReadable(source)
        _ = read(source)
        truncate(temporary.path + "/file", 300_000)
        #expect(await rest(of: source) == nil)
        #expect(source.failure == .tooShort)
    }
}
