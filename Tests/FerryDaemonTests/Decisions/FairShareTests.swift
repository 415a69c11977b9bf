import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

/// Each application gets its share of the places, and a transfer that brings next to nothing keeps none from others.
@Suite(.timeLimit(.minutes(5))) struct FairShareTests {
    /// An application in a world where everything that is started loads.
    private struct Program {
        var name: String
        var client: BenchClient
        /// How many bytes each of its transfers brings per second.
        var rate: Int64
    }

    private static let hostile = "hostile"

    private static func program(
        _ name: String,
        number: Int64,
        rate: Int64,
        in bench: inout MachineBench
    ) -> Program {
        let client = bench.open(
            "main",
            application: name,
            process: number,
            configuration: .limited(16)
        )
        return Program(name: name, client: client, rate: rate)
    }

    /// One that has 36 transfers of a byte per second from six hosts.
    private static func hostileProgram(in bench: inout MachineBench) -> Program {
        let program = program(hostile, number: 1, rate: 1, in: &bench)
        for identifier in 1...36 {
            bench.start(program.client, identifier, host: "drip\(identifier % 6)")
        }
        return program
    }

    /// How many places each application has.
    private static func places(_ bench: MachineBench) -> [String: Int] {
        bench.machine.running.values.filter { $0.place == .transfer }.reduce(into: [:]) {
            let id = bench.machine.application(of: $1.record)
            $0[bench.machine.applications[id]?.record.identifier ?? "", default: 0] += 1
        }
    }

    /// Lets a second pass in which every transfer loads.
    private static func passSecond(_ programs: [Program], in bench: inout MachineBench) {
        for task in bench.machine.running.sorted(where: { $0.phase == .loading }) {
            let id = task.record.id
            if task.response == nil { answer(id, in: &bench) }
            let rate = programs.first { $0.client.session == task.record.sessionID }?.rate ?? 0
            bench.progress(id, task.receivedByteCount + rate, of: nil)
        }
        bench.settle()
        bench.wait(1)
    }

    /// A server answers with a version that can be gone on with.
    private static func answer(_ task: Int64, in bench: inout MachineBench) {
        var response = Wire.Response.sample()
        response.fields = [Wire.Field(name: "ETag", value: "\"1\"")]
        bench.input { [response] in
            $0.responded(task: task, response: response, request: .sample(), at: $1)
        }
    }

    @Test
    func
        `REL-3: of 20 applications, one of them hostile, none has more than its share for a minute`()
    {
        var bench = MachineBench(DaemonPolicy())
        var programs = [Self.hostileProgram(in: &bench)]
        for _ in 0..<600 { Self.passSecond(programs, in: &bench) }
        // While nobody waits, nobody has to go.
        #expect(Self.places(bench) == [Self.hostile: 32])
        for number in 2...20 {
            let program = Self.program(
                "app\(number)",
                number: Int64(number),
                rate: 5000,
                in: &bench
            )
            for identifier in 1...4 {
                bench.start(program.client, identifier, host: "host\(number % 3)")
            }
            programs.append(program)
        }
        for _ in 0..<60 { Self.passSecond(programs, in: &bench) }
        for _ in 0..<600 {
            Self.passSecond(programs, in: &bench)
            let places = Self.places(bench)
            #expect(places.count >= 19 && places.values.allSatisfy { $0 <= 2 }, "\(places)")
        }
    }

    @Test func `REL-3: more applications than places take turns`() {
        var bench = MachineBench(.limits(total: 4, host: 4))
        let programs = (1...6).map { number in
            let name = "app\(number)"
            let program = Self.program(name, number: Int64(number), rate: 5000, in: &bench)
            bench.start(program.client, 1, host: "host")
            return program
        }
        var seconds: [String: Int] = [:]
        for _ in 0..<1200 {
            Self.passSecond(programs, in: &bench)
            for name in Self.places(bench).keys { seconds[name, default: 0] += 1 }
            #expect(Self.places(bench).values.reduce(0, +) == 4)
        }
        #expect(seconds.count == 6 && seconds.values.allSatisfy { $0 > 600 }, "\(seconds)")
    }

    @Test func `REL-3: the place of a transfer that brings next to nothing goes to whatever waits`()
        throws
    {
        var bench = MachineBench(.limits(total: 2, host: 2))
        let drip = Self.program("drip", number: 1, rate: 1, in: &bench)
        for identifier in 1...2 { bench.start(drip.client, identifier, host: "drip") }
        for _ in 0..<90 { Self.passSecond([drip], in: &bench) }
        #expect(bench.loading == [1, 2])
        let third = bench.start(drip.client, 3, host: "fast")
        bench.wait(10)
        #expect(bench.loading == [2, third])
        let wait = try #require(bench.wait(of: 1))
        #expect(wait.reason == .fairShare)
        #expect(wait.detail?.contains("256 bytes per second") == true)
        // Its bytes are kept.
        #expect(bench.stored(1)?.receivedByteCount == 90)
        #expect(bench.stored(1)?.attempts == 0 && bench.stored(1)?.lastError == nil)
        bench.finish(third)
        #expect(bench.loading == [1, 2])
    }

    @Test func `REL-3: the time for which an application was asked does not count as slow`() {
        var bench = MachineBench(.limits(total: 1, host: 1))
        let client = bench.open(configuration: .asking)
        _ = bench.subscribe(client)
        let asked = bench.start(client)
        bench.challenge(asked)
        bench.wait(3600)
        #expect(bench.answer(client) == .done)
        let next = bench.start(client, 2, host: "other")
        bench.wait(bench.machine.policy.trickleTime / 2)
        #expect(bench.loading == [asked])
        bench.wait(bench.machine.policy.trickleTime)
        #expect(bench.loading == [next])
    }

    @Test func `REL-3: who has left its place has it for twice as long the next time`() {
        var bench = MachineBench(.limits(total: 1, host: 1))
        let drip = Self.program("drip", number: 1, rate: 1, in: &bench)
        for identifier in 1...2 { bench.start(drip.client, identifier, host: "drip") }
        var turns: [Int] = []
        for _ in 0..<1000 {
            let before = bench.loading
            Self.passSecond([drip], in: &bench)
            if bench.loading != before || turns.isEmpty { turns.append(0) }
            turns[turns.count - 1] += 1
            #expect(bench.loading.count == 1)
        }
        let whole = turns.dropLast()
        #expect(whole.count >= 5 && (whole.max() ?? 0) >= 240, "\(turns)")
        #expect(whole.dropFirst().allSatisfy { $0 >= 60 }, "\(turns)")
    }

    /// Two programs, of which one has both places, as the transfer of the other brought next to nothing and has left its
    /// place.
    private static func programsAfterYield(in bench: inout MachineBench) -> [Program] {
        let drip = program("drip", number: 1, rate: 1, in: &bench)
        bench.start(drip.client, 1, host: "a")
        let quick = program("quick", number: 2, rate: 5000, in: &bench)
        bench.start(quick.client, 1, host: "a")
        for _ in 0..<90 { passSecond([drip, quick], in: &bench) }
        bench.start(quick.client, 2, host: "a")
        bench.wait(10)
        #expect(bench.loading == [2, 3])
        return [drip, quick]
    }

    @Test func `REL-3: who may have its place again while the queue is searched gets it`() throws {
        var bench = MachineBench(.limits(total: 2, host: 2))
        let programs = Self.programsAfterYield(in: &bench)
        let end = try #require(bench.wait(of: 1)?.until)
        bench.wait(end.timeIntervalSince(bench.now) - 1)
        bench.fire(.shares)
        let outcomes = bench.stepHoldingBack()
        bench.now += 2
        for outcome in outcomes { bench.take(outcome) }
        bench.settle()
        for _ in 0..<30 { Self.passSecond(programs, in: &bench) }
        #expect(bench.loading.contains(1))
    }

    @Test func `REL-3: a new task does not wait for another one that has left its place`() {
        var bench = MachineBench(.limits(total: 2, host: 2))
        let programs = Self.programsAfterYield(in: &bench)
        bench.wait(20)
        #expect(bench.loading == [2, 3])
        let late = Self.program("late", number: 3, rate: 5000, in: &bench)
        var create = Wire.CreateDownload.sample(late.client.session)
        create.resumed = true
        bench.settledCall(late.client) { [create, now = bench.now] in
            $0.createDownload(create, from: $1, at: now)
        }
        for _ in 0..<12 { Self.passSecond(programs + [late], in: &bench) }
        #expect(bench.loading.contains(4))
    }

    @Test func `REL-3: a slow line, and what is to be slow, keep their places`() {
        var bench = MachineBench(.limits(total: 2, host: 2))
        let modem = Self.program("modem", number: 1, rate: 1000, in: &bench)
        bench.start(modem.client, 1, host: "a")
        let slow = Self.program("slow", number: 2, rate: 10, in: &bench)
        bench.start(slow.client, 1, host: "b")
        bench.person { $0.setRates(SharedRates(receive: 10), ofTask: 2, from: $1) }
        bench.start(modem.client, 2, host: "a")
        bench.start(slow.client, 2, host: "b")
        for _ in 0..<600 { Self.passSecond([modem, slow], in: &bench) }
        #expect(bench.loading == [1, 2])
        #expect(bench.wait(of: 3)?.detail?.contains("1 of them its application's") == true)
    }

    @Test
    func `REL-3: an application that comes late gets a place of the host that another has filled`()
    {
        var bench = MachineBench(.limits(total: 9, host: 2))
        let first = Self.program("first", number: 1, rate: 5000, in: &bench)
        for identifier in 1...4 { bench.start(first.client, identifier, host: "a") }
        let second = Self.program("second", number: 2, rate: 5000, in: &bench)
        let late = bench.start(second.client, 1, host: "a")
        for _ in 0..<30 { Self.passSecond([first, second], in: &bench) }
        #expect(bench.loading.count == 2 && bench.loading.contains(late))
    }

    @Test func `REL-3: tasks for full hosts do not hide one that gets its share`() {
        var bench = MachineBench(.limits(total: 6, host: 3))
        let second = Self.program("second", number: 2, rate: 5000, in: &bench)
        for (identifier, host) in ["a", "b", "c"].enumerated() {
            bench.start(second.client, identifier + 1, host: host)
        }
        let first = Self.program("first", number: 1, rate: 5000, in: &bench)
        for (identifier, host) in ["a", "a", "b", "b"].enumerated() {
            bench.start(first.client, identifier + 1, host: host)
        }
        // The search for the second one's tasks begins behind this host, with the full ones.
        bench.finish(3)
        #expect(Self.places(bench) == ["first": 4, "second": 2])
        for identifier in 4...9 {
            bench.start(second.client, identifier, host: identifier < 7 ? "a" : "b")
        }
        let late = bench.start(second.client, 10, host: "c")
        for _ in 0..<60 { Self.passSecond([first, second], in: &bench) }
        #expect(bench.loading.contains(late))
        #expect(Self.places(bench) == ["first": 3, "second": 3])
    }

    @Test func `REL-3: what a server may be doing is not asked for again for another's share`() {
        var bench = MachineBench(.limits(total: 2, host: 2))
        let first = Self.program("first", number: 1, rate: 5000, in: &bench)
        for identifier in 1...2 {
            var create = Wire.CreateDownload.sample(first.client.session, identifier)
            create.request.method = "POST"
            create.resumed = true
            let now = bench.now
            bench.settledCall(first.client) { [create] in
                $0.createDownload(create, from: $1, at: now)
            }
        }
        let second = Self.program("second", number: 2, rate: 5000, in: &bench)
        let late = bench.start(second.client, 1, host: "a")
        bench.wait(600)
        #expect(bench.loading == [1, 2])
        // What no server would take so long for keeps its place from nobody.
        bench.wait(310)
        #expect(bench.loading.contains(late))
    }

    @Test func `REL-3: an upload that was sent is not sent again for another's share`() {
        var bench = MachineBench(.limits(total: 2, host: 2))
        let first = Self.program("first", number: 1, rate: 5000, in: &bench)
        for identifier in 1...2 {
            bench.startUpload(first.client, identifier)
            let task = Int64(identifier)
            bench.input { $0.sent(task: task, byteCount: task == 1 ? 500 : 100, at: $1) }
        }
        let second = Self.program("second", number: 2, rate: 5000, in: &bench)
        let late = bench.start(second.client, 1, host: "a")
        bench.wait(30)
        // The other one, of which the server does not have everything, has to go.
        #expect(bench.loading == [1, late])
    }

    @Test func `REL-3: connections that were lent come back before a transfer has to go`() {
        var bench = MachineBench(.limits(total: 6, host: 6))
        let first = Self.program("first", number: 1, rate: 5000, in: &bench)
        bench.start(first.client, 1, host: "a")
        let session = first.client.session
        let lent = (1...9).count { _ in
            bench.machine.lendConnection(task: 1, session: session, host: "a:80")
        }
        #expect(lent == 4)
        let second = Self.program("second", number: 2, rate: 5000, in: &bench)
        for identifier in 1...4 { bench.start(second.client, identifier, host: "a") }
        #expect(bench.loading == [1, 2])
        bench.wait(6)
        // As many as are its share, and no more; nobody has to start anew.
        #expect(bench.recalls.map(\.task) == [1, 1] && bench.recalls.first?.host == "a:80")
        for _ in bench.recalls {
            let isAwaited = bench.machine.takeBackConnection(
                task: 1,
                session: session,
                host: "a:80"
            )
            #expect(isAwaited)
            bench.input { $0.searchForTasks(at: $1) }
            bench.settle()
        }
        #expect(bench.loading == [1, 2, 3, 4])
    }

    @Test func `REL-3: who waits for its share gets it while other hosts' connections are lent`() {
        var bench = MachineBench(.limits(total: 12, host: 4))
        let first = Self.program("first", number: 1, rate: 5000, in: &bench)
        for identifier in 1...4 { bench.start(first.client, identifier, host: "a") }
        let session = first.client.session
        bench.start(first.client, 5, host: "b")
        bench.wait(30)
        let second = Self.program("second", number: 2, rate: 5000, in: &bench)
        let late = bench.start(second.client, 1, host: "a")
        for _ in 0..<30 where !bench.loading.contains(late) {
            bench.wait(2)
            let isLent = bench.machine.lendConnection(task: 5, session: session, host: "b:80")
            #expect(isLent)
            bench.wait(1)
            _ = bench.machine.takeBackConnection(task: 5, session: session, host: "b:80")
            bench.input { $0.searchForTasks(at: $1) }
            bench.settle()
        }
        #expect(bench.loading.contains(late))
    }

    @Test func `REL-3: a transfer that gives back nothing of what it was lent has to go itself`() {
        var bench = MachineBench(.limits(total: 4, host: 4))
        let first = Self.program("first", number: 1, rate: 5000, in: &bench)
        for identifier in 1...2 { bench.start(first.client, identifier, host: "a") }
        let isLent = bench.machine.lendConnection(
            task: 1,
            session: first.client.session,
            host: "a:80"
        )
        #expect(isLent)
        let second = Self.program("second", number: 2, rate: 5000, in: &bench)
        for identifier in 1...2 { bench.start(second.client, identifier, host: "a") }
        bench.wait(60)
        #expect(!bench.recalls.isEmpty)
        #expect(bench.loading.contains(4))
    }

    @Test func `REL-3: of the places that become free each application gets as many`() {
        var bench = MachineBench(.limits(total: 4, host: 4))
        let many = Self.program("many", number: 1, rate: 5000, in: &bench)
        for identifier in 1...40 { bench.start(many.client, identifier, host: "h\(identifier)") }
        let few = Self.program("few", number: 2, rate: 5000, in: &bench)
        for identifier in 1...10 { bench.start(few.client, identifier, host: "z") }
        for _ in 1...12 { if let task = bench.loading.first { bench.finish(task) } }
        #expect(Self.places(bench) == ["many": 2, "few": 2])
    }

    /// Two applications of which the second comes while the first has all places.
    ///
    /// - Parameters:
    ///   - keeps: Which of the first one's tasks can be gone on with.
    ///   - count: How many tasks the second one has.
    ///   - bench: The world.
    /// - Returns: The applications.
    private static func latecomer(
        keeps: [Bool],
        count: Int = 1,
        in bench: inout MachineBench
    ) -> [Program] {
        let first = program("first", number: 1, rate: 5000, in: &bench)
        for (index, keepsBytes) in keeps.enumerated() {
            let task = bench.start(first.client, index + 1, host: "a")
            if keepsBytes {
                answer(task, in: &bench)
            } else {
                bench.input {
                    $0.responded(task: task, response: .sample(), request: .sample(), at: $1)
                }
            }
            if index + 1 < keeps.count { passSecond([first], in: &bench) }
        }
        let second = program("second", number: 2, rate: 5000, in: &bench)
        for identifier in 1...count { bench.start(second.client, identifier, host: "b") }
        return [first, second]
    }

    @Test func `REL-3: who has one place less takes none from who has more`() {
        var bench = MachineBench(.limits(total: 3, host: 3))
        let programs = Self.latecomer(keeps: [true, true, true, true], count: 3, in: &bench)
        for _ in 0..<60 { Self.passSecond(programs, in: &bench) }
        #expect(Self.places(bench) == ["first": 2, "second": 1])
        let loading = bench.loading
        for _ in 0..<200 { Self.passSecond(programs, in: &bench) }
        #expect(bench.loading == loading)
    }

    @Test func `REL-3: what cannot be gone on with is not stopped for who has no place`() {
        var bench = MachineBench(.limits(total: 1, host: 1))
        let programs = Self.latecomer(keeps: [false], in: &bench)
        for _ in 0..<300 { Self.passSecond(programs, in: &bench) }
        #expect(bench.loading == [1])
    }

    @Test func `REL-3: of two that might go, the one goes that can be gone on with`() {
        var bench = MachineBench(.limits(total: 2, host: 2))
        let programs = Self.latecomer(keeps: [true, false], in: &bench)
        for _ in 0..<60 { Self.passSecond(programs, in: &bench) }
        #expect(bench.loading == [2, 3])
    }

    @Test func `REL-3: who has just begun keeps its place for a while`() {
        var bench = MachineBench(.limits(total: 2, host: 2))
        let first = Self.program("first", number: 1, rate: 5000, in: &bench)
        bench.start(first.client, 1, host: "a")
        for _ in 0..<15 { Self.passSecond([first], in: &bench) }
        bench.start(first.client, 2, host: "a")
        let second = Self.program("second", number: 2, rate: 5000, in: &bench)
        bench.start(second.client, 1, host: "b")
        for _ in 0..<10 { Self.passSecond([first, second], in: &bench) }
        #expect(bench.loading == [2, 3])
    }

    @Test func `REL-3: where nothing waits for a place nobody looks whose it is`() {
        var bench = MachineBench(.limits(total: 2, host: 2))
        let first = Self.program("first", number: 1, rate: 5000, in: &bench)
        for identifier in 1...2 { bench.start(first.client, identifier, host: "a") }
        for _ in 0..<60 { Self.passSecond([first], in: &bench) }
        #expect(bench.timers[.shares] == nil)
        // What comes to wait has it looked at, and again when something may have changed.
        let second = Self.program("second", number: 2, rate: 5000, in: &bench)
        bench.start(second.client, 1, host: "b")
        #expect(bench.timers[.shares] != nil)
        bench.wait(6)
        #expect(bench.loading == [2, 3])
    }
}
