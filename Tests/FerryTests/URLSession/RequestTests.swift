import FerryHTTP
import FerryTestSupport
import FerryTransfer
import Foundation
import Testing

@testable import Ferry

@Suite("What sessions send", .timeLimit(.minutes(1)))
struct RequestTests {
    private let server: FixtureServer
    private let gate = FixtureGate()

    init() throws {
        _ = Home.path
        server = try FixtureServer()
        server.on("/song", .content(.text("la")))
    }

    private func session(
        _ change: (URLSessionConfiguration) -> Void = { _ in },
        delegate: SessionRecorder? = nil
    ) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        change(configuration)
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    @Test func `additional fields are sent unless the request has them`() async throws {
        let session = session {
            $0.httpAdditionalHeaders = ["Accept": "text/plain", "X-Count": 3, "X-App": "mine"]
        }
        var request = URLRequest(url: try server.address("/song"))
        request.setValue("theirs", forHTTPHeaderField: "x-app")
        _ = try await session.download(for: request)
        let sent = try #require(server.requests.first)
        #expect(sent["Accept"] == "text/plain")
        #expect(sent["X-Count"] == "3")
        #expect(sent["X-App"] == "theirs")
        #expect(sent.fields.count { $0.name.lowercased() == "x-app" } == 1)
    }

    @Test func `DL-5: a GET with a body fails before it is sent`() async throws {
        var request = URLRequest(url: try server.address("/song"))
        request.httpBody = Data([1])
        await expectURLError(.dataLengthExceedsMaximum) {
            try await session().download(for: request)
        }
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: [nil, "text/plain"])
    func `DL-6: a POST has a content type`(type: String?) async throws {
        var request = URLRequest(url: try server.address("/song"))
        request.httpMethod = "POST"
        request.httpBody = Data("a=b".utf8)
        request.setValue(type, forHTTPHeaderField: "Content-Type")
        _ = try await session().download(for: request)
        let sent = try #require(server.requests.first)
        #expect(sent.method == "POST")
        #expect(sent.body == Array("a=b".utf8))
        #expect(sent["Content-Type"] == type ?? "application/x-www-form-urlencoded")
    }

    @Test(arguments: ["ftp://example.com/a", "nonsense", "http:///a"])
    func `schemes that nobody knows fail with -1002`(text: String) async throws {
        let url = try #require(URL(string: text))
        await expectURLError(.unsupportedURL) {
            try await session().download(from: url)
        }
    }

    @Test func `API-9: a request without a URL fails with -1002`() async throws {
        var request = URLRequest(url: try server.address("/song"))
        request.url = nil
        let session = session()
        await expectURLError(.unsupportedURL) { try await session.data(for: request) }
        await expectURLError(.unsupportedURL) { try await session.download(for: request) }
        await expectURLError(.unsupportedURL) {
            try await session.upload(for: request, from: Data())
        }
        let socket = session.webSocketTask(with: request)
        socket.resume()
        await expectURLError(.unsupportedURL) { try await socket.receive() }
    }

    @Test(arguments: [true, false])
    func `API-11: after too many redirects the last URL asked for is named`(
        isDownload: Bool
    ) async throws {
        for number in 0...21 {
            server.on("/\(number)", .redirect(to: "/\(number + 1)"))
        }
        let recorder = DataRecorder()
        let session = recorder.makeSession()
        let url = try server.address("/0")
        let task = isDownload ? session.downloadTask(with: url) : session.dataTask(with: url)
        task.resume()
        await recorder.waitForEnd()
        #expect(recorder.error?.code == .httpTooManyRedirects)
        #expect(recorder.error?.failingURL == (try server.address("/20")))
        #expect(task.currentRequest?.url == (try server.address("/20")))
        #expect(task.originalRequest?.url == url)
        #expect(server.requests.count == 21)
    }

    @Test func `API-11: the current request is the redirect's when its host is not there`()
        async throws
    {
        let closed = try FixtureClosedPort()
        server.on("/old", .redirect(to: closed.url("/gone")))
        let recorder = DataRecorder()
        let task = recorder.makeSession().dataTask(with: try server.address("/old"))
        task.resume()
        await recorder.waitForEnd()
        #expect(recorder.error?.code == .cannotConnectToHost)
        #expect(task.currentRequest?.url?.absoluteString == closed.url("/gone"))
    }

    @Test func `BG-7: a redirect is followed and changes the current request`() async throws {
        server.on("/old", .redirect(to: "/song"))
        let recorder = SessionRecorder()
        let session = session(delegate: recorder)
        let task = session.downloadTask(with: try server.address("/old"))
        task.resume()
        await recorder.waitForCompletions()
        #expect(recorder.calls.last == .completed(1, nil))
        #expect(task.originalRequest?.url?.path == "/old")
        #expect(task.currentRequest?.url?.path == "/song")
        #expect(task.response?.url?.path == "/song")
    }

    @Test func `REL-18: a task with 20 000 additional fields is made at once`() throws {
        let names = (0..<20_000).map { "X-\($0)" }
        let fields = Dictionary(uniqueKeysWithValues: names.map { ($0 as AnyHashable, "a" as Any) })
        let session = session({ $0.httpAdditionalHeaders = fields })
        var request = URLRequest(url: try server.address("/song"))
        for name in names.prefix(10) {
            request.setValue("own", forHTTPHeaderField: name.lowercased())
        }
        let own = request
        // Each name beside each other one takes minutes.
        let time = processorTime {
            let task = session.dataTask(with: own)
            #expect(task.currentRequest?.allHTTPHeaderFields?.count == 20_000)
            #expect(task.currentRequest?.value(forHTTPHeaderField: "X-9") == "own")
            task.cancel()
        }
        #expect(time < .seconds(10))
    }

