import FerrySystem
import FerryTestSupport
import Foundation
import Testing

@testable import Ferry

@Suite("What background sessions refuse", .timeLimit(.minutes(1)))
struct BackgroundRefusalTests {
    private let daemon: ScriptedDaemon
    private let app: BackgroundApp
    private let url: URL

    init() async throws {
        daemon = try await ScriptedDaemon.started()
        app = BackgroundApp(daemon)
        url = try #require(URL(string: "https://example.com/song"))
    }

    @Test func `BG-1: data tasks are not for background sessions`() async {
        await #expect(processExitsWith: .failure) {
            let url = try #require(URL(string: "http://localhost/"))
            let configuration = URLSessionConfiguration.background(withIdentifier: "a")
            _ = URLSession(configuration: configuration).dataTask(with: url)
        }
    }

    @Test func `BG-1: WebSocket tasks are not for background sessions`() async {
        await #expect(processExitsWith: .failure) {
            let url = try #require(URL(string: "ws://localhost/"))
            let configuration = URLSessionConfiguration.background(withIdentifier: "a")
            _ = URLSession(configuration: configuration).webSocketTask(with: url)
        }
    }

    @Test func `BG-2: completion handlers are not for background sessions`() async {
        await #expect(processExitsWith: .failure) {
            let url = try #require(URL(string: "http://localhost/"))
            let configuration = URLSessionConfiguration.background(withIdentifier: "a")
            _ = URLSession(configuration: configuration).downloadTask(with: url) { _, _, _ in }
        }
    }

    @Test func `BG-2: async methods are not for background sessions`() async {
        await #expect(processExitsWith: .failure) {
            let url = try #require(URL(string: "http://localhost/"))
            let configuration = URLSessionConfiguration.background(withIdentifier: "a")
            _ = try await URLSession(configuration: configuration).download(from: url)
        }
    }

    @Test func `BG-5: a task of a background session has no delegate of its own`() {
        let task = app.session().downloadTask(with: url)
        task.delegate = SessionRecorder()
        #expect(task.delegate == nil)
    }

    @Test func `BG-6: other schemes fail with -1002`() async throws {
        let url = try #require(URL(string: "ftp://example.com/a"))
        app.session().downloadTask(with: url).resume()
        await app.recorder.waitForCompletions()
        #expect(app.recorder.calls.last == .completed(1, .unsupportedURL))
        #expect(daemon.calls.requests.isEmpty)
    }

    @Test func `API-5: a task that is refused has metrics`() async throws {
        let recorder = DataRecorder()
        let url = try #require(URL(string: "ftp://example.com/a"))
        app.session(delegate: recorder).downloadTask(with: url).resume()
        await recorder.waitForEnd()
        #expect(recorder.story == ["metrics 0", "completed -1002"])
    }

    @Test func `API-9: a request without a URL fails with -1002`() async throws {
        var request = URLRequest(url: url)
        request.url = nil
        app.session().downloadTask(with: request).resume()
        await app.recorder.waitForCompletions()
        #expect(app.recorder.calls.last == .completed(1, .unsupportedURL))
    }
}
