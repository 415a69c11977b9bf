import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

/// A transfer that brings next to nothing keeps no place from others.
@Suite(.timeLimit(.minutes(5))) struct TrickleTests {
    @Test func `REL-3: the place of a transfer that brings next to nothing goes to whatever waits`()
        throws
    {
        var bench = MachineBench(.limits(total: 2, host: 2))
        let drip = SharingProgram("drip", number: 1, rate: 1, in: &bench)
        for identifier in 1...2 { bench.start(drip.client, identifier, host: "drip") }
        for _ in 0..<90 { bench.passSecond([drip]) }
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
        bench.wait(bench.machine.policy.stallTime / 2)
        #expect(bench.loading == [asked])
        bench.wait(bench.machine.policy.stallTime)
        #expect(bench.loading == [next])
    }

    @Test func `REL-3: who has left its place has it for twice as long the next time`() {
        var bench = MachineBench(.limits(total: 1, host: 1))
        let drip = SharingProgram("drip", number: 1, rate: 1, in: &bench)
        for identifier in 1...2 { bench.start(drip.client, identifier, host: "drip") }
        var turns: [Int] = []
        for _ in 0..<1000 {
            let before = bench.loading
            bench.passSecond([drip])
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
    private static func programsAfterYield(in bench: inout MachineBench) -> [SharingProgram] {
        let drip = SharingProgram("drip", number: 1, rate: 1, in: &bench)
        bench.start(drip.client, 1, host: "a")
        let quick = SharingProgram("quick", number: 2, rate: 5000, in: &bench)
        bench.start(quick.client, 1, host: "a")
        for _ in 0..<90 { bench.passSecond([drip, quick]) }
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
        for _ in 0..<30 { bench.passSecond(programs) }
        #expect(bench.loading.contains(1))
    }

    @Test func `REL-3: a new task does not wait for another one that has left its place`() {
        var bench = MachineBench(.limits(total: 2, host: 2))
        let programs = Self.programsAfterYield(in: &bench)
        bench.wait(20)
        #expect(bench.loading == [2, 3])
        let late = SharingProgram("late", number: 3, rate: 5000, in: &bench)
        var create = Wire.CreateDownload.sample(late.client.session)
        create.resumed = true
        bench.settledCall(late.client) { [create] in
            $0.createDownload(create, from: $1)
        }
        for _ in 0..<12 { bench.passSecond(programs + [late]) }
        #expect(bench.loading.contains(4))
    }

    @Test func `REL-3: a slow line, and what is to be slow, keep their places`() {
        var bench = MachineBench(.limits(total: 2, host: 2))
        let modem = SharingProgram("modem", number: 1, rate: 1000, in: &bench)
        bench.start(modem.client, 1, host: "a")
        let slow = SharingProgram("slow", number: 2, rate: 10, in: &bench)
        bench.start(slow.client, 1, host: "b")
        bench.person { $0.setRates(SharedRates(receive: 10), ofTask: 2, from: $1) }
        bench.start(modem.client, 2, host: "a")
        bench.start(slow.client, 2, host: "b")
        for _ in 0..<600 { bench.passSecond([modem, slow]) }
        #expect(bench.loading == [1, 2])
        #expect(bench.wait(of: 3)?.detail?.contains("1 of them its application's") == true)
    }
}
