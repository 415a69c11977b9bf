import Dispatch
import FerrySystem
import FerryTestSupport
import Foundation
import Testing

@testable import Ferry

/// Which cookies go with a session's requests, and which of those that come it keeps.
@Suite("Data tasks and cookies", .serialized, .timeLimit(.minutes(1)))
struct CookieWiringTests {
    /// Where cookies are: in memory alone they are looked up on the loop, and elsewhere not.
    enum Place: CaseIterable {
        case memory
        case file

        var configuration: URLSessionConfiguration {
            switch self {
            case .memory: .ephemeral
            case .file: .default
            }
        }
    }

    private let server: FixtureServer

    init() throws {
        _ = Home.path
        server = try FixtureServer()
        let fields = [("Set-Cookie", "song=la")]
        server.on("/song", .content(.text("la")).with(fields: fields))
        server.on("/moved", .status(302, fields: fields + [("Location", "/plain")]))
        server.on("/locked", .status(401, fields: fields + [("WWW-Authenticate", "Basic")]))
        server.on("/plain", .content(.text("la")))
    }

    private func cookies(of configuration: URLSessionConfiguration) -> [String] {
        (configuration.httpCookieStorage?.cookies ?? []).map { "\($0.name)=\($0.value)" }
    }

    private func clear(_ configuration: URLSessionConfiguration) {
        for cookie in configuration.httpCookieStorage?.cookies ?? [] {
            configuration.httpCookieStorage?.deleteCookie(cookie)
        }
    }

    @Test(arguments: ["/song", "/moved", "/locked"], Place.allCases)
    func `TEST-7: a cookie is kept, whatever answer sets it, and goes with the next request`(
        path: String,
        place: Place
    ) async throws {
        let configuration = place.configuration
        clear(configuration)
        let session = URLSession(configuration: configuration)
        _ = try await session.data(from: try server.address(path))
        _ = try await session.data(from: try server.address("/plain"))
        #expect(cookies(of: configuration) == ["song=la"])
        #expect(server.requests.last?["Cookie"] == "song=la")
        clear(configuration)
    }

    @Test(arguments: ["/song", "/moved", "/locked"], Place.allCases)
    func `TEST-7: where the app does not want cookies to be handled, none is kept, and none sent`(
        path: String,
        place: Place
    ) async throws {
        let configuration = place.configuration
        clear(configuration)
        let session = URLSession(configuration: configuration)
        var request = URLRequest(url: try server.address(path))
        request.httpShouldHandleCookies = false
        for _ in 0..<2 { _ = try await session.data(for: request) }
        _ = try await session.data(from: try server.address("/plain"))
        #expect(cookies(of: configuration) == [])
        #expect(server.requests.allSatisfy { $0["Cookie"] == nil })
    }

    @Test(arguments: Place.allCases)
    func `TEST-7: a session that accepts none keeps none`(place: Place) async throws {
        let configuration = place.configuration
        clear(configuration)
        configuration.httpCookieAcceptPolicy = .never
        let session = URLSession(configuration: configuration)
        for _ in 0..<2 { _ = try await session.data(from: try server.address("/song")) }
        #expect(cookies(of: configuration) == [])
        #expect(server.requests.map { $0["Cookie"] } == [nil, nil])
    }

    @Test(arguments: Place.allCases)
    func `TEST-7: a session that is not to set cookies sends none`(place: Place) async throws {
        let configuration = place.configuration
        clear(configuration)
        configuration.httpShouldSetCookies = false
        let session = URLSession(configuration: configuration)
        for _ in 0..<2 { _ = try await session.data(from: try server.address("/song")) }
        #expect(server.requests.map { $0["Cookie"] } == [nil, nil])
        clear(configuration)
    }

    @Test func `TEST-7: a session without a storage keeps none, there or elsewhere`() async throws {
        let configuration = URLSessionConfiguration.default
        clear(configuration)
        configuration.httpCookieStorage = nil
        let session = URLSession(configuration: configuration)
        for _ in 0..<2 { _ = try await session.data(from: try server.address("/song")) }
        #expect(cookies(of: .default) == [])
        #expect(server.requests.map { $0["Cookie"] } == [nil, nil])
    }

    @Test(arguments: [false, true])
    func `cookies are in the storage when a task has ended, however slow the disk is`(
        isDownload: Bool
    ) async throws {
        let configuration = URLSessionConfiguration.default
        clear(configuration)
        server.on("/slow") { _ in
            // The request has looked up its cookies; what stores those of the response comes behind this.
            CookieStore.queue.perform {
                _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 0.2)
            }
            return .content(.text("la")).with(fields: [("Set-Cookie", "song=la")])
        }
        let session = URLSession(configuration: configuration)
        let url = try server.address("/slow")
        if isDownload {
            _ = try await session.download(from: url)
        } else {
            _ = try await session.data(from: url)
        }
        #expect(cookies(of: configuration) == ["song=la"])
        clear(configuration)
    }

    @Test func `API-7: cookies are stored and found for a task`() async throws {
        let storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
        let task = URLSession.shared.dataTask(with: try server.address("/song"))
        let cookie = try #require(
            HTTPCookie(properties: [
                .name: "song", .value: "li", .domain: "127.0.0.1", .path: "/",
            ])
        )
        storage.storeCookies([cookie], for: task)
        let found = await withCheckedContinuation { continuation in
            storage.getCookiesFor(task) { continuation.resume(returning: $0?.map(\.value)) }
        }
        #expect(found == ["li"])
    }
}
