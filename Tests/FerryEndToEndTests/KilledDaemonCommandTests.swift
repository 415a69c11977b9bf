import FerrySystem
import FerryTestSupport
import FoundationEssentials
import Glibc
import Testing

/// Commands that meet ferryd in the moment of its death.
@Suite(.serialized, .timeLimit(.minutes(2))) struct KilledDaemonCommandTests {
    private let home: TestHome

    init() throws { home = try TestHome() }

    /// The commands that start ferryd, with the exit codes that they may have.
    private static let commands: [[String]] = [
        ["list"], ["list", "--all", "--json"], ["pause", "1"], ["resume", "1"],
        ["priority", "0.5", "1"], ["limit", "1M"], ["limit", "none"], ["limit"], ["why", "1"],
        ["config"],
    ]

    @Test(arguments: commands)
    func `USE-19: a command behind a kill finds the next ferryd`(
        _ command: [String]
    ) async throws {
        let server = try FixtureServer()
        server.on("/slow", .content(.text("late")).waiting(at: FixtureGate()))
        _ = try await home.ferry("get", "--detach", "-d", home.files, server.url("/slow"))
        for _ in 1...5 {
            for daemon in home.daemons { kill(daemon, SIGKILL) }
            let result = try await home.ferry(command)
            #expect(result.exit == .exited(status: 0), "\(result.error)")
            #expect(!result.error.contains("ECONNRESET"), "\(result.error)")
            #expect(home.daemons.count == 1)
        }
    }

    @Test func `USE-19: status, reload and stop behind a kill say that ferryd does not run`()
        async throws
    {
        for command in [["daemon", "status"], ["daemon", "reload"], ["daemon", "stop"]] {
            for _ in 1...5 {
                _ = try await home.ferry("list")
                for daemon in home.daemons { kill(daemon, SIGKILL) }
                let result = try await home.ferry(command)
                let isStop = command[1] == "stop"
                #expect(result.exit == .exited(status: isStop ? 0 : 4), "\(result.error)")
                #expect(!result.error.contains("ECONNRESET"), "\(result.error)")
            }
        }
    }
}
