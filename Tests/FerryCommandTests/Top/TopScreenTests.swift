import Ferry
import Foundation
import Testing

@testable import FerryCommand

/// What `ferry top` shows, and what its keys do.
@Suite(.timeLimit(.minutes(1))) struct TopScreenTests {
    private static let now = Date(timeIntervalSince1970: 1_790_000_100)

    private static func transfers() throws -> [TransferDaemon.Transfer] {
        var running = try TransferDaemon.Transfer.sample(7, url: "https://example.org/debian.iso")
        running.bytesPerSecond = 100
        var paused = try TransferDaemon.Transfer.sample(
            3,
            state: .waiting,
            url: "https://example.org/b"
        )
        paused.wait = TransferDaemon.Transfer.Wait(reason: .paused)
        let waiting = try TransferDaemon.Transfer.sample(
            5,
            state: .waiting,
            url: "https://example.org/album.zip",
            expected: nil,
            wait: TransferDaemon.Transfer.Wait(reason: .network)
        )
        return [running, paused, waiting]
    }

    private static func screen(
        _ columns: Int = 80,
        _ rows: Int = 12,
        of transfers: [TransferDaemon.Transfer]? = nil
    ) throws -> TopScreen {
        var screen = TopScreen(size: TerminalSize(columns: columns, rows: rows), alphabet: .unicode)
        let all = try transfers ?? Self.transfers()
        screen.update(TransferDaemon.Changes(updated: all, removed: []), at: .zero)
        return screen
    }

    /// Presses keys, and returns what the last one has ferryd do.
    private static func press(_ keys: String, _ screen: inout TopScreen) -> TopScreen.Action? {
        var action: TopScreen.Action?
        for key in keys {
            _ = screen.frame(now: now)
            let key: TopKey =
                switch key {
                case "\n": .enter
                case "\u{1B}": .escape
                case "\u{7F}": .backspace
                default: .character(key)
                }
            action = screen.handle(key)
        }
        return action
    }

    @Test(arguments: [
        (
            60,
            """
            1 running, 1 waiting, 1 paused   100 B/s   by state

               ID STATE        %       RATE NAME
                7 running    45%    100 B/s debian.iso
                5 waiting    450            album.zip: wa...or a network
                3 waiting    45%            b: paused
            """
        ),
        (
            80,
            """
            1 running, 1 waiting, 1 paused   100 B/s   by state

               ID STATE                   %       RATE    LEFT NAME
                7 running   ━━━━──────  45%    100 B/s      6s debian.iso
                5 waiting               450                    album.zip: wa...for a network
                3 waiting   ━━━━──────  45%                    b: paused
            """
        ),
        (
            120,
            """
            1 running, 1 waiting, 1 paused   100 B/s   by state

               ID STATE                   %       RATE               LEFT NAME
                7 running   ━━━━──────  45%    100 B/s          █      6s debian.iso
                5 waiting               450                               album.zip: waiting for a network
                3 waiting   ━━━━──────  45%                               b: paused
            """
        ),
    ])
    func `a narrow terminal has fewer columns, and none has longer lines`(
        columns: Int,
        expected: String
    ) throws {
        var screen = try Self.screen(columns)
        let frame = screen.frame(now: Self.now)
        let lines = frame.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.prefix(6).joined(separator: "\n") == expected)
        #expect(frame.lines.count == 12)
        #expect(lines.allSatisfy { String($0).columnCount <= columns })
    }

    @Test(arguments: [1, 2, 3, 5, 8, 40], [1, 10, 40, 71, 200])
    func `every size has as many lines as the terminal, in all modes`(
        rows: Int,
        columns: Int
    ) throws {
        for keys in ["", "w", "?", "/abc", "x", "l"] {
            var screen = try Self.screen(columns, rows)
            _ = Self.press(keys, &screen)
            let frame = screen.frame(now: Self.now)
            #expect(frame.lines.count == rows)
            for line in frame.lines {
                #expect(line.reduce(0) { $0 + $1.text.columnCount } <= columns, "\(keys)")
            }
        }
    }

    @Test(arguments: [
        ("p", TopScreen.Action.pause(7)), ("jp", .pause(5)), ("jjp", .resume(3)),
        ("jjjjkp", .pause(5)),
        ("Gp", .resume(3)), ("Ggp", .pause(7)), ("r", .resume(7)), ("xy", .cancel(7)),
        ("l1M\n", .setRate("1M", 7)), ("L2M\n", .setRate("2M", nil)),
        ("l12\u{7F}0k\n", .setRate("10k", 7)),
        ("uhttps://a/b\n", .relink("https://a/b", 7)), ("q", .quit), ("?q", nil), ("??q", .quit),
        ("xn", nil), ("l\n", nil), ("l5\u{1B}", nil), ("/alb\np", .pause(5)),
        ("/alb\n\u{1B}gp", .pause(7)),
        ("ssssgp", .pause(7)), ("sgp", .resume(3)), ("wq", nil),
    ])
    func `keys act on the selected transfer`(keys: String, action: TopScreen.Action?) throws {
        var screen = try Self.screen()
        #expect(Self.press(keys, &screen) == action)
    }

    @Test func `priorities go in tenths, and stay between 0 and 1`() throws {
        var screen = try Self.screen()
        #expect(Self.press("+", &screen) == .setPriority(0.6, 7))
        var transfers = try Self.transfers()
        transfers[0].priority = 1
        screen.update(TransferDaemon.Changes(updated: transfers, removed: []), at: .zero)
        #expect(Self.press("+", &screen) == .setPriority(1, 7))
    }

    @Test func `the selected transfer stays selected and on the screen, whatever others do`() throws
    {
        let many = try (1...100).map {
            try TransferDaemon.Transfer.sample(
                $0,
                state: .waiting,
                url: "https://example.org/f\($0)"
            )
        }
        var screen = try Self.screen(80, 12, of: many)
        _ = screen.frame(now: Self.now)
        _ = screen.handle(.end)
        #expect(screen.frame(now: Self.now).text.contains("f100"))
        #expect(screen.selection == 100)
        screen.update(TransferDaemon.Changes(updated: [], removed: Array(1...90)), at: .zero)
        let text = screen.frame(now: Self.now).text
        #expect(screen.selection == 100)
        #expect(text.contains("f93") && text.contains("f100"))
        screen.update(TransferDaemon.Changes(updated: [], removed: [100]), at: .zero)
        _ = screen.frame(now: Self.now)
        #expect(screen.selection.map { (91...99).contains($0) } == true)
        screen.update(TransferDaemon.Changes(updated: [], removed: Array(91...99)), at: .zero)
        #expect(screen.frame(now: Self.now).text.contains("Nothing is under way."))
        #expect(Self.press("px", &screen) == nil)
    }

    @Test func `names of servers cannot move the cursor`() throws {
        let odd = try TransferDaemon.Transfer.sample(1, url: "https://example.org/a%1B%5B2Jb%0Ac")
        for keys in ["", "w", "x"] {
            var screen = try Self.screen(of: [odd])
            _ = Self.press(keys, &screen)
            let scalars = screen.frame(now: Self.now).text.unicodeScalars
            #expect(!scalars.contains { $0.value < 32 && $0 != "\n" }, "\(keys)")
        }
    }

    @Test func `a graph has the rates of the last seconds, the newest at its end`() {
        var graph = RateGraph()
        for second in 0..<12 { graph.add(Int64(second * 100), at: .seconds(second)) }
        graph.add(1, at: .milliseconds(11_500))
        #expect(graph.text(.unicode) == "▁▂▃▄▄▅▆▇▇█")
        #expect(graph.text(.ascii).last == "#")
        #expect(RateGraph().text(.unicode) == "          ")
    }

    @Test func `without a terminal the command says what else there is`() async {
        let run = await CommandLineRun("top")
        #expect(run.code == .usage)
        #expect(run.error.contains("'ferry list'"))
    }
}
