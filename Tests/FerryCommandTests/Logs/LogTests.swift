import FerryTestSupport
import FerryWire
import Foundation
import Synchronization
import Testing

@testable import FerryCommand

@Suite(.timeLimit(.minutes(1))) struct LogTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func lines(_ number: Int? = nil) -> LogLines {
        LogLines(path: "\(directory.path)/ferryd.log", number: number)
    }

    @Test func `the last lines come from the older parts too, oldest first`() throws {
        try directory.write("5\n6\n", to: "ferryd.log")
        try directory.write("3\n4\n", to: "ferryd.log.1")
        try directory.write("1\n2\n", to: "ferryd.log.2")
        #expect(try lines().last(1) == ["6"])
        #expect(try lines().last(3) == ["4", "5", "6"])
        #expect(try lines().last(100) == ["1", "2", "3", "4", "5", "6"])
        #expect(try lines().last(0) == [])
    }

    @Test func `lines about one transfer are those that begin with its number`() throws {
        try directory.write(
            """
            2026-11-20T10:00:00.000Z info started
            2026-11-20T10:00:01.000Z info task 1: running
            2026-11-20T10:00:02.000Z info task 12: running
            2026-11-20T10:00:03.000Z warning task 1: server said task 12: no
            2026-11-20T10:00:04.000Z info task 12: done

            """,
            to: "ferryd.log"
        )
        #expect(
            try lines(12).last(9).map { $0.split(separator: " ").last } == ["running", "done"]
        )
        #expect(try lines(1).last(9).count == 2)
        #expect(try lines(2).last(9) == [])
    }

    @Test func `a log that is not there is an error`() {
        #expect(throws: (any Error).self) { try lines().last(1) }
    }

    @Test func `a log is followed line by line, into the next file when it is put aside`()
        async throws
    {
        let path = try directory.write("old\n", to: "ferryd.log")
        let follower = LogFollower(path: path)
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        let task = Task {
            try await follower.run { text in
                for part in text.split(separator: "\n") { line.yield(String(part)) }
            }
        }
        defer { task.cancel() }
        var iterator = lines.makeAsyncIterator()
        try append("one\ntw", to: path)
        #expect(await iterator.next() == "one")
        try append("o\n", to: path)
        #expect(await iterator.next() == "two")
        try append("three\n", to: path)
        try FileManager.default.moveItem(atPath: path, toPath: "\(path).1")
        try append("four\n", to: path)
        #expect(await iterator.next() == "three")
        #expect(await iterator.next() == "four")
    }

    @Test func `a log is followed from its first line when it is not there yet`() async throws {
        let path = "\(directory.path)/ferryd.log"
        let follower = LogFollower(path: path)
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        let task = Task { try await follower.run { line.yield($0) } }
        defer { task.cancel() }
        try append("first\n", to: path)
        var iterator = lines.makeAsyncIterator()
        #expect(await iterator.next() == "first\n")
    }

    @Test func `what became of files is written down without secrets or control characters`() throws
    {
        let moment = Date(timeIntervalSince1970: 1_790_000_000)
        let log = FileLog(environment: ["XDG_STATE_HOME": directory.path], now: { moment })
        try FileManager.default.createDirectory(
            atPath: "\(directory.path)/ferry",
            withIntermediateDirectories: true
        )
        let url = try #require(URL(string: "https://user:secret@example.org/a"))
        log.write(url: url, .saved(path: "/tmp/a\nb", byteCount: 1))
        log.write(url: url, .failed(Outcome.Reason(code: "c", message: "timed out")))
        let mode = try FileManager.default
            .attributesOfItem(atPath: "\(directory.path)/ferry/files.log")[.posixPermissions]
        #expect(mode as? Int == 0o600, "nobody else reads what was loaded")
        #expect(
            try directory.text(of: "ferry/files.log") == """
                \(LocalTime.text(of: moment)) https://user@example.org/a saved as /tmp/a\u{FFFD}b
                \(LocalTime.text(of: moment)) https://user@example.org/a failed: timed out

                """
        )
    }

    @Test func `the journal is asked for ferryd's lines of this user`() {
        let query = JournalQuery(number: 12, lineCount: 5, follows: true, user: 1000)
        #expect(
            query.words == [
                "journalctl", "--no-pager", "--output=short-iso", "--lines=5",
                "SYSLOG_IDENTIFIER=ferryd", "_UID=1000", "FERRY_TASK=12", "--follow",
            ]
        )
    }

    private func append(_ text: String, to path: String) throws {
        if !FileManager.default.fileExists(atPath: path) {
            try "".write(toFile: path, atomically: false, encoding: .utf8)
        }
        let file = try #require(FileHandle(forWritingAtPath: path))
        defer { try? file.close() }
        try file.seekToEnd()
        try file.write(contentsOf: Data(text.utf8))
    }
}
