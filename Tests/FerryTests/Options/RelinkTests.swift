import Ferry
import FerryTestSupport
import Foundation
import Testing

@Suite("Downloads that get another address", .timeLimit(.minutes(1)))
struct RelinkTests {
    /// A delegate that knows other addresses, or none.
    private final class Signer: NSObject, URLSessionTaskDelegate {
        /// What it answers, one after the other; the last one repeats.
        let links: [URL?]
        let statuses = Awaited([Int]())

        init(link: URL?) { links = [link] }

        init(links: [URL?]) { self.links = links }

        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            needsNewRequestAfter response: HTTPURLResponse,
            completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            statuses.change { $0.append(response.statusCode) }
            let link = links[min(statuses.value.count, links.count) - 1]
            completionHandler(link.map { URLRequest(url: $0) })
        }
    }

    private let server: FixtureServer
    private let file = FixtureFile(.seeded(1, byteCount: 500_000))

    init() throws {
        _ = Home.path
        server = try FixtureServer()
    }

    private func session(_ delegate: (any URLSessionDelegate)?, asks: Bool = true) -> URLSession {
        let configuration = URLSessionConfiguration.default
        configuration.replacesExpiredLinks = asks
        configuration.transferOptions.retry = TransferOptions.Retry()
        configuration.transferOptions.retry?.firstDelay = .milliseconds(1)
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    /// An address that expires after 200 000 bytes, and one that is good.
    private func serve() throws -> (expiring: URL, good: URL) {
        server.on(
            "/expiring",
            [.file(file).dropping(after: 200_000), .status(403, body: "expired")]
        )
        server.on("/good", .file(FixtureFile(file.content, entityTag: "\"other\"")))
        return (try server.address("/expiring"), try server.address("/good"))
    }

    @Test func `the app is asked for another address, and the bytes are kept`() async throws {
        let (expiring, good) = try serve()
        let signer = Signer(link: good)
        let (location, response) = try await session(signer).download(from: expiring)
        #expect(try Data(contentsOf: location) == Data(file.content.bytes))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(signer.statuses.value == [403])
        #expect(server.requests(to: "/good").map(\.range) == ["bytes=134464-"])
        try FileManager.default.removeItem(at: location)
    }

    /// Expects that a download fails with what continues it, and that this does so.
    private func expectResumable(_ session: URLSession, _ expiring: URL) async throws {
        let error = try #require(
            await #expect(throws: URLError.self) { try await session.download(from: expiring) }
        )
        #expect(error.code == .badServerResponse)
        #expect(error.localizedDescription == "The server answers 403.")
        let data = try #require(error.downloadTaskResumeData)
        server.on("/expiring", .file(file))
        let (location, _) = try await session.download(resumeFrom: data)
        #expect(try Data(contentsOf: location) == Data(file.content.bytes))
        #expect(server.requests(to: "/expiring").last?.range == "bytes=200000-")
        try FileManager.default.removeItem(at: location)
    }

    @Test func `KEEP-2: an app that knows no other address gets resume data`() async throws {
        let (expiring, _) = try serve()
        let signer = Signer(link: nil)
        try await expectResumable(session(signer), expiring)
        #expect(signer.statuses.value == [403])
    }

    @Test func `KEEP-2: an app that does not want to be asked is not`() async throws {
        let (expiring, good) = try serve()
        let signer = Signer(link: good)
        try await expectResumable(session(signer, asks: false), expiring)
        #expect(signer.statuses.value == [])
    }

    @Test func `a delegate that does not implement the method has no other address`() async throws {
        let (expiring, _) = try serve()
        let recorder = SessionRecorder()
        let task = session(recorder).downloadTask(with: expiring)
        task.resume()
        await recorder.waitForCompletions()
        #expect((task.response as? HTTPURLResponse)?.statusCode == 403)
        #expect(recorder.calls.last == .completed(1, .badServerResponse))
    }

    @Test func `an app whose addresses bring nothing is asked five times in a row`() async throws {
        let (expiring, _) = try serve()
        let signer = Signer(link: expiring)
        try await expectResumable(session(signer), expiring)
        #expect(signer.statuses.value == Array(repeating: 403, count: 5))
    }

    @Test func `a download that runs goes on from another address when the app says so`()
        async throws
    {
        let gate = FixtureGate()
        server.on("/slow", .file(file).stalling(after: 300_000, at: gate))
        server.on("/good", .file(file))
        let recorder = SessionRecorder()
        let task = session(recorder).downloadTask(with: try server.address("/slow"))
        task.resume()
        await recorder.waitForBytes(300_000)
        let good = try server.address("/good")
        task.relink(to: URLRequest(url: good))
        await recorder.waitForCompletions()
        #expect(task.error == nil)
        #expect(task.currentRequest?.url == good)
        #expect(recorder.calls.contains(.finished(1, contents: Data(file.content.bytes))))
        #expect(server.requests(to: "/good").map(\.range) == ["bytes=234464-"])
        gate.open()
    }

    @Test(arguments: [true, false])
    func `an app that gives an address unasked is asked again, whatever it has answered before`(
        isDeclined: Bool
    ) async throws {
        let gate = FixtureGate()
        defer { gate.open() }
        let expiring = try server.address("/expiring")
        // It has no address, or one that brings nothing, which it is asked for five times.
        let answers: [URL?] = isDeclined ? [nil] : Array(repeating: expiring, count: 5)
        let refusalCount = isDeclined ? 1 : 6
        let refusals = Array(repeating: FixtureAnswer.status(403), count: refusalCount)
        let cut = FixtureAnswer.file(file).dropping(after: 200_000)
        let stalled = FixtureAnswer.file(file).waiting(at: gate)
        server.on("/expiring", [cut] + refusals + [stalled])
        server.on("/expired", .status(403))
        server.on("/good", .file(file))
        let good = try server.address("/good")
        let signer = Signer(links: answers + [good])
        let session = session(signer)
        async let download = session.download(from: expiring)
        try await server.waitForStall(at: "/expiring", request: refusalCount + 1)
        #expect(signer.statuses.value.count == answers.count)
        let tasks = await session.allTasks
        let task = try #require(tasks.first as? URLSessionDownloadTask)
        task.relink(to: URLRequest(url: try server.address("/expired")))
        let (location, _) = try await download
        #expect(try Data(contentsOf: location) == Data(file.content.bytes))
        #expect(signer.statuses.value == Array(repeating: 403, count: answers.count + 1))
        try FileManager.default.removeItem(at: location)
    }

    @Test func `a suspended download goes on from another address when it is resumed`() async throws
    {
        server.on("/good", .file(file))
        let recorder = SessionRecorder()
        let task = session(recorder).downloadTask(with: try server.address("/gone"))
        task.relink(to: URLRequest(url: try server.address("/good")))
        task.resume()
        await recorder.waitForCompletions()
        #expect(task.error == nil)
        #expect(server.requests(to: "/gone").isEmpty)
    }

    @Test func `what cannot be sent changes nothing`() async throws {
        server.on("/song", .content(.text("la")))
        let recorder = SessionRecorder()
        let task = session(recorder).downloadTask(with: try server.address("/song"))
        task.relink(to: URLRequest(url: try #require(URL(string: "ftp://example.com/"))))
        task.resume()
        await recorder.waitForCompletions()
        #expect(task.error == nil)
    }
}
