import FerryStore
import FoundationEssentials
import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(5))) struct LogBacklogTests {
    private static func line(_ message: String, at seconds: Double = 0) -> LogLine {
        LogLine(date: moment(seconds), level: .info, task: 1, message: message)
    }

    /// Room for three lines of one byte.
    private var backlog = LogBacklog(maximumByteCount: 200)

    /// Adds lines; returns for which of them somebody had to be told.
    private mutating func add(_ lines: LogLine...) -> [Bool] { lines.map { backlog.add($0) } }

    private mutating func messages() -> [String] { backlog.takeAll().map(\.message) }

    @Test mutating func `the first line asks for somebody to take it, later ones do not`() {
        let asked = add(Self.line("1"), Self.line("2"))
        #expect(asked == [true, false])
        let taken = [messages(), messages()]
        #expect(taken == [["1", "2"], []])
        let askedAgain = add(Self.line("3"))
        #expect(askedAgain == [true])
    }

    @Test mutating func `lines for which there is no room are counted in their place`() throws {
        let asked = (1...7).map { backlog.add(Self.line("\($0)", at: Double($0))) }
        #expect(asked == [true] + Array(repeating: false, count: 6))
        let lines = backlog.takeAll()
        #expect(lines.prefix(3).map(\.message) == ["1", "2", "3"])
        #expect(lines.count == 4)
        let note = try #require(lines.last)
        #expect(note.message.contains("missing here: 4"))
        #expect(note.date == moment(4))
        #expect(note.level == .warning)
        #expect(note.task == nil)
    }

    @Test mutating func `after a gap there is room again`() {
        for number in 1...7 { _ = backlog.add(Self.line("\(number)")) }
        _ = backlog.takeAll()
        let asked = add(Self.line("8"))
        let taken = messages()
        #expect(asked == [true])
        #expect(taken == ["8"])
    }

    @Test mutating func `no line comes after the gap that it is part of`() {
        // There would be room for the third one.
        _ = add(Self.line("1"), Self.line(String(repeating: "x", count: 200)), Self.line("3"))
        let taken = messages()
        #expect(taken.count == 2)
        #expect(taken.last?.contains("missing here: 2") == true)
    }

    @Test mutating func `a line that is longer than everything else together is kept alone`() {
        let long = String(repeating: "x", count: 1000)
        let asked = add(Self.line(long), Self.line("2"))
        let taken = messages()
        #expect(asked == [true, false])
        #expect(taken.first == long)
        #expect(taken.last?.contains("missing here: 1") == true)
    }
}
