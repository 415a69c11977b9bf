import FerrySystem
import FerryTestSupport
import FoundationEssentials
import Glibc
import Testing

/// `ferry put` with a real ferryd, which is killed.
@Suite(.serialized, .timeLimit(.minutes(3))) struct PutCommandEndToEndTests {
    private static let content = FixtureContent.seeded(3, byteCount: 4_000_000)

    private let home: TestHome
    private let file: String

    init() throws {
        home = try TestHome(
            daemonArguments: ["--retry-delay", "0.02", "--relaunch-delay", "0.05"]
        )
        file = home.path + "/backup.tar"
        try Data(Self.content.bytes).write(to: URL(filePath: file))
    }

    /// A server that cuts three bodies off before each of the gates, at which it stops to read the next one.
    private func server(holdingAt gates: [FixtureGate]) throws -> UploadServer {
        let bodies = Countdown(4 * gates.count)
        return try UploadServer(version: 8) { request in
            guard ["PUT", "PATCH"].contains(request.method), bodies.take() else {
                return UploadBehaviour()
            }
            let (index, cuts) = (bodies.taken - 1).quotientAndRemainder(dividingBy: 4)
            guard cuts == 3 else { return .cutting(after: 200_000, isReset: false) }
            return .with { $0.hold = (100_000, gates[index]) }
        }
    }

    /// Kills ferryd when the server stops at a gate, so that the upload cannot be over, and opens the gate.
    private func killDaemons(at gate: FixtureGate, byteCount: Int, _ server: UploadServer) async {
        await server.waitUntil { $0.receivedByteCount >= byteCount }
        for daemon in home.daemons { kill(daemon, SIGKILL) }
        gate.open()
    }

    @Test func `a command that waits sees the end of its upload through cuts and kills of ferryd`()
        async throws
    {
        let gates = [FixtureGate(), FixtureGate()]
        let server = try server(holdingAt: gates)
        async let run = home.ferry("put", "--resumable", "draft", file, server.url("/in/"))
        for (count, gate) in zip(1..., gates) {
            await killDaemons(at: gate, byteCount: count * 700_000, server)
        }
        let result = try await run
        #expect(result.exit == .exited(status: 0), "\(result.error)")
        #expect(result.error.contains("ferry: backup.tar: sent, 3.8 MiB"))
        #expect(Self.content.firstDifference(from: server.contents(of: "/in/backup.tar")) == nil)
        #expect(server.violations == [])
    }

    @Test
    func `an upload that nobody waits for is sent after ferryd was killed, and told of afterwards`()
        async throws
    {
        let gate = FixtureGate()
        let server = try server(holdingAt: [gate])
        let put = try await home.ferry("put", "--detach", file, server.url("/in/"))
        #expect(put.output == "1  \(server.url("/in/backup.tar"))\n")
        await killDaemons(at: gate, byteCount: 700_000, server)
        let watch = try await home.ferry("watch", "1")
        #expect(watch.exit == .exited(status: 0), "\(watch.error)")
        #expect(Self.content.firstDifference(from: server.contents(of: "/in/backup.tar")) == nil)
        let later = try await home.ferry("watch", "1")
        #expect(
            later.error.contains("backup.tar was sent to \(server.url("/in/backup.tar")) at "),
            "\(later.error)"
        )
        #expect(later.exit == .exited(status: 0))
    }

    @Test func `the upload of a file that is changed meanwhile fails, and says why`()
        async throws
    {
        // Too large for a copy.
        let large = FixtureContent.seeded(4, byteCount: 24_000_000)
        try Data(large.bytes).write(to: URL(filePath: file))
        let server = try UploadServer(version: 8) { _ in .cutting(after: 200_000) }
        _ = try await home.ferry("put", "--detach", "--resumable", "off", file, server.url("/in/"))
        await server.waitUntil { $0.receivedByteCount >= 200_000 }
        try Data("another".utf8).write(to: URL(filePath: file))
        let watch = try await home.ferry("watch", "1")
        #expect(watch.exit == .exited(status: 5))
        #expect(watch.error.contains("backup.tar: failed: "), "\(watch.error)")
    }
}
