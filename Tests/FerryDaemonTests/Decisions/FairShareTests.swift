import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

/// Each application gets its share of the places.
@Suite(.timeLimit(.minutes(5))) struct FairShareTests {
    private static let hostile = "hostile"

    /// One that has 36 transfers of a byte per second from six hosts.
    private static func hostileProgram(in bench: inout MachineBench) -> SharingProgram {
        let program = SharingProgram(hostile, number: 1, rate: 1, in: &bench)
        for identifier in 1...36 {
            bench.start(program.client, identifier, host: "drip\(identifier % 6)")
        }
        return program
    }

    @Test
    func
        `REL-3: of 20 applications, one of them hostile, none has more than its share for a minute`()
    {
        var bench = MachineBench(DaemonPolicy())
        var programs = [Self.hostileProgram(in: &bench)]
        for _ in 0..<600 { bench.passSecond(programs) }
        // While nobody waits, nobody has to go.
        #expect(bench.placesByApplication == [Self.hostile: 32])
        for number in 2...20 {
            let program = SharingProgram(
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
        for _ in 0..<60 { bench.passSecond(programs) }
        for _ in 0..<600 {
            bench.passSecond(programs)
            let places = bench.placesByApplication
            #expect(places.count >= 19 && places.values.allSatisfy { $0 <= 2 }, "\(places)")
        }
    }

    @Test func `REL-3: more applications than places take turns`() {
        var bench = MachineBench(.limits(total: 4, host: 4))
        let programs = (1...6).map { number in
            let name = "app\(number)"
            let program = SharingProgram(name, number: Int64(number), rate: 5000, in: &bench)
            bench.start(program.client, 1, host: "host")
            return program
        }
        var seconds: [String: Int] = [:]
        for _ in 0..<1200 {
            bench.passSecond(programs)
            for name in bench.placesByApplication.keys { seconds[name, default: 0] += 1 }
            #expect(bench.placesByApplication.values.reduce(0, +) == 4)
        }
        #expect(seconds.count == 6 && seconds.values.allSatisfy { $0 > 600 }, "\(seconds)")
    }

    @Test
    func `REL-3: an application that comes late gets a place of the host that another has filled`()
    {
        var bench = MachineBench(.limits(total: 9, host: 2))
        let first = SharingProgram("first", number: 1, rate: 5000, in: &bench)
        for identifier in 1...4 { bench.start(first.client, identifier, host: "a") }
        let second = SharingProgram("second", number: 2, rate: 5000, in: &bench)
        let late = bench.start(second.client, 1, host: "a")
        for _ in 0..<30 { bench.passSecond([first, second]) }
        #expect(bench.loading.count == 2 && bench.loading.contains(late))
    }

    @Test func `REL-3: tasks for full hosts do not hide one that gets its share`() {
        var bench = MachineBench(.limits(total: 6, host: 3))
        let second = SharingProgram("second", number: 2, rate: 5000, in: &bench)
        for (identifier, host) in ["a", "b", "c"].enumerated() {
            bench.start(second.client, identifier + 1, host: host)
        }
        let first = SharingProgram("first", number: 1, rate: 5000, in: &bench)
        for (identifier, host) in ["a", "a", "b", "b"].enumerated() {
            bench.start(first.client, identifier + 1, host: host)
        }
        // The search for the second one's tasks begins behind this host, with the full ones.
        bench.finish(3)
        #expect(bench.placesByApplication == ["first": 4, "second": 2])
        for identifier in 4...9 {
            bench.start(second.client, identifier, host: identifier < 7 ? "a" : "b")
        }
        let late = bench.start(second.client, 10, host: "c")
        for _ in 0..<60 { bench.passSecond([first, second]) }
        #expect(bench.loading.contains(late))
        #expect(bench.placesByApplication == ["first": 3, "second": 3])
    }

    @Test func `REL-3: what a server may be doing is not asked for again for another's share`() {
        var bench = MachineBench(.limits(total: 2, host: 2))
        let first = SharingProgram("first", number: 1, rate: 5000, in: &bench)
        for identifier in 1...2 {
            var create = Wire.CreateDownload.sample(first.client.session, identifier)
            create.request.method = "POST"
            create.resumed = true
            bench.settledCall(first.client) { [create] in
                $0.createDownload(create, from: $1)
            }
        }
        let second = SharingProgram("second", number: 2, rate: 5000, in: &bench)
        let late = bench.start(second.client, 1, host: "a")
        bench.wait(600)
        #expect(bench.loading == [1, 2])
        // What no server would take so long for keeps its place from nobody.
        bench.wait(310)
        #expect(bench.loading.contains(late))
    }

    @Test func `REL-3: an upload that was sent is not sent again for another's share`() {
        var bench = MachineBench(.limits(total: 2, host: 2))
        let first = SharingProgram("first", number: 1, rate: 5000, in: &bench)
        for identifier in 1...2 {
            bench.startUpload(first.client, identifier)
            let task = TaskID(Int64(identifier))
            bench.input { $0.sent(task: task, byteCount: task == 1 ? 500 : 100) }
        }
        let second = SharingProgram("second", number: 2, rate: 5000, in: &bench)
        let late = bench.start(second.client, 1, host: "a")
        bench.wait(30)
        // The other one, of which the server does not have everything, has to go.
        #expect(bench.loading == [1, late])
    }

    @Test func `REL-3: connections that were lent come back before a transfer has to go`() {
        var bench = MachineBench(.limits(total: 6, host: 6))
        let first = SharingProgram("first", number: 1, rate: 5000, in: &bench)
        bench.start(first.client, 1, host: "a")
        let session = first.client.sessionID
        #expect(bench.lendAll(of: session) == 4)
        let second = SharingProgram("second", number: 2, rate: 5000, in: &bench)
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
            bench.input { $0.searchForTasks() }
            bench.settle()
        }
        #expect(bench.loading == [1, 2, 3, 4])
    }

    @Test func `REL-3: who has returned what was recalled is asked for more when others come`() {
        var bench = MachineBench(.limits(total: 6, host: 6))
        let first = SharingProgram("first", number: 1, rate: 5000, in: &bench)
        bench.start(first.client, 1, host: "a")
        let session = first.client.sessionID
        #expect(bench.lendAll(of: session) == 4)
        var recallCount = 0
        for (name, number, count) in [("second", 2, 3), ("third", 3, 1)] {
            let next = SharingProgram(name, number: Int64(number), rate: 5000, in: &bench)
            for identifier in 1...count { bench.start(next.client, identifier, host: "a") }
            bench.wait(6)
            for _ in bench.recalls.dropFirst(recallCount) {
                _ = bench.machine.takeBackConnection(task: 1, session: session, host: "a:80")
                bench.input { $0.searchForTasks() }
                bench.settle()
            }
            recallCount = bench.recalls.count
        }
        #expect(bench.recalls.map(\.task) == [1, 1, 1])
        #expect(bench.placesByApplication == ["first": 1, "second": 3, "third": 1])
    }

    @Test func `REL-3: a recall counts from the first connection, until the last one is back`() {
        var lent = DaemonStateMachine.LentConnections()
        for host in ["a", "a", "b"] { lent.lend(to: host) }
        lent.revoke(at: moment(1))
        lent.revoke(at: moment(2))
        #expect(lent.revokedAt == moment(1))
        // It was not lent.
        lent.takeBack(from: "c")
        lent.takeBack(from: "a")
        #expect(lent.revokedAt == moment(1))
        lent.takeBack(from: "b")
        #expect(lent.revokedAt == nil)
        lent.revoke(at: moment(9))
        #expect(lent.revokedAt == moment(9))
    }

    @Test func `REL-3: who waits for its share gets it while other hosts' connections are lent`() {
        var bench = MachineBench(.limits(total: 12, host: 4))
        let first = SharingProgram("first", number: 1, rate: 5000, in: &bench)
        for identifier in 1...4 { bench.start(first.client, identifier, host: "a") }
        let session = first.client.sessionID
        bench.start(first.client, 5, host: "b")
        bench.wait(30)
        let second = SharingProgram("second", number: 2, rate: 5000, in: &bench)
        let late = bench.start(second.client, 1, host: "a")
        for _ in 0..<30 where !bench.loading.contains(late) {
            bench.wait(2)
            let isLent = bench.machine.lendConnection(task: 5, session: session, host: "b:80")
            #expect(isLent)
            bench.wait(1)
            _ = bench.machine.takeBackConnection(task: 5, session: session, host: "b:80")
            bench.input { $0.searchForTasks() }
            bench.settle()
        }
        #expect(bench.loading.contains(late))
    }

    @Test func `REL-3: a transfer that gives back nothing of what it was lent has to go itself`() {
        var bench = MachineBench(.limits(total: 4, host: 4))
        let first = SharingProgram("first", number: 1, rate: 5000, in: &bench)
        for identifier in 1...2 { bench.start(first.client, identifier, host: "a") }
        let isLent = bench.machine.lendConnection(
            task: 1,
            session: first.client.sessionID,
            host: "a:80"
        )
        #expect(isLent)
        let second = SharingProgram("second", number: 2, rate: 5000, in: &bench)
        for identifier in 1...2 { bench.start(second.client, identifier, host: "a") }
        bench.wait(60)
        #expect(!bench.recalls.isEmpty)
        #expect(bench.loading.contains(4))
    }

    @Test func `REL-3: of the places that become free each application gets as many`() {
        var bench = MachineBench(.limits(total: 4, host: 4))
        let many = SharingProgram("many", number: 1, rate: 5000, in: &bench)
        for identifier in 1...40 { bench.start(many.client, identifier, host: "h\(identifier)") }
        let few = SharingProgram("few", number: 2, rate: 5000, in: &bench)
        for identifier in 1...10 { bench.start(few.client, identifier, host: "z") }
        for _ in 1...12 { if let task = bench.loading.first { bench.finish(task) } }
        #expect(bench.placesByApplication == ["many": 2, "few": 2])
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
    ) -> [SharingProgram] {
        let first = SharingProgram("first", number: 1, rate: 5000, in: &bench)
        for (index, keepsBytes) in keeps.enumerated() {
            let task = bench.start(first.client, index + 1, host: "a")
            if keepsBytes {
                bench.answer(task)
            } else {
                bench.input {
                    $0.responded(task: task, response: .sample(), request: .sample())
                }
            }
            if index + 1 < keeps.count { bench.passSecond([first]) }
        }
        let second = SharingProgram("second", number: 2, rate: 5000, in: &bench)
        for identifier in 1...count { bench.start(second.client, identifier, host: "b") }
        return [first, second]
    }

    @Test func `REL-3: who has one place less takes none from who has more`() {
        var bench = MachineBench(.limits(total: 3, host: 3))
        let programs = Self.latecomer(keeps: [true, true, true, true], count: 3, in: &bench)
        for _ in 0..<60 { bench.passSecond(programs) }
        #expect(bench.placesByApplication == ["first": 2, "second": 1])
        let loading = bench.loading
        for _ in 0..<200 { bench.passSecond(programs) }
        #expect(bench.loading == loading)
    }

    @Test func `REL-3: what cannot be gone on with is not stopped for who has no place`() {
        var bench = MachineBench(.limits(total: 1, host: 1))
        let programs = Self.latecomer(keeps: [false], in: &bench)
        for _ in 0..<300 { bench.passSecond(programs) }
        #expect(bench.loading == [1])
    }

    @Test func `REL-3: of two that might go, the one goes that can be gone on with`() {
        var bench = MachineBench(.limits(total: 2, host: 2))
        let programs = Self.latecomer(keeps: [true, false], in: &bench)
        for _ in 0..<60 { bench.passSecond(programs) }
        #expect(bench.loading == [2, 3])
    }

    @Test func `REL-3: who has just begun keeps its place for a while`() {
        var bench = MachineBench(.limits(total: 2, host: 2))
        let first = SharingProgram("first", number: 1, rate: 5000, in: &bench)
        bench.start(first.client, 1, host: "a")
        for _ in 0..<15 { bench.passSecond([first]) }
        bench.start(first.client, 2, host: "a")
        let second = SharingProgram("second", number: 2, rate: 5000, in: &bench)
        bench.start(second.client, 1, host: "b")
        for _ in 0..<10 { bench.passSecond([first, second]) }
        #expect(bench.loading == [2, 3])
    }

    @Test func `REL-3: where nothing waits for a place nobody looks whose it is`() {
        var bench = MachineBench(.limits(total: 2, host: 2))
        let first = SharingProgram("first", number: 1, rate: 5000, in: &bench)
        for identifier in 1...2 { bench.start(first.client, identifier, host: "a") }
        for _ in 0..<60 { bench.passSecond([first]) }
        #expect(bench.timers[.shares] == nil)
        // What comes to wait has it looked at, and again when something may have changed.
        let second = SharingProgram("second", number: 2, rate: 5000, in: &bench)
        bench.start(second.client, 1, host: "b")
        #expect(bench.timers[.shares] != nil)
        bench.wait(6)
        #expect(bench.loading == [2, 3])
    }
}

extension MachineBench {
    /// Lends the first task of a session all connections that it can have, and returns their number.
    fileprivate mutating func lendAll(of session: SessionID) -> Int {
        (1...9).count { _ in machine.lendConnection(task: 1, session: session, host: "a:80") }
    }
}
