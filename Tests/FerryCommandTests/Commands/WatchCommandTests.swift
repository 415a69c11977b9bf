import Ferry
import FerryTestSupport
import Foundation
import Testing

@testable import FerryCommand

/// What `ferry watch` tells, and how it ends.
@Suite(.timeLimit(.minutes(1))) struct WatchCommandTests {
    private typealias Transfer = TransferDaemon.Transfer

    @Test func `watch tells what happens until all is over, also over the death of ferryd`()
        async throws
    {
        let first = TransferDaemon.Changes(updated: [try .sample(1)], removed: [])
        let more = TransferDaemon.Changes(updated: [try .sample(1, received: 900)], removed: [])
        let done = try Transfer.sample(1, state: .completed, status: 200, received: 1000)
        let daemon = PlayedDaemon(
            transfers: [try .sample(1)],
            changes: [[first, more], [TransferDaemon.Changes(updated: [done], removed: [])]]
        )
        let run = await CommandLineRun("watch 1", daemon: daemon)
        #expect(
            run.error == """
                ferry: big.iso: 450 B of 1000 B, 45%
                ferry: big.iso: done, 1000 B

                """
        )
        #expect(run.output == "")
        #expect(run.code == .success)
    }

    @Test func `watch --json writes each change`() async throws {
        let waiting = try Transfer.sample(1, state: .suspended, wait: .init(reason: .paused))
        let failed = try Transfer.sample(
            1,
            state: .completed,
            failure: Transfer.Failure(code: "timedOut", message: "too slow")
        )
        let daemon = PlayedDaemon(
            transfers: [try .sample(1)],
            changes: [
                [[waiting], [waiting], [failed]].map {
                    TransferDaemon.Changes(updated: $0, removed: [])
                }
            ]
        )
        let run = await CommandLineRun("watch --json 1", daemon: daemon)
        #expect(
            run.output == """
                {"event":"waiting","expected":1000,"id":1,"received":450,\
                "url":"https://example.org/files/big.iso","wait":"paused"}
                {"code":"timedOut","event":"failed","expected":1000,"id":1,"message":"too slow",\
                "received":450,"url":"https://example.org/files/big.iso"}

                """
        )
        #expect(run.code == .noConnection)
    }

    @Test func `watch of nothing says so`() async {
        let daemon = PlayedDaemon(changes: [[TransferDaemon.Changes(updated: [], removed: [])]])
        let run = await CommandLineRun("watch", daemon: daemon)
        #expect(run.error == "ferry: nothing is under way\n")
        #expect(run.code == .success)
    }

    @Test func `watch goes on after a ferryd that dies before it answers`() async {
        let daemon = PlayedDaemon(changes: [[], [TransferDaemon.Changes(updated: [], removed: [])]])
        let run = await CommandLineRun("watch", daemon: daemon)
        #expect(run.error == "ferry: nothing is under way\n")
        #expect(run.code == .success)
    }

    @Test(arguments: [0, 4])
    func `watch goes on however many ferryds die, as long as the fifth in a row answers`(
        mute: Int
    ) async throws {
        let present = TransferDaemon.Changes(updated: [try .sample(1)], removed: [])
        let done = try Transfer.sample(1, state: .completed, status: 200, received: 1000)
        let lives: [[TransferDaemon.Changes]] = Array(repeating: [], count: mute) + [[present]]
        let daemon = PlayedDaemon(
            transfers: [try .sample(1)],
            changes: Array(repeating: lives, count: 10).flatMap(\.self)
                + [[TransferDaemon.Changes(updated: [done], removed: [])]]
        )
        let run = await CommandLineRun("watch 1", daemon: daemon)
        #expect(run.error.hasSuffix("ferry: big.iso: done, 1000 B\n"))
        #expect(run.code == .success)
    }

    @Test func `watch of a ferryd that never answers is exit code 4`() async throws {
        let run = await CommandLineRun("watch", daemon: PlayedDaemon())
        #expect(run.error == "ferry: ferryd is gone.\n")
        #expect(run.code == .unreachable)
    }

    @Test func `Ctrl-C ends the watching with 130`() async throws {
        let daemon = PlayedDaemon(
            transfers: [try .sample(1)],
            changes: [[TransferDaemon.Changes(updated: [try .sample(1)], removed: [])]],
            isSteady: true
        )
        let run = await CommandLineRun("watch 1", daemon: daemon, interrupts: 1)
        #expect(run.code == .interrupted)
    }
}
