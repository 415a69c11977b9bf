import Ferry
import FerryTestSupport
import Foundation
import Testing

@testable import FerryCommand

/// What the commands say of transfers that have ended and are gone.
@Suite(.timeLimit(.minutes(1))) struct EndedTransferTests {
    private typealias Ended = TransferDaemon.EndedTransfer

    /// A transfer that has ended, what is said of it, its event and the exit code of `ferry watch`.
    struct Case: Sendable, CustomTestStringConvertible {
        var transfer: TransferDaemon.EndedTransfer
        var sentence: String
        var event: String
        var code: ExitCode

        var testDescription: String { sentence }
    }

    /// The time of the end, where the test runs.
    private static let time = Date(timeIntervalSince1970: 1_790_000_000)
        .text(now: Date(timeIntervalSince1970: 1_790_000_060))

    static let cases = [
        Case(
            transfer: .sample(path: "/home/ana/debian.iso"),
            sentence: "debian.iso was saved as /home/ana/debian.iso at \(time)",
            event: "saved",
            code: .success
        ),
        // USE-19: it is not where it belongs.
        Case(
            transfer: .sample(
                taskDescription: #"{"directory":"/home/ana/films","permissions":420}"#,
                path: "/home/ana/.local/share/ferry/unplaced/debian.iso"
            ),
            sentence: "debian.iso failed at \(time): it could not be saved in /home/ana/films; "
                + "the file is kept as /home/ana/.local/share/ferry/unplaced/debian.iso",
            event: "failed",
            code: .fileUnusable
        ),
        Case(
            transfer: .sample(failure: .init(code: "timedOut", message: "it took too long")),
            sentence: "big.iso failed at \(time): it took too long",
            event: "failed",
            code: .noConnection
        ),
        Case(
            transfer: .sample(
                failure: .init(code: "resourceTimedOut", message: "longer than its session allows")
            ),
            sentence: "big.iso failed at \(time): longer than --give-up-after allows",
            event: "failed",
            code: .noConnection
        ),
        Case(
            transfer: .sample(failure: .init(code: "cancelled", message: "it was cancelled")),
            sentence: "big.iso was cancelled at \(time)",
            event: "failed",
            code: .failure
        ),
        Case(
            transfer: .sample(status: 404),
            sentence: "big.iso failed at \(time): the server answered 404 Not Found",
            event: "failed",
            code: .badResponse
        ),
        Case(
            transfer: .sample(application: "org.example.App", status: 200),
            sentence: "big.iso was downloaded for org.example.App at \(time)",
            event: "completed",
            code: .success
        ),
        Case(
            transfer: .sample(
                application: "org.example.App",
                upload: .init(byteCount: 5, sentByteCount: 5)
            ),
            sentence: "big.iso was sent for org.example.App at \(time)",
            event: "completed",
            code: .success
        ),
        Case(
            transfer: .sample(application: "gone", isDiscarded: true),
            sentence:
                "big.iso failed at \(time): its file was removed, as the user wanted, before gone took it",
            event: "failed",
            code: .failure
        ),
    ]

    @Test(arguments: cases)
    func `USE-10: watch says what became of a transfer, and exits as if it had watched that`(
        ended: Case
    ) async {
        let daemon = PlayedDaemon(ended: [ended.transfer])
        let run = await CommandLineRun("watch 12", daemon: daemon)
        #expect(run.error == "ferry: \(ended.sentence)\n")
        #expect(
            run.output
                == (ended.code == .success ? ended.transfer.path.map { $0 + "\n" } ?? "" : "")
        )
        #expect(run.code == ended.code)
        let json = await CommandLineRun("watch --json 12", daemon: daemon)
        #expect(json.output.contains(#""event":"\#(ended.event)""#), "\(json.output)")
        #expect(json.error == "")
        #expect(json.code == ended.code)
    }

    @Test(arguments: cases)
    func `USE-10: why says what became of a transfer`(ended: Case) async {
        let daemon = PlayedDaemon(ended: [ended.transfer])
        let run = await CommandLineRun("why 12", daemon: daemon)
        #expect(run.output == "12  https://example.org/files/big.iso\n\(ended.sentence).\n")
        #expect(run.code == .success)
        let json = await CommandLineRun("why --json 12", daemon: daemon)
        #expect(json.output.contains(#""ended":"2026-09-21T14:13:20Z""#), "\(json.output)")
    }

    @Test(arguments: ["pause", "resume", "cancel", "limit 5k", "priority 1", "relink http://a/b"])
    func `USE-10: what cannot be done any more says why`(line: String) async throws {
        let daemon = PlayedDaemon(
            transfers: [try .sample(1)],
            ended: [.sample(path: "/home/ana/debian.iso")]
        )
        let run = await CommandLineRun("\(line) 12", daemon: daemon)
        #expect(
            run.error
                == "ferry: 12: it has ended: debian.iso was saved as /home/ana/debian.iso at \(Self.time)\n"
        )
        #expect(run.code == .notFound)
    }

    @Test func `USE-10: of several transfers those that have ended are told first`() async throws {
        let done = try TransferDaemon.Transfer.sample(
            1,
            state: .completed,
            status: 200,
            received: 1000
        )
        let daemon = PlayedDaemon(
            transfers: [try .sample(1)],
            ended: [.sample(failure: .init(code: "timedOut", message: "late"))],
            changes: [[TransferDaemon.Changes(updated: [done], removed: [])]]
        )
        let run = await CommandLineRun("watch 1 12", daemon: daemon)
        #expect(
            run.error == """
                ferry: big.iso failed at \(Self.time): late
                ferry: big.iso: done, 1000 B

                """
        )
        #expect(run.code == .noConnection)
    }

    @Test func `USE-10: what another process has saved meanwhile is told by its path`() async throws
    {
        let daemon = PlayedDaemon(
            transfers: [try .sample(1)],
            ended: [.sample(1, path: "/home/ana/debian.iso")],
            changes: [
                [
                    TransferDaemon.Changes(updated: [try .sample(1)], removed: []),
                    TransferDaemon.Changes(updated: [], removed: [1]),
                ]
            ]
        )
        let run = await CommandLineRun("watch 1", daemon: daemon)
        #expect(run.output == "/home/ana/debian.iso\n")
        #expect(
            run.error.hasSuffix("ferry: big.iso: saved as debian.iso, 1000 B\n"),
            "\(run.error)"
        )
        #expect(run.code == .success)
    }
}
