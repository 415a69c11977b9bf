import Ferry
import FerryTestSupport
import Foundation
import Testing

/// Uploads of files whose file system does not answer any more.
@Suite(.enabled(if: HangingDisk.canBeMade), .timeLimit(.minutes(1)))
struct HangingUploadTests {
    private let server: FixtureServer
    private let recorder = DataRecorder()
    private let session: URLSession

    init() throws {
        _ = Home.path
        server = try FixtureServer()
        session = recorder.makeSession()
        server.on("/in", .content(.text("thanks")))
        server.on("/other", .content(.text("hello")))
    }

    @Test(arguments: [HangingDisk.Operation.open, .getattr, .read])
    func `REL-1: a file that does not answer stops no other task, and its own can be cancelled`(
        operation: HangingDisk.Operation
    ) async throws {
        let disk = try await HangingDisk(byteCount: 20_000_000)
        // Without the hint Foundation would look whether it is a directory, and hang itself.
        let file = URL(filePath: disk.file, directoryHint: .notDirectory)
        try await disk.hang(operation)
        var request = URLRequest(url: try server.address("/in"))
        request.httpMethod = "PUT"
        let task = session.uploadTask(with: request, fromFile: file)
        task.resume()
        try await disk.waitUntilHanging(operation)
        let (data, _) = try await session.data(from: try server.address("/other"))
        #expect(String(decoding: data, as: UTF8.self) == "hello")
        task.cancel()
        await recorder.waitForEnd()
        #expect((task.error as? URLError)?.code == .cancelled)
        #expect(server.requests(to: "/in").isEmpty)
        try await disk.goOn()
    }
}
