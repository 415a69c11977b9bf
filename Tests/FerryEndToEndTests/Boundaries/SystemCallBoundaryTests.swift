import FerrySystem
import FerryTestSupport
import Foundation
import Testing

@testable import FerryTransfer

/// ferryd is killed at its system calls, and each of them fails once.
///
/// `make test` tries some, others each time; `make boundaries` tries all, and writes
/// `docs/system-calls.md`.
@Suite(
    .serialized,
    .timeLimit(.minutes(ProcessEnvironment["FERRY_BOUNDARY_RESULTS"] == nil ? 4 : 1000)),
    .disabled(if: Sanitizer.isOn, "a sanitizer makes calls of its own, and does not outlive ENOMEM")
)
struct SystemCallBoundaryTests {
    /// How many runs `make test` makes.
    private static let sampleCount = 40

    @Test func `ferryd keeps its promises whichever system call kills it or fails`() async throws {
        let resultPath = ProcessEnvironment["FERRY_BOUNDARY_RESULTS"]
        // Of several runs the one with the fewest calls: its calls are most likely to come again.
        var calls = try await plainRun()
        for _ in 0..<(resultPath == nil ? 0 : 4) {
            let others = try await plainRun()
            if others.total < calls.total { calls = others }
        }
        #expect(calls.total > 500)

        let targets = try BoundarySweep.targets(of: calls, sample: Self.sampleCount)
        let sweep = BoundarySweep(targets: targets, resultPath: resultPath)
        let findings = try await sweep.run()
        for finding in findings {
            #expect(finding.outcome.faults == [], "FERRY_BOUNDARY='\(finding.target)' repeats it")
        }
        if resultPath == nil {
            #expect(findings.contains { $0.outcome.end != .notReached })
        }
    }

    /// The calls of a run to which nothing happens.
    private func plainRun() async throws -> CallCount {
        let run = try await BoundaryRun(nil)
        let outcome = try await run.run()
        #expect(outcome.faults == [])
        #expect(outcome.errors == [])
        #expect(outcome.end == .wentOn)
        // What there is to be swept over: the table of segments is written, and read again.
        let parts = run.server.requests(to: "/" + BoundaryScript.divided).map(\.range)
        #expect(parts.first == .some(nil))
        try #require(parts.count >= 4, "\(parts)")
        // What is missing is asked for up to where the other connection had begun.
        #expect(parts[2]?.hasSuffix("-") == false, "\(parts)")
        #expect(run.uploadServer.requests.map(\.method) == ["PUT", "HEAD", "PATCH"])
        return try run.calls
    }

    @Test func `the tracer kills before and after a call, and lets it fail, once`() async throws {
        for action in [BoundaryTarget.Action.killBefore, .killAfter, .fail("ENOSPC")] {
            let target = BoundaryTarget(
                call: "mkdirat",
                file: "~/.local/state/ferry/downloads",
                index: 1,
                action: action
            )
            let run = try await BoundaryRun(target)
            let home = run.home
            let events = run.events
            let daemon = try await TracedDaemon(in: home, events: events, target: target)
            _ = await events.next("hit")
            let isThere = FileManager.default.fileExists(atPath: home.state + "/downloads")
            switch action {
            case .killBefore, .killAfter:
                #expect(await events.next("end") == "end killed 9")
                #expect(isThere == (action == .killAfter))
            case .fail:
                #expect(await events.next("end") == "end exited 1")
                #expect(await daemon.complaintOnceStarted().contains("(ENOSPC)"))
                #expect(!isThere)
            }
            #expect(await daemon.ended() == .exited(status: 0))
        }
    }

    @Test func `the checks notice whatever is broken`() async throws {
        let run = try await BoundaryRun(nil)
        #expect(try await run.run().faults == [])
        let picture = run.home.files + "/picture"
        let left = run.home.state + "/downloads/left"

        let bytes = try Data(contentsOf: URL(filePath: picture))
        try (bytes.dropLast() + [bytes[bytes.count - 1] ^ 1]).write(to: URL(filePath: picture))
        #expect(try await run.judge().faults == ["picture has wrong bytes"])
        try bytes.write(to: URL(filePath: picture))

        try Data().write(to: URL(filePath: left))
        #expect(try await run.judge().faults == ["there is downloads/left"])
        try FileManager.default.removeItem(atPath: left)

        try execute("INSERT INTO host_queues VALUES ('host', 1, 0, 1, 1, 1)", in: run.home)
        #expect(try await run.judge().faults == ["SELECT count(*) FROM host_queues is 1, not 0"])
        try execute("DELETE FROM host_queues", in: run.home)

        let page = run.server.url("/page")
        let again = try await TestProcess.run("/usr/bin/curl", ["-s", page], environment: [:])
        #expect(again.exit == .exited(status: 0))
        let late = "page was asked for after its end"
        #expect(try await run.judge().faults == [late])

        run.events.write("completed 2 ok")
        _ = await run.events.next("completed 2")
        #expect(try await run.judge().faults == ["completed 2 was told 2 times", late])
    }

    @Test func `the checks notice whatever is wrong with an upload`() async throws {
        let run = try await BoundaryRun(nil)
        #expect(try await run.run().faults == [])

        let url = run.server.url("/sent")
        let again = try await TestProcess.run(
            "/usr/bin/curl",
            ["-s", "-X", "PUT", "-d", "other", url],
            environment: [:]
        )
        #expect(again.exit == .exited(status: 0))
        let late = [
            "sent has arrived 2 times", "sent has arrived with wrong bytes",
            "sent was sent after its end",
        ]
        #expect(try await run.judge().faults == late)

        let other = try await TestProcess.run(
            "/usr/bin/curl",
            ["-s", "-X", "PUT", "-d", "other", run.uploadServer.url("/resumed")],
            environment: [:]
        )
        #expect(other.exit == .exited(status: 0))
        let twice = [
            "resumed has arrived 2 times", "resumed has arrived with wrong bytes",
            "resumed was begun 2 times", "resumed was sent after its end",
        ]
        #expect(try await run.judge().faults == twice + late)

        let line = "data \(run.task("sent")) 200 thanks"
        run.events.write(line)
        _ = await run.events.next { $0 == line }
        let answer = "the answer to sent is \([line, line])"
        #expect(try await run.judge().faults == twice + [answer] + late)
    }

    @Test func `bytes of a part that are fetched twice are noticed`() {
        let remainder = BoundaryRun.Remainder(
            path: "/" + BoundaryScript.divided,
            written: ByteRanges([0..<100, 300..<400]),
            wholeByteCount: 600,
            firstRequest: 0
        )
        #expect(remainder.faults(of: ["bytes=100-299", "bytes=400-", "bytes=599-"]) == [])
        for range in ["bytes=99-299", "bytes=100-300", "bytes=100-", nil] {
            #expect(remainder.faults(of: [range]).count == 1)
        }
    }

    private func execute(_ statement: String, in home: TestHome) throws {
        try StateInspection.Database(of: home).execute(statement)
    }
}
