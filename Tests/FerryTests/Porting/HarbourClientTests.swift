import Ferry
import FerryTestSupport
import Foundation
import Testing

/// An app's client of a web service, against httpbin.
@Suite("A ported API client", .timeLimit(.minutes(1))) struct HarbourClientTests {
    private typealias Failure = HarbourClient.Failure
    private typealias Ship = HarbourClient.Ship

    /// What httpbin tells of a request.
    private struct Told: Decodable {
        let method: String
        let args: [String: String]
        let headers: [String: String]
        let json: HarbourClient.Ship?
    }

    private let client: HarbourClient
    private let baseURL: URL

    init() async throws {
        _ = Home.path
        baseURL = try #require(URL(string: try await HTTPBin.shared.origin))
        client = HarbourClient(baseURL: baseURL)
    }

    @Test func `query items arrive as they were meant`() async throws {
        let query = [
            URLQueryItem(name: "name", value: "Mary & Söhne"),
            URLQueryItem(name: "flag", value: "🇲🇹"), URLQueryItem(name: "a+b", value: "50%"),
        ]
        let told = try await client.get("anything/ships", query: query, as: Told.self)
        #expect(told.method == "GET")
        #expect(told.args["name"] == "Mary & Söhne")
        #expect(told.args["flag"] == "🇲🇹")
        #expect(told.headers["Accept"] == "application/json")
    }

    @Test(arguments: ["POST", "PUT", "PATCH"]) func `a value is sent as JSON`(
        method: String
    ) async throws {
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        let ship = Ship(name: "Argo", berth: 7, arrivesAt: date)
        let told = try await client.send(ship, to: "anything", method: method, as: Told.self)
        #expect(told.method == method)
        #expect(told.json == ship)
        #expect(told.headers["Content-Type"] == "application/json")
    }

    @Test(arguments: [
        (401, Failure.notSignedIn), (404, .notFound), (409, .rejected(status: 409)),
        (500, .serverFailed(status: 500)), (503, .serverFailed(status: 503)),
    ])
    func `a status has a meaning`(status: Int, failure: HarbourClient.Failure) async {
        await #expect(throws: failure) {
            try await client.get("status/\(status)", as: Ship.self)
        }
    }

    @Test func `an answer that is no JSON cannot be read`() async {
        await #expect(throws: Failure.unreadableAnswer) {
            try await client.get("html", as: Ship.self)
        }
    }

    @Test func `a redirect leads to the answer`() async throws {
        let told = try await client.get(
            "redirect-to",
            query: [URLQueryItem(name: "url", value: "/anything/there")],
            as: Told.self
        )
        #expect(told.method == "GET")
    }

    @Test func `a compressed answer is read`() async throws {
        struct Answer: Decodable {
            let gzipped: Bool
        }
        #expect(try await client.get("gzip", as: Answer.self).gzipped)
    }

    @Test func `who is not signed in is signed in once, for all requests`() async throws {
        struct Answer: Decodable {
            let authenticated: Bool
            let token: String
        }
        let tokens = try await withThrowingTaskGroup(of: Answer.self) { group in
            for _ in 0..<5 {
                group.addTask { try await client.getAuthorized("bearer") }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(tokens.map(\.authenticated) == Array(repeating: true, count: 5))
        let again: Answer = try await client.getAuthorized("bearer")
        let count = await client.refreshCount
        #expect(again.token == "fresh-\(count)")
        #expect((1...5).contains(count))
    }

    @Test func `a server that is not there makes the app offline`() async throws {
        let closed = try FixtureClosedPort()
        let client = HarbourClient(baseURL: try #require(URL(string: closed.url(""))))
        await #expect(throws: Failure.offline(.cannotConnectToHost)) {
            try await client.get("anything", as: Ship.self)
        }
    }

    @Test func `a completion handler gets the data`() async throws {
        let data = try await withCheckedThrowingContinuation { continuation in
            client.load("bytes/1000") { continuation.resume(with: $0) }
        }
        #expect(data.count == 1000)
    }

    @Test func `a completion handler gets the failure`() async {
        await #expect(throws: Failure.notFound) {
            try await withCheckedThrowingContinuation { continuation in
                client.load("status/404") { continuation.resume(with: $0) }
            }
        }
    }

    @Test func `a task that is cancelled calls its handler with the error`() async throws {
        let error = await #expect(throws: URLError.self) {
            try await withCheckedThrowingContinuation { continuation in
                let task = client.load("delay/10") { continuation.resume(with: $0) }
                task?.cancel()
            }
        }
        #expect(error?.code == .cancelled)
    }

    @Test func `cancelling the surrounding task cancels the request`() async throws {
        let request = Task { [client] in try await client.get("delay/10", as: Ship.self) }
        request.cancel()
        let result = await request.result
        #expect(throws: URLError.self) { try result.get() }
    }
}
