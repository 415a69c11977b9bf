import FerrySystem
import FerryTestSupport
import FoundationEssentials
import Glibc
import Testing

@testable import FerryDaemon

/// The file with the user's timetable, as editors and people treat it.
@Suite(.timeLimit(.minutes(1))) @LoopActor struct TimetableObservationTests {
    private let temporary: TemporaryDirectory
    private let file: TimetableFile
    private let observation: TimetableObservation
    private let changes: AsyncStream<TimetableObservation.Change>
    private let told: AsyncStream<TimetableObservation.Change>.Continuation
    private var directory: String { temporary.path + "/config/ferry" }

    init() throws {
        temporary = try TemporaryDirectory()
        file = TimetableFile(path: temporary.path + "/config/ferry/timetable")
        observation = TimetableObservation(
            of: file,
            zone: DirectoryEntry("localtime", in: temporary.path)
        )
        (changes, told) = AsyncStream.makeStream()
    }

    private func start() async {
        await observation.start { [told] in told.yield($0) }
    }

    private func makeDirectory() throws {
        _ = try Directory(opening: directory, creatingPrivate: true)
    }

    private func write(_ text: String) throws {
        let file = try Directory(opening: directory).open("timetable", .create)
        try file.truncate(to: 0)
        try Array(text.utf8).withUnsafeBytes { try file.writeAll($0) }
    }

    /// Waits for the timetable to have a rule, which it gets in one step.
    private func expectRule(_ rule: String, _ location: SourceLocation = #_sourceLocation) async {
        for await change in changes {
            guard case .timetable(let timetable) = change else { continue }
            #expect(timetable.rules.map(\.description) == [rule], sourceLocation: location)
            break
        }
    }

    // MARK: Changes by the user

    @Test func `what is there at the start holds at once`() async throws {
        try makeDirectory()
        try write("daily 1k\n")
        await start()
        #expect(observation.timetable.rules.count == 1)
    }

    @Test func `a file that is written later is noticed, with its directories`() async throws {
        await start()
        #expect(observation.timetable.rules == [])
        try makeDirectory()
        try write("daily 1k\n")
        await expectRule("daily 1k")
        try write("daily 2k\n")
        await expectRule("daily 2k")
    }

    @Test func `a file is replaced as editors do it`() async throws {
        try makeDirectory()
        try write("daily 1k\n")
        await start()
        // A new file takes the place of the old one.
        try temporary.write("daily 2k\n", to: "config/ferry/new")
        #expect(rename(directory + "/new", directory + "/timetable") == 0)
        await expectRule("daily 2k")
        // The old one is moved away before the new one is written: nothing changes in between.
        #expect(rename(directory + "/timetable", directory + "/timetable~") == 0)
        try write("daily 3k\n")
        await expectRule("daily 3k")
    }

    @Test func `a file that is removed has no rules after a while`() async throws {
        try makeDirectory()
        try write("daily 1k\n")
        await start()
        #expect(unlink(directory + "/timetable") == 0)
        for await change in changes {
            #expect(change == .timetable(Timetable()))
            break
        }
        #expect(rmdir(directory) == 0)
        try makeDirectory()
        try write("daily 2k\n")
        await expectRule("daily 2k")
    }

    @Test func `what a link leads to is followed, and the link stays`() async throws {
        try makeDirectory()
        try temporary.write("daily 1k\n", to: "mine")
        #expect(symlink("../../mine", directory + "/timetable") == 0)
        await start()
        try temporary.write("daily 2k\n", to: "mine")
        await expectRule("daily 2k")
        try await observation.change { (text) throws(TimetableError) in try text.add("Sat 3k") }
        #expect(try temporary.text(of: "mine") == "daily 2k\nSat 3k\n")
        #expect(try Directory(opening: directory).link("timetable") == "../../mine")
    }

    @Test func `faults are told, and again when they change; the other lines hold`() async throws {
        try makeDirectory()
        try write("oops\ndaily 1k\n")
        await start()
        var changes = changes.makeAsyncIterator()
        guard case .faults(let faults)? = await changes.next() else {
            Issue.record("no faults")
            return
        }
        #expect(faults.map(\.line) == [1])
        #expect(observation.timetable.rules.count == 1)
        try write("daily 1k\n")
        #expect(await changes.next() == .faults([]))
    }

    @Test func `a file that cannot be used is a fault, and the rules before it hold`() async throws
    {
        try makeDirectory()
        try write("daily 1k\n")
        await start()
        var changes = changes.makeAsyncIterator()
        for (bytes, reason) in [
            ([0xFF, 0x0A], "it is not text in UTF-8; save it in UTF-8"),
            ([UInt8](repeating: 0x0A, count: 65_537), "it is larger than 64 KiB, the limit"),
        ] as [([UInt8], String)] {
            // In one step: half of a text may be a text.
            try temporary.write(bytes, to: "config/ferry/new")
            #expect(rename(directory + "/new", directory + "/timetable") == 0)
            #expect(await changes.next() == .faults([LineFault(reason: reason)]))
            #expect(observation.timetable.rules.map(\.description) == ["daily 1k"])
        }
        #expect(unlink(directory + "/timetable") == 0)
        #expect(mkdir(directory + "/timetable", 0o700) == 0)
        let fault = LineFault(reason: "it is not a regular file; move it away")
        #expect(await changes.next() == .faults([fault]))
    }

    // MARK: Changes by ferryd

    @Test func `a rule that is added is in the file, and holds when that is told`() async throws {
        await start()
        try await observation.change { (text) throws(TimetableError) in try text.add("Sat 1k") }
        #expect(observation.timetable.rules.map(\.description) == ["Sat 1k"])
        let text = try temporary.text(of: "config/ferry/timetable")
        #expect(text.hasPrefix("# ") && text.hasSuffix("\nSat 1k\n"))
        #expect(try Directory(opening: directory).names() == ["timetable"])
        await expectRule("Sat 1k")
        // It is followed from then on.
        try write("Sun 1k\n")
        await expectRule("Sun 1k")
    }

    @Test func `a change keeps comments, faults and permissions`() async throws {
        try makeDirectory()
        try write("# mine\nSat 1k\noops\n")
        #expect(chmod(directory + "/timetable", 0o644) == 0)
        await start()
        try await observation.change { (text) throws(TimetableError) in try text.add("Sun 1k") }
        try await observation.change { (text) throws(TimetableError) in try text.remove("1") }
        #expect(try temporary.text(of: "config/ferry/timetable") == "# mine\noops\nSun 1k\n")
        let status = try Directory(opening: directory).status(of: "timetable")
        #expect(status?.permissions == 0o644)
    }

    @Test func `what a ferryd has left that died, or had no room, is no part of the next text`()
        async throws
    {
        try makeDirectory()
        try write("Sat 1k\n")
        let left = String(repeating: "daily 9k\n", count: 99)
        try temporary.write(left, to: "config/ferry/.timetable.new")
        await start()
        try await observation.change { (text) throws(TimetableError) in try text.add("Sun 1k") }
        #expect(try temporary.text(of: "config/ferry/timetable") == "Sat 1k\nSun 1k\n")
        #expect(try Directory(opening: directory).names() == ["timetable"])
    }

    @Test func `a change to a file that was just edited keeps the edit`() async throws {
        try makeDirectory()
        try write("Sat 1k\n")
        await start()
        try write("Mon 1k\n")
        try await observation.change { (text) throws(TimetableError) in try text.add("Sun 1k") }
        #expect(try temporary.text(of: "config/ferry/timetable") == "Mon 1k\nSun 1k\n")
        #expect(observation.timetable.rules.map(\.description) == ["Mon 1k", "Sun 1k"])
    }

    @Test func `a change that is not possible says why, and leaves all as it was`() async throws {
        try makeDirectory()
        try write("Sat 1k\n")
        await start()
        let request = await #expect(throws: TimetableError.self) {
            try await observation.change { (text) throws(TimetableError) in try text.remove("2") }
        }
        #expect(request?.cause == .request)
        #expect(mkdir(directory + "/.timetable.new", 0o700) == 0)
        let writing = await #expect(throws: TimetableError.self) {
            try await observation.change { (text) throws(TimetableError) in try text.add("Sun 1k") }
        }
        #expect(writing?.cause == .file)
        #expect(writing?.message.contains("\(directory)/timetable: it cannot be written") == true)
        #expect(try temporary.text(of: "config/ferry/timetable") == "Sat 1k\n")
        #expect(observation.timetable.rules.map(\.description) == ["Sat 1k"])
    }

    // MARK: The time zone

    @Test func `the time zone is followed while a rule depends on it`() async throws {
        try makeDirectory()
        try write("daily 1k\n")
        await start()
        #expect(symlink("/usr/share/zoneinfo/UTC", temporary.path + "/localtime") == 0)
        #expect(rename(temporary.path + "/localtime", temporary.path + "/old") == 0)
        var changes = changes.makeAsyncIterator()
        try write("Sat 1k\n")
        #expect(await changes.next() == .timetable(observation.timetable))
        #expect(rename(temporary.path + "/old", temporary.path + "/localtime") == 0)
        #expect(await changes.next() == .zone)
    }

    @Test func `a rule holds by the zone of now, also if that has changed before there was a rule`()
        async
    {
        // The C library has one zone in a process.
        await #expect(processExitsWith: .success) { @LoopActor in
            ProcessEnvironment.set("TZ", "UTC0")
            LocalTime.readZone()
            let tests = try TimetableObservationTests()
            await tests.start()
            ProcessEnvironment.set("TZ", "XXX-3")
            #expect(LocalTime.offset(at: 0) == 0)
            try await tests.observation.change { (text) throws(TimetableError) in
                try text.add("Sat 1k")
            }
            #expect(LocalTime.offset(at: 0) == 10_800)
        }
    }
}
