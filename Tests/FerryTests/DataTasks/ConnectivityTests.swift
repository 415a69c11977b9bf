import FerrySystem
import FerryTestSupport
import Foundation
import Testing

@Suite("Waiting for a network", .timeLimit(.minutes(1)))
struct ConnectivityTests {
    @Test(
        .enabled(if: TestNetwork.canBeMade, "needs ip(8) and network namespaces"),
        arguments: [("data", ["waiting", "200"]), ("download", ["waiting", "file", "200"])]
    )
    func `DL-33: a task waits for a network, says so once, and goes on`(
        kind: String,
        lines: [String]
    ) async throws {
        let home = try TestHome()
        let (exit, output, error) = try await TestProcess.run(
            "/usr/bin/unshare",
            ["--net", "--map-root-user", TestHome.executable("waiting-app"), kind],
            environment: home.environment
        )
        #expect(exit == .exited(status: 0), "\(error)")
        #expect(output.split(separator: "\n").map(String.init) == lines)
    }
}
