import Ferry
import FerryTestSupport
import Foundation
import Glibc
import Testing

/// Streams that are not as long as their `Content-Length` says.
@Suite("Body lengths", .timeLimit(.minutes(1)))
struct BodyLengthTests {
    private let server: FixtureServer
    private let recorder = DataRecorder()
    private let session: URLSession

    init() throws {
        _ = Home.path
        server = try FixtureServer()
        session = recorder.makeSession()
        server.on("/in", .content(.text("thanks")))
    }

    private func request(announcing count: Int) throws -> URLRequest {
        var request = URLRequest(url: try server.address("/in"))
        request.httpMethod = "POST"
        request.setValue("\(count)", forHTTPHeaderField: "Content-Length")
        // Waiting for it would not pass for an error.
        request.timeoutInterval = 1000
        return request
    }

    private static let wrong = [
        (5, 4), (5, 6), (5, 0), (0, 1), (1, 2), (65_536, 65_537), (100_000, 99_999),
        (100_000, 100_001), (100_000, 400_000), (400_000, 100_000),
    ]

    @Test(arguments: wrong)
    func `HTTP-3: a request's stream of another length is an error, and nothing is accepted`(
        announced: Int,
        length: Int
    ) async throws {
        var request = try request(announcing: announced)
        request.httpBodyStream = InputStream(data: Data(repeating: 7, count: length))
        session.dataTask(with: request).resume()
        await recorder.waitForEnd()
        #expect(recorder.error?.code == .requestBodyStreamExhausted)
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: wrong)
    func `HTTP-3: an upload's stream of another length is an error, and nothing is accepted`(
        announced: Int,
        length: Int
    ) async throws {
        recorder.change { $0.stream = { Data(repeating: 7, count: length) } }
        session.uploadTask(withStreamedRequest: try request(announcing: announced)).resume()
        await recorder.waitForEnd()
        #expect(recorder.error?.code == .requestBodyStreamExhausted)
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: [0, 1, 5, 65_535, 65_536, 65_537, 400_000])
    func `HTTP-3: a stream of the length that was announced is sent`(count: Int) async throws {
        var request = try request(announcing: count)
        request.httpBodyStream = InputStream(data: Data(repeating: 7, count: count))
        session.dataTask(with: request).resume()
        await recorder.waitForEnd()
        #expect(recorder.error == nil)
        #expect(recorder.text == "thanks")
        #expect(server.requests.map(\.body.count) == [count])
        #expect(server.requests.map { $0["Content-Length"] } == ["\(count)"])
    }

    @Test func `HTTP-3: a file that shrinks while it is sent is an error at once`() async throws {
        let directory = try TemporaryDirectory()
        let file = URL(fileURLWithPath: directory.path + "/body")
        try Data(repeating: 7, count: 30_000_000).write(to: file)
        var request = try request(announcing: 5)
        request.setValue(nil, forHTTPHeaderField: "Content-Length")
        let gate = FixtureGate()
        server.hold("/in", [FixtureHold(after: 1000, at: gate)])
        let task = session.uploadTask(with: request, fromFile: file)
        task.resume()
        try await server.waitUntil { $0.heldBodyCount == 1 }
        truncate(file.path, 20_000_000)
        gate.open()
        await recorder.waitForEnd()
        #expect(recorder.error != nil)
        #expect(recorder.error?.code != .timedOut)
        // Whether the server continues uploads was asked before.
        #expect(server.requests.allSatisfy { $0.method == "OPTIONS" })
    }
}
