import FerryStore
import Testing

@testable import FerryDaemon

/// How the rules of a timetable are written.
@Suite(.timeLimit(.minutes(1))) struct TimetableRuleTests {
    @Test(arguments: [
        ("Mon-Fri 08:00-18:00 512k", "Mon-Fri 08:00-18:00 512k"),
        ("monday,wed   8:00-9:30\t1.5MiB", "Mon,Wed 08:00-09:30 1.5MiB"),
        ("Sat-Mon 22:00-06:00 discretionary", "Sat-Mon 22:00-06:00 discretionary"),
        ("mon,tue,wed,thu,fri,sat,sun 1000", "daily 1k"),
        ("daily 00:00-24:00 1M down 200k up", "daily 1M down 200k up"),
        ("Sun 300 up", "Sun 300 up"), ("tue 1g DOWN", "Tue 1G down"),
        ("DAILY Discretionary", "daily discretionary"), ("background  URGENT", "background urgent"),
    ])
    func `a rule is read, and written in one way`(text: String, written: String) throws {
        let rule = try TimetableRule(text)
        #expect("\(rule)" == written)
        #expect(try TimetableRule(written) == rule)
    }

    @Test(arguments: [
        ("", "it is empty"), ("Mon-Fry 08:00-18:00 512k", "'fry' is no day"),
        ("Mo 08:00-18:00 512k", "'mo' is no day"),
        ("Mon-Tue-Wed 1k", "does not look like 'Mon-Fri'"),
        ("Mon, 1k", "'' is no day"), ("daily 08:00 512k", "does not look like '08:00-18:00'"),
        ("daily 08:00-25:00 512k", "does not look like '08:00-18:00'"),
        ("daily 08:60-10:00 512k", "does not look like '08:00-18:00'"),
        ("daily 24:00-10:00 512k", "does not look like '08:00-18:00'"),
        ("daily 08:00-24:01 1k", "does not look like '08:00-18:00'"),
        ("daily 8:0-9:00 1k", "does not look like '08:00-18:00'"),
        ("daily +8:00-9:00 1k", "does not look like '08:00-18:00'"),
        ("daily 08:00-08:00 512k", "has no length"), ("daily 08:00-18:00", "what holds then"),
        ("daily fast", "'fast' is no rate"), ("daily 0", "'0' is no rate"),
        ("daily none", "'none' is not a limit"), ("daily 1k 2k", "limits the same direction again"),
        ("daily 1k down 2k down", "limits the same direction again"),
        ("daily discretionary 1k", "'discretionary' is no rate"),
        ("background", "'background urgent'"), ("background lazy", "'background urgent'"),
    ])
    func `what is no rule says why`(text: String, reason: String) {
        let error = #expect(throws: TimetableError.self) { try TimetableRule(text) }
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }

    @Test(
        arguments: [
            1, 999, 1000, 1024, 1536, 512_000, 1_000_000, 1_572_864, 1_000_000_000, 1 << 30, .max,
        ] as [Int64]
    )
    func `every rate is written so that it is read again`(rate: Int64) throws {
        // What is read has the digits of a Double.
        guard rate < 1_000_000_000_000_000 else { return }
        let effect = TimetableRule.Effect.limit(SharedRates(receive: rate, send: rate))
        let rule = try TimetableRule("daily \(rate)")
        #expect(rule.effect == effect)
        #expect(try TimetableRule("\(rule)") == rule)
    }
}

/// The text of a timetable, which is the user's.
@Suite(.timeLimit(.minutes(1))) struct TimetableTextTests {
    private static let text = """
        # Work

          Mon-Fri 08:00-18:00 512k  # the others are here
        daily 22:00-06:00 discretionary
        Mon-Fry 1k
        background urgent
        oops

        """

    @Test func `each line is a rule, a comment, or a fault with its number`() {
        let text = TimetableText(Self.text)
        #expect(
            text.timetable.rules.map(\.description) == [
                "Mon-Fri 08:00-18:00 512k", "daily 22:00-06:00 discretionary", "background urgent",
            ]
        )
        #expect(text.timetable.isBackgroundUrgent)
        #expect(text.faults.map(\.line) == [5, 7])
        #expect(text.faults.map(\.text) == ["Mon-Fry 1k", "oops"])
        #expect(
            text.faults.last?.text(in: "/t")
                == "/t:7: 'oops': 'oops' is no day: write Mon, Tue, Wed, Thu, Fri, Sat, Sun or 'daily'"
        )
        #expect(text.text == Self.text)
    }

    @Test func `lines may end as on other systems`() {
        let text = TimetableText("daily 1k\r\noops\r\nSat 2k")
        #expect(text.timetable.rules.map(\.description) == ["daily 1k", "Sat 2k"])
        #expect(text.faults.map(\.text) == ["oops"])
        #expect(text.text == "daily 1k\r\noops\r\nSat 2k\n")
    }

    @Test func `a rule is added once, and all else stays`() throws {
        var text = TimetableText(Self.text)
        try text.add("sat 1k")
        #expect(text.text == Self.text + "Sat 1k\n")
        let added = text
        try text.add("SAT  1000")
        #expect(text == added)
        #expect(throws: TimetableError.self) { try text.add("Sat") }
        var empty = TimetableText()
        try empty.add("Sat 1k")
        #expect(empty.timetable.rules.count == 1)
        #expect(empty.text.hasPrefix("# "))
    }

    @Test(arguments: ["2", "daily 22:00-06:00 discretionary", "Daily  22:00-6:00 Discretionary"])
    func `a rule is removed by its number or its words`(selection: String) throws {
        var text = TimetableText(Self.text)
        try text.remove(selection)
        let line = "daily 22:00-06:00 discretionary\n"
        #expect(text.text == Self.text.split(separator: line).joined())
    }

    @Test(arguments: ["0", "4", "-1", "Sat 1k", "oops", ""])
    func `a rule that is not there cannot be removed`(selection: String) {
        var text = TimetableText(Self.text)
        let error = #expect(throws: TimetableError.self) { try text.remove(selection) }
        #expect(error?.message == "there is no rule '\(selection)'; 'ferry limit' shows them all")
        #expect(text.text == Self.text)
    }
}
