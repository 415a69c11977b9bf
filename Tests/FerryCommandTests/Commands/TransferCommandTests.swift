import Ferry
import FerryTestSupport
import Foundation
import Testing

@testable import FerryCommand

/// What the commands about one transfer do, and what they tell the shell.
@Suite(.timeLimit(.minutes(1))) struct TransferCommandTests {
    @Test(arguments: ["pause", "resume", "cancel"])
    func `a command for several transfers goes on after one that is not there`(
        name: String
    ) async throws {
        let daemon = try PlayedDaemon.sample()
        let run = await CommandLineRun("\(name) 1 99 2", daemon: daemon)
        #expect(daemon.calls == ["\(name) 1", "\(name) 2"])
        #expect(run.error == "ferry: 99: There is no transfer 99.\n")
        #expect(run.code == .notFound)
    }

    @Test func `resume --now lets transfers run whatever the conditions are`() async throws {
        let daemon = try PlayedDaemon.sample()
        let run = await CommandLineRun("resume --now 1 2", daemon: daemon)
        #expect(daemon.calls == ["resume now 1", "resume now 2"])
        #expect(run.code == .success)
    }

    @Test func `API-18: cancel says what has become of a transfer that was over`() async throws {
        let daemon = PlayedDaemon(
            transfers: [
                try .sample(1, application: "gone", state: .completed),
                try .sample(2, application: "there", state: .completed),
                try .sample(3),
            ]
        )
        let run = await CommandLineRun("cancel 1 2 3", daemon: daemon)
        #expect(
            run.output == """
                1 was over; it is forgotten, with its file.
                2 is over; there, which is running, is notified of it.

                """
        )
        #expect(run.code == .success)
    }

    @Test func `what has happened to others is told when ferryd is lost at one`() async throws {
        let daemon = PlayedDaemon(
            transfers: try [1, 2, 3].map {
                try .sample($0, application: "gone", state: .completed)
            }
        )
        daemon.disconnect(at: 2)
        let run = await CommandLineRun("cancel 1 2 3", daemon: daemon)
        #expect(
            run.output == """
                1 was over; it is forgotten, with its file.
                3 was over; it is forgotten, with its file.

                """
        )
        #expect(run.error == "ferry: ferryd has gone.\n")
        #expect(run.code == .unreachable)
    }

    @Test func `why explains`() async throws {
        let run = await CommandLineRun("why 2", daemon: try PlayedDaemon.sample())
        #expect(
            run.output == """
                2  https://example.org/files/big.iso
                It waits for its turn: as many transfers from example.org are running as are allowed.

                """
        )
        #expect(run.code == .success)
    }

    @Test func `why --json writes the same object as list`() async throws {
        let why = await CommandLineRun("why 1 --json", daemon: try PlayedDaemon.sample())
        let list = await CommandLineRun("list --json --limit 1", daemon: try PlayedDaemon.sample())
        #expect(why.output == list.output)
    }

    @Test func `a transfer that is not there is exit code 3`() async throws {
        for line in ["why 99", "watch 99"] {
            let run = await CommandLineRun(line, daemon: try PlayedDaemon.sample())
            #expect(run.error == "ferry: There is no transfer 99.\n")
            #expect(run.code == .notFound)
        }
    }

    @Test func `relink gives a transfer another address`() async throws {
        let daemon = try PlayedDaemon.sample()
        let run = await CommandLineRun("relink https://example.org/new 1", daemon: daemon)
        #expect(daemon.calls == ["relink to https://example.org/new 1"])
        #expect(run.code == .success)
    }

    @Test(arguments: ["relink 1 https://example.org/", "relink ftp://a/ 1", "relink http://a/ 1 2"])
    func `an address is one of the web, and that of one transfer`(line: String) async throws {
        let daemon = try PlayedDaemon.sample()
        let run = await CommandLineRun(line, daemon: daemon)
        #expect(daemon.calls == [])
        #expect(run.code == .usage)
    }

    @Test func `priority holds for each transfer`() async throws {
        let daemon = try PlayedDaemon.sample()
        let run = await CommandLineRun("priority 0.75 1 99 2", daemon: daemon)
        #expect(daemon.calls == ["priority 0.75 1", "priority 0.75 2"])
        #expect(run.code == .notFound)
    }

    @Test(arguments: ["0", "1"])
    func `the least and the greatest priority are some, too`(priority: String) async throws {
        let daemon = try PlayedDaemon.sample()
        let run = await CommandLineRun("priority \(priority) 1", daemon: daemon)
        #expect(daemon.calls == ["priority \(priority).0 1"])
        #expect(run.code == .success)
    }

    @Test(arguments: ["priority high 1", "priority 2 1", "priority 0.5"])
    func `a priority is a number from 0 to 1`(line: String) async throws {
        let run = await CommandLineRun(line, daemon: try PlayedDaemon.sample())
        #expect(run.code == .usage)
    }

    @Test(
        arguments: [
            ("limit 500k", "limit 500000 -1"), ("limit 1.5MiB -u 2M", "limit 1572864 2000000"),
            ("limit none", "limit -1 -1"), ("limit 7 2", "limit 7 -1 2"),
        ]
    )
    func `limit is for all transfers, or for some`(line: String, call: String) async throws {
        let daemon = try PlayedDaemon.sample()
        let run = await CommandLineRun(line, daemon: daemon)
        #expect(daemon.calls == [call])
        #expect(run.code == .success)
    }

    @Test(arguments: ["limit fast", "limit -1", "limit 0", "limit 5x", "limit 1 -u fast"])
    func `a limit is a number of bytes per second`(line: String) async throws {
        let daemon = try PlayedDaemon.sample()
        let run = await CommandLineRun(line, daemon: daemon)
        #expect(daemon.calls == [])
        #expect(run.code == .usage)
    }
}

