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
        #expect(try await follower.run(following: .all) == .success)
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
}
