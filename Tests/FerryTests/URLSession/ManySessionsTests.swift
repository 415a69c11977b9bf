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

    /// The process's threads that are Ferry's, with their names.
    private func threads() throws -> [String: String] {
        let numbers = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
        let names = numbers.compactMap { number in
            (try? String(contentsOfFile: "/proc/self/task/\(number)/comm", encoding: .utf8))
                .map { (number, $0) }
        }
        return Dictionary(uniqueKeysWithValues: names).filter { $0.value.hasPrefix("ferry.") }
    }

    /// The threads that are called as the loop's is: a thread has the name of the one that made it until it has its own, and
    /// libcurl's, which look up hosts, never have one.
    private func loops() throws -> Set<String> {
        Set(try threads().filter { $0.value == "ferry.loop\n" }.keys)
    }

    private func descriptorCount() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    @Test func `all sessions share one event loop, whatever runs in them`() async throws {
        // The loop is there after the first request; threads of other tests may be there, too.
        _ = try await URLSession.shared.data(from: try server.address("/song"))
        let (before, loopsBefore) = (try threads().count, try loops())
        let sessions = (0..<Self.count).map { _ in URLSession(configuration: .ephemeral) }
        for session in sessions {
            session.dataTask(with: try server.address("/slow")).resume()
        }
        try await server.waitForStall(at: "/slow", request: Self.count - 1)
        var newLoops = try loops().subtracting(loopsBefore)
        while !newLoops.isEmpty, !Task.isCancelled {
            await Task.yield()
            newLoops.formIntersection(try loops())
        }
        #expect(newLoops.isEmpty)
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
