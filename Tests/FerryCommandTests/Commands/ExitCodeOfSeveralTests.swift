import Ferry
import Foundation
import Testing

@testable import FerryCommand

/// What a command for several transfers tells the shell.
@Suite(.timeLimit(.minutes(5))) struct ExitCodeOfSeveralTests {
    private func code(
        _ failures: [Int: TransferDaemonError.Code]
    ) async throws -> (code: ExitCode, tried: [Int]) {
        let recording = Recording()
        let context = Context(
            console: recording.console(outputSize: nil),
            daemon: PlayedDaemon().daemon,
            now: { Date() },
            instant: { .zero },
            interrupts: { AsyncStream { $0.finish() } },
            environment: [:]
        )
        nonisolated(unsafe) var tried: [Int] = []
        let code = try await context.forEach([1, 2, 3]) { number in
            tried.append(number)
            guard let failure = failures[number] else { return }
            throw TransferDaemonError(failure, message: "no")
        }
        return (code, tried)
    }

    @Test func `the first failure counts, and all are tried`() async throws {
        let first = try await code([1: .transferNotFound, 2: .storeUnavailable])
        #expect(first == (.notFound, [1, 2, 3]))
        let second = try await code([2: .storeUnavailable, 3: .transferNotFound])
        #expect(second == (.failure, [1, 2, 3]))
        let none = try await code([:])
        #expect(none == (.success, [1, 2, 3]))
    }

    @Test func `nobody is asked further who is not there`() async {
        await #expect(throws: TransferDaemonError.self) {
            _ = try await code([1: .notRunning])
        }
    }
}
