import FerryStore
import FerrySystem
import FerryTestSupport
import FerryWire
import FoundationEssentials
import Glibc
import Synchronization
import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(1))) struct FileLogTests {
    private static func line(_ message: String, _ level: LogLevel = .info) -> LogLine {
        LogLine(date: moment(0), level: level, task: nil, message: message)
    }

    private static func text(of name: String, in directory: TemporaryDirectory) throws -> String {
        let bytes = try directory.directory.open(name, .read).readToEnd(limit: 1 << 20)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `lines follow one another`() throws {
        let directory = try TemporaryDirectory()
        let log = FileLog(directory: directory.directory)
        log.write(Self.line("one"))
        log.write(Self.line("two"))
        let lines = try Self.text(of: "ferryd.log", in: directory).split(separator: "\n")
        #expect(lines.map { $0.suffix(3) } == ["one", "two"])
        #expect(log.description == Wire.Log(kind: .file, path: directory.path + "/ferryd.log"))
    }

    @Test func `a log that was there goes on`() throws {
        let directory = try TemporaryDirectory()
        FileLog(directory: directory.directory).write(Self.line("one"))
        FileLog(directory: directory.directory).write(Self.line("two"))
        #expect(try Self.text(of: "ferryd.log", in: directory).split(separator: "\n").count == 2)
    }

    @Test func `a log is for its owner alone`() throws {
        let directory = try TemporaryDirectory()
        FileLog(directory: directory.directory).write(Self.line("one"))
        let status = try #require(try directory.directory.status(of: "ferryd.log"))
        #expect(status.permissions == 0o600)
    }

    @Test func `a full log makes place for the next, and the oldest goes`() throws {
        let directory = try TemporaryDirectory()
        let log = FileLog(directory: directory.directory, maximumByteCount: 100)
        // Two of these lines have no room in one file.
        for number in 1...9 {
            log.write(Self.line("\(number)" + String(repeating: "x", count: 40)))
        }
        let names = try directory.directory.names().sorted()
        #expect(names == ["ferryd.log", "ferryd.log.1", "ferryd.log.2", "ferryd.log.3"])
        for (name, number) in zip(names, ["9", "8", "7", "6"]) {
            let text = try Self.text(of: name, in: directory)
            #expect(text.contains(" \(number)x"))
            #expect(text.utf8.count <= 100)
        }
    }

    @Test func `a line that is longer than a file is written nevertheless`() throws {
        let directory = try TemporaryDirectory()
        let log = FileLog(directory: directory.directory, maximumByteCount: 10)
        log.write(Self.line("short"))
        log.write(Self.line(String(repeating: "x", count: 200)))
        #expect(try Self.text(of: "ferryd.log", in: directory).contains("xxx"))
        #expect(try Self.text(of: "ferryd.log.1", in: directory).contains("short"))
    }

    @Test func `a log that cannot be written does no harm`() throws {
        let directory = try TemporaryDirectory()
        _ = try directory.directory.openSubdirectory("ferryd.log")
        defer { rmdir(directory.path + "/ferryd.log") }
        FileLog(directory: directory.directory).write(Self.line("one"))
    }

    @Test func `only lines that matter enough are written, in their order`() async throws {
        let destination = RecordingLog()
        let log = Log(destination: destination, threshold: .notice)
        for (level, text) in zip(LogLevel.allCases, ["e", "w", "n", "i", "d"]) {
            log.write(level, text, task: level == .error ? 3 : nil)
        }
        await log.flush()
        #expect(destination.lines.map(\.message) == ["e", "w", "n"])
        #expect(destination.lines.map(\.task) == [3, nil, nil])
    }
}

/// A log that keeps its lines.
private final class RecordingLog: LogDestination {
    private let storage = Mutex<[LogLine]>([])

    var lines: [LogLine] { storage.withLock { $0 } }
    var description: Wire.Log { Wire.Log(kind: .stderr) }

    func write(_ line: LogLine) { storage.withLock { $0.append(line) } }
}

/// A log into a pipe that nobody reads.
@Suite(.timeLimit(.minutes(1))) struct BlockedLogTests {
    /// How many lines have room while nothing can be written.
    private static let room = 20
    private let pipe: FullPipe

    init() throws { pipe = try FullPipe() }

    @Test(arguments: [false, true])
    func `lines that find no room are dropped, and how many is said when there is room again`(
        isNonBlocking: Bool
    ) async throws {
        pipe.setNonBlocking(isNonBlocking)
        let destination = AnnouncingLog(StandardErrorLog(descriptor: pipe.writer))
        let log = log(destination)
        log.write(.info, "first")
        _ = await destination.hasBegun.value
        for number in 1...1000 { log.write(.info, number < 100 ? "0\(number)" : "\(number)") }
        #expect(await log.flush(within: .zero) == false)
        async let text = pipe.text(until: "last\n")
        #expect(await log.flush(within: .seconds(30)))
        log.write(.info, "last")
        let lines = try await text.split(separator: "\n").map { line in
            line.split(separator: " ", maxSplits: 2).dropFirst().joined(separator: " ")
        }
        #expect(lines.first == "info first")
        #expect(lines.last == "info last")
        let note = try #require(lines.dropLast().last)
        #expect(note.hasPrefix("warning lines that are missing here: \(1000 - Self.room);"))
        #expect(lines[1...].dropLast(2).map { Int($0.dropFirst(5)) } == Array(1...Self.room))
    }

    @Test func `the end waits a second for a log that stays blocked`() async {
        let log = log()
        log.write(.info, "first")
        let start = ContinuousClock.now
        #expect(await log.flush() == false)
        #expect(ContinuousClock.now - start >= .seconds(1))
        pipe.closeReader()
        #expect(await log.flush(within: .seconds(30)))
    }

    @Test func `a pipe whose reader has gone loses lines and blocks nothing`() async {
        pipe.closeReader()
        let log = log()
        for number in 1...100 { log.write(.info, "\(number)") }
        #expect(await log.flush(within: .seconds(30)))
    }

    private func log(_ destination: (any LogDestination)? = nil) -> Log {
        Log(
            destination: destination ?? StandardErrorLog(descriptor: pipe.writer),
            // What twenty lines of three characters take.
            maximumByteCount: Self.room * 67
        )
    }
}

/// A log that tells when its first line is about to be written.
private struct AnnouncingLog: LogDestination {
    let hasBegun = AsyncValue<Bool>()
    private let log: any LogDestination

    var description: Wire.Log { log.description }

    init(_ log: any LogDestination) { self.log = log }

    func write(_ line: LogLine) {
        hasBegun.set(true)
        log.write(line)
    }
}
