import Dispatch
import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryHTTP

/// A file that is sent, as whoever sends it reads it.
@Suite(.timeLimit(.minutes(1))) @LoopActor struct FileBodySourceTests {
    private static let byteCount: Int64 = 1_000_000

    private let temporary: TemporaryDirectory
    private let queue = BlockingQueue(label: "test")
    private let content = FixtureContent.seeded(5, byteCount: byteCount).bytes

    init() throws { temporary = try TemporaryDirectory() }

    private func source() -> FileBodySource {
        let (directory, queue) = (temporary.directory, queue)
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
}
