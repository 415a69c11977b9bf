import FerryTestSupport
import Foundation
import Testing

@testable import Ferry

@Suite("Transfer options", .timeLimit(.minutes(1)))
struct TransferOptionsTests {
    private let server: FixtureServer
    private let recorder = SessionRecorder()
    private let session: URLSession

    init() throws {
        _ = Home.path
        server = try FixtureServer()
        session = URLSession(configuration: .default, delegate: recorder, delegateQueue: nil)
    }

    /// Runs a download with options to its end.
    private func download(
        _ change: (inout TransferOptions) -> Void
    ) async throws -> URLSessionDownloadTask {
        let task = session.downloadTask(with: try server.address("/song"))
        change(&task.transferOptions)
        task.resume()
        await recorder.waitForCompletions()
        return task
    }

    // MARK: - Digests

    @Test func `a digest is read from its digits, of either case, and from nothing else`() {
        let digits = String(repeating: "0aF9", count: 16)
        let digest = TransferOptions.Digest.sha256(hexadecimal: digits)
        #expect(digest?.value.prefix(4) == Data([0x0A, 0xF9, 0x0A, 0xF9]))
        #expect(TransferOptions.Digest.sha256(hexadecimal: digits + "00") == nil)
        #expect(TransferOptions.Digest.sha256(hexadecimal: String(digits.dropLast())) == nil)
        #expect(TransferOptions.Digest.sha256(hexadecimal: "g" + digits.dropFirst()) == nil)
        #expect(TransferOptions.Digest(.md5, Data(count: 15)) == nil)
    }

    // What md5sum and sha256sum say of "la".
    @Test(
        arguments: [
            (TransferOptions.Digest.Algorithm.md5, "c9089f3c9adaf0186f6ffb1ee8d6501c"),
            (.sha256, "b737ca7ee563ae80e457bb3d1dfe64edd2b4c015a8f88b6f87d5c113b68897fd"),
        ]
    )
    func `a file with the expected digest is delivered, and no other`(
        algorithm: TransferOptions.Digest.Algorithm,
        digits: String
    ) async throws {
        let digest = try #require(TransferOptions.Digest(algorithm, hexadecimal: digits))
        server.on("/song", [.content(.text("la")), .content(.text("lo"))])
        let right = try await download { $0.expectedDigests = [digest] }
        #expect(right.error == nil)
        #expect(recorder.calls.contains(.finished(1, contents: Data("la".utf8))))
        let wrong = session.downloadTask(with: try server.address("/song"))
        wrong.transferOptions.expectedDigests = [digest]
        wrong.resume()
        await recorder.waitForCompletions(2)
        let error = try #require(wrong.error as? URLError)
        #expect(error.code == .cannotDecodeContentData)
        let reason = error.userInfo[NSLocalizedFailureReasonErrorKey] as? String
        #expect(reason?.contains(digits) == true)
        #expect(error.downloadTaskResumeData == nil)
        #expect(!recorder.calls.contains { if case .finished(2, _) = $0 { true } else { false } })
    }

    // MARK: - Answers

    @Test func `an error's answer fails a download whose app does not want its body`() async throws
    {
        server.on("/song", .status(404, body: "sorry"))
        let task = try await download { $0.deliversErrorResponses = false }
        #expect((task.error as? URLError)?.code == .badServerResponse)
        #expect((task.response as? HTTPURLResponse)?.statusCode == 404)
        #expect(recorder.story == ["created", "completed"])
    }

    // MARK: - Retries

    private var quickRetry: TransferOptions.Retry {
        var retry = TransferOptions.Retry()
        retry.firstDelay = .milliseconds(1)
        return retry
    }

    @Test func `a download goes on after a connection has broken, as often as that happens`()
        async throws
    {
        let file = FixtureFile(.seeded(1, byteCount: 500_000))
        let cuts = (0..<4).map { _ in FixtureAnswer.file(file).dropping(after: 100_000) }
        server.on("/song", cuts + [.file(file)])
        let task = try await download { $0.retry = quickRetry }
        #expect(task.error == nil)
        #expect(recorder.calls.contains(.finished(1, contents: Data(file.content.bytes))))
        let ranges = server.requests(to: "/song").map(\.range)
        #expect(ranges == [nil] + (1...4).map { "bytes=\($0)00000-" })
    }

