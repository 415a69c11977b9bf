import Ferry
import Foundation
import Testing

@testable import FerryCommand

@Suite(.timeLimit(.minutes(1))) struct TransferFollowerTests {
    /// Follows transfers until a session has told of each that it was saved.
    ///
    /// - Returns: What was written to a terminal at standard error.
    private func followed(_ count: Int) async throws -> String {
        let recording = Recording()
        let context = Context(
            console: recording.console(errorSize: TerminalSize(columns: 60, rows: 5)),
            daemon: PlayedDaemon(isSteady: true).daemon,
            now: { Date(timeIntervalSince1970: 0) },
            instant: { .zero },
            interrupts: { AsyncStream { _ in } },
            environment: [:]
        )
        let rows = try (1...count).map { TransferRow(try TransferDaemon.Transfer.sample($0)) }
        let mailbox = TransferFollower.Mailbox()
        for row in rows {
            mailbox.send(.ended(row.id, .saved(path: "/tmp/\(row.name)", byteCount: 1000)))
        }
        var follower = TransferFollower(
            TransferWatch(rows, isOwn: { _ in true }),
            style: .full,
            mailbox: mailbox,
            context: context
        )
        #expect(try await follower.run { .all } == .success)
        return recording.error
    }

    /// How often the region was drawn again.
    private func redrawCount(_ text: String) -> Int { text.components(separatedBy: "\r").count / 4 }

    @Test func `each end of a few transfers is shown at once`() async throws {
        let error = try await followed(50)
        #expect(redrawCount(error) >= 50)
        #expect(error.contains("50 of 50 done"))
    }

    @Test func `the ends of many transfers are shown together, and the last state in any case`()
        async throws
    {
        let error = try await followed(5000)
        #expect(redrawCount(error) < 10)
        #expect(error.contains("5000 of 5000 done"))
    }

    /// Follows all transfers of a daemon that is killed after some changes, and of the next one.
    private func outcomes(of daemon: PlayedDaemon) async throws -> [Int: Outcome?] {
        let recording = Recording()
        let context = Context(
            console: recording.console(),
            daemon: daemon.daemon,
            now: { Date(timeIntervalSince1970: 0) },
            instant: { .zero },
            interrupts: { AsyncStream { _ in } },
            environment: [:]
        )
        var follower = TransferFollower(
            TransferWatch([], isOwn: { _ in false }),
            style: .quiet,
            mailbox: TransferFollower.Mailbox(),
            context: context
        )
        _ = try await follower.run { .all }
        let outcomes = follower.rows.compactMap { row in row.number.map { ($0, row.outcome) } }
        return Dictionary(uniqueKeysWithValues: outcomes)
    }

    @Test func `of many transfers, those that the first changes leave out are not gone`()
        async throws
    {
        let all = try (1...5).map { try TransferDaemon.Transfer.sample($0) }
        let done = try (1...5).map {
            try TransferDaemon.Transfer.sample($0, state: .completed, status: 200)
        }
        let daemon = PlayedDaemon(
            transfers: all,
            changes: [
                [
                    .init(updated: [all[0]], removed: []),
                    .init(updated: Array(all[1...]), removed: []),
                    .init(updated: done, removed: []),
                ]
            ],
            isSteady: true
        )
        let outcomes = try await outcomes(of: daemon)
        #expect(outcomes == Dictionary(uniqueKeysWithValues: (1...5).map { ($0, .completed) }))
    }

    @Test func `what has ended before another ferryd was asked ended as that remembers`()
        async throws
    {
        let all = try (1...3).map { try TransferDaemon.Transfer.sample($0) }
        let daemon = PlayedDaemon(
            transfers: all,
            ended: [.sample(2, status: 404)],
            changes: [
                [.init(updated: all, removed: [])],
                [.init(updated: [all[2]], removed: []), .init(updated: [], removed: [3])],
            ],
            isSteady: false
        )
        daemon.loseTransfers([1, 2], atStream: 2)
        let outcomes = try await outcomes(of: daemon)
        #expect(outcomes[1] == .gone)
        #expect(outcomes[3] == .gone)
        guard case .failed(let reason)?? = outcomes[2] else {
            Issue.record("not failed")
            return
        }
        #expect(reason.code == "httpStatus")
    }
}
