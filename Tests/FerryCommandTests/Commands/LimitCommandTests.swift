import Ferry
import Foundation
import Testing

@testable import FerryCommand

/// The limits by the hour, as people set and see them.
@Suite(.timeLimit(.minutes(1))) struct LimitCommandTests {
    private func timetable() -> TransferDaemon.Timetable {
        TransferDaemon.Timetable(
            file: "/home/a/.config/ferry/timetable",
            rules: [
                .init(number: 1, text: "Mon-Fri 08:00-18:00 512k", holds: true),
                .init(number: 2, text: "daily 22:00-06:00 discretionary", holds: false),
            ],
            faults: [.init(line: 7, text: "oo\u{1b}ps", reason: "'oops' is no day")],
            rates: .init(receive: 512_000, send: 512_000),
            admitsDiscretionaryWork: false,
            nextChange: Date(timeIntervalSince1970: 1_790_000_000)
        )
    }

    private func daemon() -> PlayedDaemon {
        var status = TransferDaemon.Status.sample(log: .journal)
        status.rates = .init(receive: 300_000, send: nil)
        status.timetable = timetable()
        return PlayedDaemon(status: status, timetable: timetable())
    }

    /// The moment of the timetable's next change, where the test runs.
    private var nextChange: String {
        let date = Date(timeIntervalSince1970: 1_790_000_000)
        return date.timeOfWeek
    }

    @Test func `limit alone shows what holds now and until when, the rules and what is wrong`()
        async
    {
        let run = await CommandLineRun("limit", daemon: daemon())
        #expect(
            run.output == """
                now:         300k/s down, 512k/s up, discretionary work waits, until \(nextChange)
                any hour:    300k/s down
                rules:       1  Mon-Fri 08:00-18:00 512k  (now)
                             2  daily 22:00-06:00 discretionary
                wrong:       line 7 'oo\u{FFFD}ps': 'oops' is no day
                file:        /home/a/.config/ferry/timetable

                """
        )
        #expect(run.code == .success)
    }

    @Test func `without limits it says so, and where rules would be`() async {
        let run = await CommandLineRun("limit", daemon: PlayedDaemon())
        #expect(
            run.output == """
                now:         no limit
                any hour:    no limit
                file:        /home/a/.config/ferry/timetable

                """
        )
    }

    @Test func `limit --json has every figure`() async {
        let run = await CommandLineRun("limit --json", daemon: daemon())
        #expect(
            run.output == """
                {"alwaysReceiveRate":300000,"discretionary":false,\
                "faults":[{"line":7,"reason":"'oops' is no day","text":"oo\\u001bps"}],\
                "file":"/home/a/.config/ferry/timetable","receiveRate":300000,\
                "rules":[{"holds":true,"number":1,"rule":"Mon-Fri 08:00-18:00 512k"},\
                {"holds":false,"number":2,"rule":"daily 22:00-06:00 discretionary"}],\
                "sendRate":512000,"until":"2026-09-21T14:13:20Z"}

                """
        )
    }

    @Test(arguments: [
        ("limit Mon-Fri 08:00-18:00 512k", "add Mon-Fri 08:00-18:00 512k"),
        ("limit daily 1M down 200k up", "add daily 1M down 200k up"),
        ("limit background urgent", "add background urgent"), ("limit --remove 2", "remove 2"),
        ("limit --remove Sat 1k down", "remove Sat 1k down"),
        ("limit nonsense 1k", "add nonsense 1k"),
    ])
    func `rules are added and removed by ferryd`(line: String, call: String) async {
        let daemon = PlayedDaemon()
        let run = await CommandLineRun(line, daemon: daemon)
        #expect(daemon.calls == [call])
        #expect(run.output == "" && run.error == "")
        #expect(run.code == .success)
    }

    @Test(arguments: [
        ("limit daily 1k -u 2k", "A rule has no --upload: write '1M down 200k up'."),
        ("limit -u 2k", "RATE is missing."),
        ("limit --json 500k", "--json is for showing the limits, without arguments."),
        ("limit --remove", "--remove needs a value: --remove RULE."),
    ])
    func `what makes no sense is said`(line: String, message: String) async {
        let daemon = PlayedDaemon()
        let run = await CommandLineRun(line, daemon: daemon)
        #expect(run.error.hasPrefix("ferry: \(message)\n"), "\(run.error)")
        #expect(daemon.calls == [])
        #expect(run.code == .usage)
    }

    @Test func `daemon status tells of limits by the hour and of lines that cannot be used`() async
    {
        let run = await CommandLineRun("daemon status", daemon: daemon())
        #expect(
            run.output.hasPrefix(
                """
                limit:       300k/s down
                now:         300k/s down, 512k/s up, discretionary work waits, until \(nextChange)
                timetable:   line 7 'oo\u{FFFD}ps': 'oops' is no day
                ferryd:
                """
            ),
            "\(run.output)"
        )
        let json = await CommandLineRun("daemon status --json", daemon: daemon())
        #expect(json.output.contains("\"timetable\":{\"alwaysReceiveRate\":300000,"))
    }
}
