import FerrySystem
import FerryTestSupport
import Testing

extension TestHome {
    /// Runs the `ferry` command, expects that it succeeds, and returns what it wrote.
    func ferryOutput(_ arguments: [String]) async throws -> String {
        let (exit, output, error) = try await ferry(arguments)
        #expect(exit == .exited(status: 0), "\(arguments): \(error)")
        return output
    }

    /// Waits until a transfer has ended well; it may be over before anybody watches.
    func watchToEnd(of transfer: Int) async throws {
        let watch = try await ferry("watch", "\(transfer)")
        #expect(watch.exit == .exited(status: 0), "\(watch.error)")
    }

    /// Returns what `ferry list --all --json` writes of transfers that are not over, or whose applications do not know that.
    func presentTransfers() async throws -> [Substring] {
        let list = try await ferryOutput(["list", "--all", "--json"])
        return list.split(separator: "\n").filter { !$0.contains(#""ended":""#) }
    }

    /// Runs `ferry log --follow`, and returns it with the lines that it writes.
    func followLog() async throws -> (log: EventPipe, follower: TestProcess) {
        let log = try await EventPipe(in: self)
        let writer = try log.writer()
        let follower = try await TestProcess(
            Self.executable("ferry"),
            ["log", "--follow"],
            environment: environment,
            output: writer.rawValue
        )
        return (log, follower)
    }
}
