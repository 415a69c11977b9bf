import Ferry
import FerryTestSupport
import Foundation
import Testing

@Suite("Requests that several tasks share", .timeLimit(.minutes(1)))
struct SharedRequestTests {
    private let server: FixtureServer
    private let recorder = DataRecorder()
    private let session: URLSession
    private let gate = FixtureGate()

    init() throws {
        _ = Home.path
        server = try FixtureServer()
        session = recorder.makeSession()
        server.on("/picture", .content(.text("la la")))
        // The head waits, too: nothing of it is sent before the gate is open.
        server.on(
            "/slow",
            .script([
                .wait(gate), .text("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nla la"),
            ])
        )
    }

    /// Resumes tasks for the same URL, all but the first after its request has arrived.
    private func start(_ count: Int, at path: String = "/slow") async throws -> [ResumedTask] {
        let url = try server.address(path)
        let first = ResumedTask(of: session, with: url)
        try await server.waitForStall(at: path)
        let others = (1..<count).map { _ in ResumedTask(of: session, with: url) }
        await session.flush()
        return [first] + others
    }

    @Test func `P15: equal requests under way fetch once, and each task gets all`() async throws {
        let tasks = try await start(10)
        gate.open()
        for task in tasks { #expect(try await task.data == Data("la la".utf8)) }
        #expect(server.requests.count == 1)
    }

    @Test func `P15: a response that must not be stored answers one task`() async throws {
        server.on(
            "/job",
            .script([
                .wait(gate),
                .text("HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: 3\r\n\r\njob"),
            ])
        )
        let tasks = try await start(4, at: "/job")
        gate.open()
        for task in tasks { #expect(try await task.data == Data("job".utf8)) }
        #expect(server.requests.count == 4)
    }

    @Test func `P15: the first one's cancelling does not cancel the others`() async throws {
        let tasks = try await start(3)
        tasks[0].task.cancel()
        await expectURLError(.cancelled) { try await tasks[0].data }
        gate.open()
        for task in tasks.dropFirst() { #expect(try await task.data == Data("la la".utf8)) }
    }

    @Test func `P15: requests that differ are made by themselves`() async throws {
        _ = try await session.data(from: try server.address("/picture?a"))
        async let first = session.data(from: try server.address("/picture?b"))
        async let second = session.data(from: try server.address("/picture?c"))
        _ = try await (first, second)
        #expect(server.requests.count == 3)
    }

    @Test func `P15: whoever proves to be somebody else gets an answer of its own`() async throws {
        let url = try server.address("/slow")
        func get(_ user: String) -> Task<Data, any Error> {
            var request = URLRequest(url: url)
            request.setValue("Bearer \(user)", forHTTPHeaderField: "Authorization")
            let asked = request
            return Task { [session] in try await session.data(for: asked).0 }
        }
        let tasks = [get("alice"), get("bob")]
        try await server.waitUntil { $0.requests.count == 2 }
        gate.open()
        for task in tasks { _ = try await task.value }
        #expect(
            Set(server.requests.map { $0["Authorization"] }) == ["Bearer alice", "Bearer bob"]
        )
    }

    @Test func `P15: a task that is suspended does not hold up the others`() async throws {
        let url = try server.address("/slow")
        let suspended = session.dataTask(with: url)
        suspended.resume()
        try await server.waitForStall(at: "/slow")
        let other = ResumedTask(of: session, with: url)
        await session.flush()
        recorder.change { $0.answersResponses = false }
        gate.open()
        #expect(try await other.data == Data("la la".utf8))
        suspended.cancel()
        await recorder.waitForEnd()
    }

    @Test func `P15: what is answered already is asked for again`() async throws {
        for _ in 0..<2 { _ = try await session.data(from: try server.address("/picture")) }
        #expect(server.requests.count == 2)
    }

    @Test func `P15: whoever's delegate decides makes a request of its own`() async throws {
        server.on(
            "/moved",
            .script([
                .wait(gate),
                .text("HTTP/1.1 302 Found\r\nLocation: /picture\r\nContent-Length: 0\r\n\r\n"),
            ])
        )
        let tasks = try await start(3, at: "/moved")
        gate.open()
        for task in tasks { #expect(try await task.data == Data("la la".utf8)) }
        #expect(recorder.story.count { $0.hasPrefix("redirect") } == 3)
    }
}