    @Test func `DL-4: the 21st redirect in a row fails with -1007`() async throws {
        server.on("/loop", .redirect(to: "/loop"))
        let url = try server.address("/loop")
        let error = await #expect(throws: URLError.self) {
            try await session().download(from: url)
        }
        #expect(error?.code == .httpTooManyRedirects)
        #expect(error?.failingURL == url)
        #expect(error?.localizedDescription == "Too many HTTP redirects.")
        #expect(server.requests.count == 21)
    }

    @Test func `a session uses as many connections to a host as it may`() async throws {
        server.on("/slow", .content(.seeded(1, byteCount: 10)).stalling(after: 5, at: gate))
        let recorder = SessionRecorder()
        let session = session({ $0.httpMaximumConnectionsPerHost = 2 }, delegate: recorder)
        for number in 0..<7 {
            session.downloadTask(with: try server.address("/slow?\(number)")).resume()
        }
        try await server.waitForStall(at: "/slow", request: 1)
        gate.open()
        await recorder.waitForCompletions(7)
        #expect(server.history.maximumOpenConnectionCount == 2)
        #expect(recorder.calls.count { $0.name == "finished" } == 7)
    }

    @Test func `DL-26: of waiting tasks that with the greatest priority comes first`() async throws
    {
        server.on("/slow", .content(.seeded(1, byteCount: 10)).stalling(after: 5, at: gate))
        for name in ["/low", "/normal", "/high", "/raised"] {
            server.on(name, .content(.text(name)))
        }
        let recorder = SessionRecorder()
        let session = session({ $0.httpMaximumConnectionsPerHost = 1 }, delegate: recorder)
        session.downloadTask(with: try server.address("/slow")).resume()
        try await server.waitForStall(at: "/slow")

        let low = session.downloadTask(with: try server.address("/low"))
        low.priority = URLSessionTask.lowPriority
        let raised = session.downloadTask(with: try server.address("/raised"))
        let high = session.downloadTask(with: try server.address("/high"))
        high.priority = URLSessionTask.highPriority
        let normal = session.downloadTask(with: try server.address("/normal"))
        for task in [low, raised, high, normal] { task.resume() }
        raised.priority = 1
        // All of that has reached the loop when this returns.
        await session.flush()
        gate.open()
        await recorder.waitForCompletions(5)
        #expect(
            server.requests.map(\.path) == ["/slow", "/raised", "/high", "/normal", "/low"]
        )
    }

    @Test(arguments: [(Float(2), Float(1)), (-1, 0), (.nan, 0.5), (0.3, 0.3)])
    func `a priority is brought into its range`(given: Float, kept: Float) throws {
        let task = session().downloadTask(with: try server.address("/song"))
        defer { task.cancel() }
        task.priority = given
        #expect(task.priority == kept)
    }

    // MARK: - Time

    @Test(arguments: [true, false])
    func `a server that falls silent fails the task with -1001`(setByRequest: Bool) async throws {
        server.on("/slow", .content(.seeded(1, byteCount: 10)).stalling(after: 5, at: gate))
        var request = URLRequest(url: try server.address("/slow"))
        if setByRequest { request.timeoutInterval = 0.2 }
        let session = session { if !setByRequest { $0.timeoutIntervalForRequest = 0.2 } }
        await expectURLError(.timedOut) { try await session.download(for: request) }
    }

    @Test func `BG-17: a task that takes too long altogether fails with -1001`() async throws {
        server.on("/slow", .content(.seeded(1, byteCount: 10)).stalling(after: 5, at: gate))
        let session = session { $0.timeoutIntervalForResource = 0.2 }
        await expectURLError(.timedOut) {
            try await session.download(from: try server.address("/slow"))
        }
    }

    @Test func `BG-17: the time for the whole resource runs while a task waits in line`()
        async throws
    {
        server.on("/slow", .content(.seeded(1, byteCount: 10)).stalling(after: 5, at: gate))
        let recorder = SessionRecorder()
        let session = session(
            {
                $0.timeoutIntervalForResource = 0.2
                $0.httpMaximumConnectionsPerHost = 1
            },
            delegate: recorder
        )
        for _ in 0..<3 { session.downloadTask(with: try server.address("/slow")).resume() }
        await recorder.waitForCompletions(3)
        for task in 1...3 { #expect(recorder.calls.contains(.completed(task, .timedOut))) }
    }
}

/// How a session's fields and a request's own come together.
@Suite(.timeLimit(.minutes(1))) struct RequestTranslationTests {
    private let configuration: URLSessionConfiguration.Values

    init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["Authorization": "secret", "X-App": "session"]
        self.configuration = configuration.snapshot
    }

    @Test(
        arguments: [("https://b/old", nil), ("https://a/old", "secret"), (nil, "secret")]
            as [(String?, String?)]
    )
    func `SEC-2: a new link gets the session's secrets if it leads to the task's own server`(
        own: String?,
        secret: String?
    ) throws {
        let request = try TransferRequest(
            URLRequest(url: #require(URL(string: "https://a/new"))),
            configuration: configuration,
            madeFor: own
        )
        #expect(request.fields.first(named: "Authorization") == secret)
    }

    @Test func `a request's own field comes before the session's`() throws {
        var request = URLRequest(url: try #require(URL(string: "https://a/")))
        request.setValue("own", forHTTPHeaderField: "x-app")
        let completed = request.completed(by: configuration)
        #expect(completed.value(forHTTPHeaderField: "X-App") == "own")
        #expect(completed.value(forHTTPHeaderField: "Authorization") == "secret")
    }
}