    @Test func `API-3: what Ferry has done to complete a file does not show in the response`()
        async throws
    {
        let file = FixtureFile(.seeded(1, byteCount: 300_000))
        let cut = FixtureAnswer.file(file).dropping(after: 100_000)
        server.on("/song", cut.with(fields: [("X-First", "yes")]), .file(file))
        let task = try await download { $0.retry = quickRetry }
        #expect(server.requests(to: "/song").map(\.range) == [nil, "bytes=100000-"])
        let response = try #require(task.response as? HTTPURLResponse)
        #expect(response.statusCode == 200)
        #expect(response.expectedContentLength == 300_000)
        #expect(response.value(forHTTPHeaderField: "Content-Length") == "300000")
        #expect(response.value(forHTTPHeaderField: "Content-Range") == nil)
        #expect(response.value(forHTTPHeaderField: "X-First") == "yes")
    }

    @Test func `REL-7: attempts that lose what they win are counted`() async throws {
        let file = FixtureFile(.seeded(1, byteCount: 300_000), ranges: .ignored)
        server.on("/song", .file(file).dropping(after: 100_000))
        let task = try await download {
            $0.retry = quickRetry
            $0.retry?.maximumAttempts = 3
        }
        #expect((task.error as? URLError)?.code == .networkConnectionLost)
        #expect(server.requests(to: "/song").count == 3)
    }

    @Test func `a status that the app has named is asked for again, and then is the answer`()
        async throws
    {
        server.on("/song", .status(404, body: "not yet"))
        let task = try await download {
            $0.retry = quickRetry
            $0.retry?.statuses = [404]
            $0.retry?.maximumAttempts = 3
        }
        #expect(task.error == nil)
        #expect(recorder.calls.contains(.finished(1, contents: Data("not yet".utf8))))
        #expect(server.requests(to: "/song").count == 3)
    }

    @Test func `after as many failures as the app allows, the task fails`() async throws {
        server.on("/song", .content(.text("la")).dropping(after: 0))
        let task = try await download {
            $0.retry = quickRetry
            $0.retry?.maximumAttempts = 2
        }
        #expect((task.error as? URLError)?.code == .networkConnectionLost)
        #expect(server.requests(to: "/song").count == 2)
    }

    @Test func `a download that waits for its next attempt can be suspended and cancelled`()
        async throws
    {
        server.on("/song", .retryLater(after: "1000"))
        let task = session.downloadTask(with: try server.address("/song"))
        task.transferOptions.retry = TransferOptions.Retry()
        task.resume()
        try await server.waitUntil { $0.requests(to: "/song").first?.state == .sent }
        task.suspend()
        #expect(recorder.story == ["created"])
        task.resume()
        task.cancel()
        await recorder.waitForCompletions()
        #expect(recorder.calls.last == .completed(1, .cancelled))
    }

    // MARK: - Rates

    @Test(arguments: ["task", "session"])
    func `a download is no faster than its app wants`(place: String) async throws {
        let configuration = URLSessionConfiguration.ephemeral
        if place == "session" { configuration.maximumReceiveRate = 400_000 }
        let session = URLSession(
            configuration: configuration,
            delegate: recorder,
            delegateQueue: nil
        )
        server.on("/song", .file(FixtureFile(.seeded(2, byteCount: 400_000))))
        let task = session.downloadTask(with: try server.address("/song"))
        if place == "task" { task.transferOptions.maximumReceiveRate = 400_000 }
        let start = ContinuousClock.now
        task.resume()
        await recorder.waitForCompletions()
        #expect(task.error == nil)
        // The last piece is not waited for, nor what may pass in one go.
        #expect(ContinuousClock.now - start > .milliseconds(700))
    }

    @Test func `a rate can be taken back while the task runs`() async throws {
        server.on("/song", .file(FixtureFile(.seeded(3, byteCount: 4 << 20))))
        let task = session.downloadTask(with: try server.address("/song"))
        task.transferOptions.maximumReceiveRate = 1
        task.resume()
        await recorder.waitForBytes(1)
        task.transferOptions.maximumReceiveRate = nil
        await recorder.waitForCompletions()
        #expect(task.error == nil)
        #expect(task.countOfBytesReceived == 4 << 20)
    }

    @Test func `an upload is no faster than its app wants`() async throws {
        server.on("/inbox", .content(.text("thanks")))
        var request = URLRequest(url: try server.address("/inbox"))
        request.httpMethod = "PUT"
        let configuration = URLSessionConfiguration.ephemeral
        configuration.maximumSendRate = 1_000_000
        let session = URLSession(configuration: configuration)
        let start = ContinuousClock.now
        _ = try await session.upload(for: request, from: Data(count: 1_000_000))
        #expect(ContinuousClock.now - start > .milliseconds(700))
        #expect(server.requests(to: "/inbox").first?.body.count == 1_000_000)
    }
}
