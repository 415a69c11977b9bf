import Ferry
import FerrySystem
import FerryTestSupport
import Foundation
import Testing

@Suite("Controlling data tasks", .timeLimit(.minutes(1)))
struct DataTaskControlTests {
    private let server: FixtureServer
    private let recorder = DataRecorder()
    private let session: URLSession

    init() throws {
        _ = Home.path
        server = try FixtureServer()
        session = recorder.makeSession()
        server.on("/song", .content(.text("la la")))
    }

    @Test func `DL-14: nothing is told until the response is answered`() async throws {
        recorder.change { $0.answersResponses = false }
        let task = session.dataTask(with: try server.address("/song"))
        task.resume()
        await recorder.wait(for: "response 200")
        try await server.waitUntil { $0.requests.first?.state == .sent }
        await session.flush()
        #expect(recorder.story == ["response 200"])
        task.cancel()
        await recorder.waitForEnd()
        #expect(recorder.story == ["response 200", "metrics 1", "completed -999"])
    }

    @Test func `DL-14: an answer of cancel cancels the task, which gets no data`() async throws {
        recorder.change { $0.disposition = .cancel }
        session.dataTask(with: try server.address("/song")).resume()
        await recorder.waitForEnd()
        #expect(recorder.story == ["response 200", "metrics 1", "completed -999"])
        #expect(recorder.data.isEmpty)
    }

    @Test func `a slow app makes the server wait`() async throws {
        let total: Int64 = 64 << 20
        server.on("/long", .content(.seeded(3, byteCount: total)))
        let taken = DispatchSemaphore(value: 0)
        recorder.change { answers in
            answers.gotData = { taken.wait() }
        }
        let task = session.dataTask(with: try server.address("/long"))
        task.resume()
        try await server.waitUntil { $0.requests.first?.state == .blocked }
        #expect(task.countOfBytesReceived < 16 << 20)
        recorder.change { $0.gotData = {} }
        taken.signal()
        await recorder.waitForEnd()
        #expect(recorder.error == nil)
        #expect(Int64(recorder.data.count) == total)
        #expect(recorder.data == Data(FixtureContent.seeded(3, byteCount: total).bytes))
    }

    @Test func `DL-15, DL-16: a suspended task makes no traffic, and goes on`() async throws {
        let total: Int64 = 32 << 20
        server.on("/long", .content(.seeded(4, byteCount: total)))
        recorder.change { $0.answersResponses = false }
        let task = session.dataTask(with: try server.address("/long"))
        task.resume()
        await recorder.wait(for: "response 200")
        task.suspend()
        #expect(task.state == .suspended)
        try await server.waitUntil { $0.requests.first?.state == .blocked }
        task.resume()
        #expect(task.state == .running)
        task.cancel()
        await recorder.waitForEnd()
        #expect(recorder.error?.code == .cancelled)
    }

    @Test func `DL-17, DL-18: a task that was never resumed can be cancelled`() async throws {
        let task = session.dataTask(with: try server.address("/song"))
        task.cancel()
        await recorder.waitForEnd()
        #expect(recorder.story == ["metrics 0", "completed -999"])
        task.resume()
        #expect(task.state == .completed)
        #expect(server.requests.isEmpty)
    }

    @Test func `thousands of tasks end, each of them once`() async throws {
        let url = try server.address("/song")
        let count = 2000
        for number in 0..<count {
            let task = session.dataTask(with: url)
            task.resume()
            if number.isMultiple(of: 3) { task.cancel() }
        }
        await recorder.waitForEnd(count)
        session.finishTasksAndInvalidate()
        await recorder.wait(for: "invalid")
        #expect(recorder.story.count { $0.hasPrefix("completed") } == count)
    }
}

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
