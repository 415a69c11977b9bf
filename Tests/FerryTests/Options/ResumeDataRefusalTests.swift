import Ferry
import FerryTestSupport
import Foundation
import Testing

@Suite("Why there is no resume data", .timeLimit(.minutes(1)))
struct ResumeDataRefusalTests {
    private let server: FixtureServer
    private let recorder = SessionRecorder()
    private let session: URLSession

    init() throws {
        _ = Home.path
        server = try FixtureServer()
        session = URLSession(configuration: .default, delegate: recorder, delegateQueue: nil)
    }

    /// Cancels a download that has received so many bytes, for its resume data.
    private func cancel(_ request: URLRequest, at byteCount: Int64) async throws -> URLError {
        let task = session.downloadTask(with: request)
        task.resume()
        if byteCount > 0 { await recorder.waitForBytes(byteCount) }
        _ = await task.cancelByProducingResumeData()
        await recorder.waitForCompletions()
        return try #require(task.error as? URLError)
    }

    @Test(
        arguments: [
            ("GET", "\"v1\"", nil), ("GET", "W/\"v1\"", nil), ("GET", nil, nil),
            ("POST", "\"v1\"", .requestNotResumable),
        ] as [(String, String?, URLError.ResumeDataRefusal?)]
    )
    func `RD-1, RD-4: the error says which condition is not met`(
        method: String,
        tag: String?,
        refusal: URLError.ResumeDataRefusal?
    ) async throws {
        let gate = FixtureGate()
        let file = FixtureFile(
            .seeded(1, byteCount: 300_000),
            entityTag: tag,
            lastModified: nil
        )
        server.on("/song", .file(file).stalling(after: 100_000, at: gate))
        var request = URLRequest(url: try server.address("/song"))
        request.httpMethod = method
        let error = try await cancel(request, at: 100_000)
        #expect(error.resumeDataRefusal == refusal)
        #expect((error.downloadTaskResumeData == nil) == (refusal != nil))
        gate.open()
    }

    @Test func `RD-1: of nothing, nothing can be continued`() async throws {
        let gate = FixtureGate()
        server.on("/song", .content(.text("la")).waiting(at: gate))
        let error = try await cancel(URLRequest(url: try server.address("/song")), at: 0)
        #expect(error.resumeDataRefusal == .nothingReceived)
        gate.open()
    }

    @Test func `who does not ask for resume data is not told why there is none`() async throws {
        let gate = FixtureGate()
        server.on("/song", .content(.text("la")).waiting(at: gate))
        let task = session.downloadTask(with: try server.address("/song"))
        task.resume()
        task.cancel()
        await recorder.waitForCompletions()
        #expect((task.error as? URLError)?.resumeDataRefusal == nil)
        gate.open()
    }
}