/// What a command for several transfers tells the shell.
@Suite(.timeLimit(.minutes(1))) @MainActor struct ExitCodeOfSeveralTests {
    private let recording = Recording()
    private let context: Context

    init() {
        context = Context(
            console: recording.console(outputSize: nil),
            daemon: PlayedDaemon().daemon,
            now: { Date() },
            instant: { .zero },
            interrupts: { AsyncStream { $0.finish() } },
            environment: [:]
        )
    }

    private func code(
        _ failures: [Int: TransferDaemonError.Code],
        of numbers: ClosedRange<Int> = 1...3
    ) async throws -> (code: ExitCode, tried: [Int]) {
        let tried = Tried()
        let code = try await context.forEach(Array(numbers)) { number in
            tried.numbers.append(number)
            if let failure = failures[number] { throw TransferDaemonError(failure, message: "no") }
            return nil
        }
        return (code, tried.numbers)
    }

    @Test func `the first failure counts, and all are tried`() async throws {
        let first = try await code([1: .transferNotFound, 2: .storeUnavailable])
        #expect(first == (.notFound, [1, 2, 3]))
        let second = try await code([2: .storeUnavailable, 3: .transferNotFound])
        #expect(second == (.failure, [1, 2, 3]))
        let none = try await code([:])
        #expect(none == (.success, [1, 2, 3]))
    }

    @Test func `ferryd is called in the order of the numbers`() async throws {
        #expect(try await code([:], of: 1...1000).tried == Array(1...1000))
    }

    @Test func `nobody is asked further who is not there`() async {
        let tried = Tried()
        await #expect(throws: TransferDaemonError(.notRunning, message: "no")) {
            _ = try await context.forEach(Array(1...1000)) { number in
                tried.numbers.append(number)
                throw TransferDaemonError(.notRunning, message: "no")
            }
        }
        #expect(tried.numbers.count <= 64)
    }

    @Test func `many are acted on at the same time, and told in the order of their numbers`()
        async throws
    {
        let gathering = Gathering(of: 64)
        let code = try await context.forEach(Array(1...64)) { number in
            await gathering.arrive()
            if number == 2 { throw TransferDaemonError(.transferNotFound, message: "none") }
            return "done \(number)"
        }
        let others = (1...64).filter { $0 != 2 }
        #expect(recording.output == others.map { "done \($0)\n" }.joined())
        #expect(recording.error == "ferry: 2: none\n")
        #expect(code == .notFound)
    }
}

/// What was acted on.
@MainActor private final class Tried {
    var numbers: [Int] = []
}

/// Those who arrive wait until all are there; the last one goes on first.
@MainActor private final class Gathering {
    private let count: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(of count: Int) { self.count = count }

    func arrive() async {
        guard waiting.count + 1 < count else {
            for continuation in waiting.reversed() { continuation.resume() }
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }
}
