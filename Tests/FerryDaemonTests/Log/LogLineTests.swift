import FerryStore
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(5))) struct LogLineTests {
    private static let date = Date(timeIntervalSince1970: 1_800_000_000.25)
    private static let time = LocalTime.text(of: date, milliseconds: true)

    @Test func `a line has a time, a level and a message`() {
        let line = LogLine(date: Self.date, level: .warning, task: nil, message: "look out")
        #expect(line.text == "\(Self.time) warning look out\n")
    }

    @Test func `a line says which task it is about`() {
        let line = LogLine(date: Self.date, level: .info, task: 7, message: "done")
        #expect(line.text == "\(Self.time) info task 7: done\n")
    }

    @Test(arguments: [
        ("two\nlines", "two\\nlines"), ("a\rb\tc", "a\\rb\\tc"),
        ("\u{1b}[31mred", "\\u{1B}[31mred"),
        ("\u{7f}", "\\u{7F}"), ("\u{9b}2J", "\\u{009B}2J"), ("a\u{202e}b", "a\\u{202E}b"),
        ("a\u{2028}b", "a\\u{2028}b"), ("grün · 学", "grün · 学"), ("back\\slash", "back\\slash"),
        ("", ""),
    ])
    func `a message stays on its line`(_ message: String, _ written: String) {
        let line = LogLine(date: Self.date, level: .info, task: nil, message: message)
        #expect(line.message == written)
        #expect(line.text.filter { $0 == "\n" }.count == 1)
    }

    @Test func `levels have names and an order`() {
        #expect(LogLevel.allCases.map(\.name) == ["error", "warning", "notice", "info", "debug"])
        #expect(LogLevel.allCases.map { LogLevel(name: $0.name) } == LogLevel.allCases)
        #expect(LogLevel(name: "loud") == nil)
        #expect(LogLevel.error < .debug)
    }
}

@Suite(.timeLimit(.minutes(5))) struct LoggedAddressTests {
    @Test(arguments: [
        ("https://example.org/a/b.iso", "https://example.org/a/b.iso"),
        ("https://example.org/a?token=secret#part", "https://example.org/a"),
        ("https://example.org#secret?x", "https://example.org"),
        ("https://user:secret@example.org:8443/a", "https://example.org:8443/a"),
        ("https://a@secret@example.org/a@b", "https://example.org/a@b"),
        ("", ""), ("//", "//"), ("@", "@"),
    ])
    func `USE-5: the log names an address without its secrets`(address: String, logged: String) {
        #expect(LoggedAddress.of(address) == logged)
    }

    @Test func `USE-5: an address without end does not fill the log`() {
        let address = "https://example.org/" + String(repeating: "a", count: 8000)
        #expect(LoggedAddress.of(address).count == 501)
    }
}
