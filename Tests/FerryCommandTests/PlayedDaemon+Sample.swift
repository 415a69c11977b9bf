import Ferry
import Foundation

@testable import FerryCommand

extension PlayedDaemon {
    /// A daemon with a transfer of each state.
    static func sample() throws -> PlayedDaemon {
        let retry = TransferDaemon.Transfer.Wait(reason: .hostLimit)
        return PlayedDaemon(
            transfers: [
                try .sample(1),
                try .sample(2, state: .waiting, received: 0, expected: nil, wait: retry),
                try .sample(3, state: .completed, status: 404),
                try .sample(4, application: "ferry", state: .suspended, expected: nil),
            ]
        )
    }
}

extension TransferDaemon.Status {
    /// A status with a figure of its own in each place.
    static func sample(log: TransferDaemon.Status.Log) -> TransferDaemon.Status {
        TransferDaemon.Status(
            version: "0.1.0",
            processIdentifier: 4711,
            started: Date(timeIntervalSince1970: 1_790_000_000),
            sockets: [
                "/run/user/1000/ferry/io.ferry.Transfer", "/home/a/.local/state/ferry/run/s",
            ],
            stateDirectory: "/home/a/.local/state/ferry",
            log: log,
            runningCount: 1,
            waitingCount: 2,
            suspendedCount: 3,
            sessionCount: 4,
            connectionCount: 5
        )
    }
}
