import Ferry
import FerryTestSupport
import Foundation
import Testing

@Suite("Redirects of tasks", .timeLimit(.minutes(1)))
struct RedirectTests {
    private let server: FixtureServer
    private let recorder = DataRecorder()
    private let session: URLSession

    init() throws {
        _ = Home.path
        server = try FixtureServer()
        session = recorder.makeSession()
        server.on("/end", .content(.text("la")))
    }

    private func request(_ path: String, _ method: String = "GET") throws -> URLRequest {
        var request = URLRequest(url: try server.address(path))
        request.httpMethod = method
        return request
    }

    @Test func `OR-6: the delegate is asked, and hears of the last response only`() async throws {
        server.on("/start", .redirect(to: "/middle"))
        server.on("/middle", .redirect(to: "/end", status: 307))
        let task = session.dataTask(with: try request("/start"))
        task.resume()
        await recorder.waitForEnd()
        #expect(
            recorder.story == [
                "redirect 302 GET /middle", "redirect 307 GET /end", "response 200", "data",
                "metrics 3", "completed",
            ]
        )
        #expect(task.originalRequest?.url?.path == "/start")
        #expect(task.currentRequest?.url?.path == "/end")
    }

    @Test func `OR-6: the delegate is asked about a redirect to the app's own scheme`() async throws
    {
        server.on("/start", .redirect(to: "myapp://login?code=5"))
        recorder.change { $0.redirect = { _ in nil } }
        let task = session.dataTask(with: try request("/start"))
        task.resume()
        await recorder.waitForEnd()
        #expect(task.error == nil)
        #expect((task.response as? HTTPURLResponse)?.statusCode == 302)
        #expect(recorder.story.first == "redirect 302 GET ")
    }

    @Test func `BG-6: a redirect to another scheme that the delegate follows fails`() async throws {
        server.on("/start", .redirect(to: "myapp://login?code=5"))
        let task = session.dataTask(with: try request("/start"))
        task.resume()
        await recorder.waitForEnd()
        let error = task.error as? URLError
        #expect(error?.code == .unsupportedURL)
        #expect(error?.failingURL?.absoluteString == "myapp://login?code=5")
    }

    @Test(arguments: ["Basic realm=\"a\"", "Digest realm=\"a\", nonce=\"n\", qop=\"auth\""])
    func `SEC-3: a password is not sent to a server that the app redirects its request to`(
        way: String
    ) async throws {
        let other = try FixtureServer()
        other.on("/end", .content(.text("la")))
        server.on(
            "/start",
            .status(401, fields: [("WWW-Authenticate", way)]),
            .redirect(to: "/middle")
        )
        let target = try other.address("/end")
        recorder.change { answers in
            answers.challenge = { _ in
                let credential = URLCredential(user: "u", password: "p", persistence: .none)
                return (.useCredential, credential)
            }
            answers.redirect = { offered in
                var request = offered
                request.url = target
                return request
            }
        }
        session.dataTask(with: try request("/start")).resume()
        await recorder.waitForEnd()
        #expect(recorder.text == "la")
        #expect(server.requests(to: "/start").map { $0["Authorization"] != nil } == [false, true])
        #expect(other.requests(to: "/end").map { $0["Authorization"] } == [nil])
    }

    /// Counts the redirects that a task's metrics tell of.
    private final class RedirectCounter: NSObject, URLSessionTaskDelegate {
        let count = Awaited<Int?>(nil)
        private let follows: Bool

        init(follows: Bool) { self.follows = follows }

        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest,
            completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) { completionHandler(follows ? request : nil) }

        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            didFinishCollecting metrics: URLSessionTaskMetrics
        ) { count.change { [count = metrics.redirectCount] in $0 = count } }
    }

    @Test(arguments: [true, false])
    func `TEST-13: metrics count the redirects that were followed, and no others`(
        follows: Bool
    ) async throws {
        server.on("/start", .redirect(to: "/middle"))
        server.on("/middle", .redirect(to: "/end"))
        let counter = RedirectCounter(follows: follows)
        _ = try await session.data(for: request("/start"), delegate: counter)
        await counter.count.wait { $0 != nil }
        #expect(counter.count.value == (follows ? 2 : 0))
    }

    @Test func `OR-7: nil makes the redirect the answer`() async throws {
        server.on("/start", .redirect(to: "/end"))
        recorder.change { $0.redirect = { _ in nil } }
        session.dataTask(with: try request("/start")).resume()
        await recorder.waitForEnd()
        #expect(
            recorder.story == [
                "redirect 302 GET /end", "response 302", "data", "metrics 1", "completed",
            ]
        )
        #expect(recorder.text == "It is elsewhere.")
        #expect(server.requests.count == 1)
    }

    @Test func `OR-8: a task whose redirect is never answered hangs, and can be cancelled`()
        async throws
    {
        server.on("/start", .redirect(to: "/end"))
        recorder.change { $0.answersRedirects = false }
        let task = session.dataTask(with: try request("/start"))
        task.resume()
        await recorder.wait(for: "redirect 302 GET /end")
        #expect(task.state == .running)
        task.cancel()
        await recorder.waitForEnd()
        #expect(recorder.error?.code == .cancelled)
    }

    @Test func `the app may send another request than it is offered`() async throws {
        server.on("/start", .redirect(to: "/elsewhere"))
        recorder.change { answers in
            answers.redirect = { offered in
                var request = offered
                request.url = URL(string: "/end", relativeTo: offered.url)?.absoluteURL
                request.setValue("secret", forHTTPHeaderField: "X-Key")
                return request
            }
        }
        session.dataTask(with: try request("/start")).resume()
        await recorder.waitForEnd()
        #expect(recorder.text == "la")
        #expect(server.requests.map(\.path) == ["/start", "/end"])
        #expect(server.requests.last?["X-Key"] == "secret")
    }

    @Test func `a field that the app adds or takes away counts`() async throws {
        server.on("/start", .redirect(to: "/end"))
        recorder.change { answers in
            answers.redirect = { offered in
                var request = offered
                request.setValue("new", forHTTPHeaderField: "Authorization")
                request.setValue(nil, forHTTPHeaderField: "X-Key")
                return request
            }
        }
        var request = try request("/start")
        request.setValue("secret", forHTTPHeaderField: "X-Key")
        session.dataTask(with: request).resume()
        await recorder.waitForEnd()
        #expect(server.requests.last?["Authorization"] == "new")
        #expect(server.requests.last?["X-Key"] == nil)
    }

    @Test func `DL-3: a form that leads back to its own address is fetched, not sent again`()
        async throws
    {
        server.on("/form", .redirect(to: "/form", status: 303), .content(.text("thanks")))
        var request = try request("/form", "POST")
        request.httpBody = Data("a=b".utf8)
        let task = session.dataTask(with: request)
        task.resume()
        await recorder.waitForEnd()
        #expect(recorder.story.contains("redirect 303 GET /form"))
        #expect(server.requests.map(\.method) == ["POST", "GET"])
        #expect(task.currentRequest?.httpMethod == "GET")
    }

    @Test(
        arguments: [
            (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"),
            (303, "PUT", "GET"), (301, "PUT", "PUT"), (302, "DELETE", "DELETE"),
            (305, "POST", "POST"), (306, "POST", "POST"), (307, "POST", "POST"),
            (308, "PUT", "PUT"),
        ]
    )
    func `DL-3: what becomes of the method and the body`(
        status: Int,
        method: String,
        next: String
    ) async throws {
        server.on("/start", .redirect(to: "/end", status: status))
        var request = try request("/start", method)
        request.httpBody = Data("a=b".utf8)
        session.dataTask(with: request).resume()
        await recorder.waitForEnd()
        #expect(recorder.error == nil)
        let last = try #require(server.requests.last)
        #expect(last.method == next)
        #expect(String(decoding: last.body, as: UTF8.self) == (next == "GET" ? "" : "a=b"))
    }

    @Test(arguments: [301, 302, 303])
    func `API-28: a body that the delegate sends again is described as the app has done`(
        status: Int
    ) async throws {
        server.on("/start", .redirect(to: "/end", status: status))
        recorder.change {
            $0.redirect = { offered in
                var request = offered
                request.httpMethod = "POST"
                request.httpBody = Data("{}".utf8)
                return request
            }
        }
        var request = try request("/start", "POST")
        request.httpBody = Data("{}".utf8)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("de", forHTTPHeaderField: "Content-Language")
        session.dataTask(with: request).resume()
        await recorder.waitForEnd()
        let last = try #require(server.requests.last)
        #expect(last.method == "POST")
        #expect(last.fields.filter { $0.name.lowercased() == "content-type" }.count == 1)
        #expect(last["Content-Type"] == "application/json")
        #expect(last["Content-Language"] == "de")
        #expect(last.body == Array("{}".utf8))
    }

    @Test func `API-28: what the delegate says of the body counts`() async throws {
        server.on("/start", .redirect(to: "/end"))
        recorder.change {
            $0.redirect = { offered in
                var request = offered
                request.httpMethod = "PUT"
                request.httpBody = Data("a".utf8)
                request.setValue("text/plain", forHTTPHeaderField: "content-type")
                return request
            }
        }
        var request = try request("/start", "POST")
        request.httpBody = Data("{}".utf8)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        session.dataTask(with: request).resume()
        await recorder.waitForEnd()
        #expect(server.requests.last?["Content-Type"] == "text/plain")
    }

    @Test func `API-28: a GET after a POST describes no body`() async throws {
        server.on("/start", .redirect(to: "/end"))
        var request = try request("/start", "POST")
        request.httpBody = Data("{}".utf8)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        session.dataTask(with: request).resume()
        await recorder.waitForEnd()
        #expect(server.requests.last?.method == "GET")
        #expect(server.requests.last?["Content-Type"] == nil)
    }

    @Test(arguments: [300, 304])
    func `DL-3: these are final`(status: Int) async throws {
        server.on("/start", .status(status, fields: [("Location", "/end")]))
        session.dataTask(with: try request("/start")).resume()
        await recorder.waitForEnd()
        #expect(recorder.story.first == "response \(status)")
        #expect(server.requests.count == 1)
    }

    @Test func `DL-4: the 21st redirect fails`() async throws {
        server.on("/start", .redirect(to: "/start"))
        let task = session.dataTask(with: try request("/start"))
        task.resume()
        await recorder.waitForEnd()
        #expect(recorder.error?.code == .httpTooManyRedirects)
        #expect(server.requests.count == 21)
    }

    @Test func `a request's time-out holds where it is redirected to, too`() async throws {
        let gate = FixtureGate()
        server.on("/start", .redirect(to: "/silent"))
        server.on("/silent", .content(.text("la")).stalling(after: 0, at: gate))
        var request = try request("/start")
        request.timeoutInterval = 0.2
        session.dataTask(with: request).resume()
        await recorder.waitForEnd()
        #expect(recorder.story.first == "redirect 302 GET /silent")
        #expect(recorder.error?.code == .timedOut)
        gate.open()
    }

    @Test func `secrets stay with their origin`() async throws {
        let other = try FixtureServer()
        other.on("/end", .content(.text("la")))
        server.on("/start", .redirect(to: other.url("/end")))
        var request = try request("/start")
        request.setValue("Bearer x", forHTTPHeaderField: "Authorization")
        request.setValue("text/plain", forHTTPHeaderField: "Accept")
        session.dataTask(with: request).resume()
        await recorder.waitForEnd()
        let last = try #require(other.requests.last)
        #expect(last["Authorization"] == nil)
        #expect(last["Accept"] == "text/plain")
    }

    @Test func `a redirect to something that is not HTTP fails`() async throws {
        server.on("/start", .redirect(to: "file:///etc/passwd"))
        session.dataTask(with: try request("/start")).resume()
        await recorder.waitForEnd()
        #expect(recorder.error?.code == .unsupportedURL)
    }

    @Test func `a download asks its delegate, too`() async throws {
        server.on("/start", .redirect(to: "/end"))
        session.downloadTask(with: try request("/start")).resume()
        await recorder.waitForEnd()
        #expect(
            recorder.story == [
                "redirect 302 GET /end", "wrote", "finished", "metrics 2", "completed",
            ]
        )
    }
}
