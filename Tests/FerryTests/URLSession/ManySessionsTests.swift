import Ferry
import FerryTestSupport
import Foundation
import Glibc
import Testing

@Suite("Many sessions", .timeLimit(.minutes(1)))
struct ManySessionsTests {
    private static let count = 100

    private let server: FixtureServer
    private let gate = FixtureGate()

    init() throws {
        _ = Home.path
        server = try FixtureServer()
        server.on("/song", .content(.text("la")))
        server.on("/slow", .content(.text("la")).stalling(after: 1, at: gate))
    }

    /// The names of the process's threads that are Ferry's.
    private func threads() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
            .compactMap {
                try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)
            }
            .filter { $0.hasPrefix("ferry.") }
    }

    private func descriptorCount() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    @Test func `all sessions share one event loop, whatever runs in them`() async throws {
        // Threads of other tests may still be there.
        let before = try threads().count
        let sessions = (0..<Self.count).map { _ in URLSession(configuration: .ephemeral) }
        for session in sessions {
            session.dataTask(with: try server.address("/slow")).resume()
        }
        try await server.waitForStall(at: "/slow", request: Self.count - 1)
        // A thread that the loop makes has the loop's name until it has its own.
        while try threads().count(where: { $0 == "ferry.loop\n" }) > 1 { await Task.yield() }
        #expect(try threads().contains("ferry.loop\n"))
        #expect(try threads().count < before + 10)
        gate.open()
        for session in sessions { session.invalidateAndCancel() }
    }

    @Test func `sessions that end while their tasks run leave no descriptor, and harm no other`()
        async throws
    {
        // What the process keeps for all sessions is there after the first one.
        try await endSession(0)
        let own = (0..<16).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
        let before = try descriptorCount()
        for number in 1..<Self.count { try await endSession(number) }
        // The server, too, has a descriptor of each connection, until it notices its end.
        while try descriptorCount() > before { await Task.yield() }
        for descriptor in own { #expect(close(descriptor) == 0) }
        gate.open()
    }

    /// Makes a session, and ends it before its tasks have ended, or even begun.
    private func endSession(_ number: Int) async throws {
        let recorder = SessionRecorder()
        let session = URLSession(
            configuration: .ephemeral,
            delegate: recorder,
            delegateQueue: nil
        )
        let slow = "/slow\(number)"
        server.on(slow, .content(.text("la")).stalling(after: 1, at: gate))
        for path in [slow, "/song", "/song?2"] {
            session.dataTask(with: try server.address(path)).resume()
        }
        if number.isMultiple(of: 2) { try await server.waitForStall(at: slow) }
        session.invalidateAndCancel()
        await recorder.wait { $0.contains(.invalid) }
    }
}
