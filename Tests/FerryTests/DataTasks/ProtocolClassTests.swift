import Ferry
import FerryTestSupport
import Foundation
import Testing

/// Answers what begins with `mock:`, by what the path says.
private final class MockProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool {
        request.url?.scheme == "mock"
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url, let client else { return }
        switch url.path {
        case "/fail":
            client.urlProtocol(self, didFailWithError: URLError(.dnsLookupFailed))
        case "/moved":
            guard let next = URL(string: "mock://host/text"),
                let response = HTTPURLResponse(
                    url: url,
                    statusCode: 302,
                    httpVersion: nil,
                    headerFields: nil
                )
            else { return }
            client.urlProtocol(
                self,
                wasRedirectedTo: URLRequest(url: next),
                redirectResponse: response
            )
        case "/never": break
        case "/begun", "/broken":
            let response = URLResponse(
                url: url,
                mimeType: nil,
                expectedContentLength: -1,
                textEncodingName: nil
            )
            client.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            client.urlProtocol(self, didLoad: Data("la ".utf8))
            guard url.path == "/broken" else { return }
            client.urlProtocol(self, didFailWithError: URLError(.dnsLookupFailed))
        default:
            guard
                let response = HTTPURLResponse(
                    url: url,
                    statusCode: 201,
                    httpVersion: "HTTP/1.1",
                    headerFields: ["Content-Length": "5"]
                )
            else { return }
            client.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            client.urlProtocol(self, didLoad: Data("la ".utf8))
            client.urlProtocol(self, didLoad: Data("la".utf8))
            client.urlProtocolDidFinishLoading(self)
        }
    }

    override func stopLoading() {}
}

/// Answers what begins with `relay:` by what another session gets.
private final class RelayProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool {
        request.url?.scheme == "relay"
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url,
            let target = URL(string: "http" + url.absoluteString.dropFirst("relay".count))
        else { return }
        nonisolated(unsafe) let relay = self
        URLSession.shared.dataTask(with: target) { data, response, error in
            if let response {
                relay.client?.urlProtocol(
                    relay,
                    didReceive: response,
                    cacheStoragePolicy: .notAllowed
                )
            }
            if let data { relay.client?.urlProtocol(relay, didLoad: data) }
            if let error {
                relay.client?.urlProtocol(relay, didFailWithError: error)
            } else {
                relay.client?.urlProtocolDidFinishLoading(relay)
            }
        }.resume()
    }

    override func stopLoading() {}
}

/// Answers what begins with `lead:` by a redirect to the same with `http:`, and looks at that at leisure.
private final class LeadProtocol: URLProtocol {
    /// What a class says of a redirect's target to a test of this path.
    static let asked = FixtureGate()
    static let answer = FixtureGate()

    override class func canInit(with request: URLRequest) -> Bool {
        if request.url?.path == "/leisure", request.url?.scheme == "http" {
            asked.open()
            answer.wait()
        }
        return request.url?.scheme == "lead"
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url,
            let next = URL(string: "http" + url.absoluteString.dropFirst("lead".count)),
            let response = HTTPURLResponse(
                url: url,
                statusCode: 302,
                httpVersion: nil,
                headerFields: nil
            )
        else { return }
        client?.urlProtocol(
            self,
            wasRedirectedTo: URLRequest(url: next),
            redirectResponse: response
        )
    }

    override func stopLoading() {}
}

/// Answers tasks whose URL begins with `task:` by the task's number, and the field that its session adds.
private final class TaskProtocol: URLProtocol {
    override class func canInit(with task: URLSessionTask) -> Bool {
        let added = task.currentRequest?.value(forHTTPHeaderField: "X-Session")
        return task.currentRequest?.url?.scheme == "task" && added == "added"
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url, let task else {
            client?.urlProtocol(self, didFailWithError: URLError(.unknown))
            return
        }
        guard url.path != "/moved" else { return lead(from: url) }
        let added = request.value(forHTTPHeaderField: "X-Session") ?? "none"
        let response = URLResponse(
            url: url,
            mimeType: nil,
            expectedContentLength: -1,
            textEncodingName: nil
        )
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data("\(task.taskIdentifier) \(added)".utf8))
        client?.urlProtocolDidFinishLoading(self)
    }

    private func lead(from url: URL) {
        guard let next = URL(string: "task://host/text"),
            let response = HTTPURLResponse(
                url: url,
                statusCode: 302,
                httpVersion: nil,
                headerFields: nil
            )
        else { return }
        client?.urlProtocol(
            self,
            wasRedirectedTo: URLRequest(url: next),
            redirectResponse: response
        )
    }

    override func stopLoading() {}
}

@Suite("Protocol classes of an app's", .timeLimit(.minutes(1)))
struct ProtocolClassTests {
    private let recorder = DataRecorder()
    private let session: URLSession

    init() {
        _ = Home.path
        session = recorder.makeSession { configuration in
            configuration.protocolClasses = [
                MockProtocol.self, RelayProtocol.self, LeadProtocol.self, TaskProtocol.self,
                FieldProtocol.self,
            ]
            configuration.httpAdditionalHeaders = ["X-Session": "added", "X-Own": "session's"]
            configuration.httpMaximumConnectionsPerHost = 1
        }
    }

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test func `a data task is answered by a class`() async throws {
        let task = session.dataTask(with: try url("mock://host/text"))
        task.resume()
        await recorder.waitForEnd()
        #expect(recorder.story == ["response 201", "data", "metrics 1", "completed"])
        #expect(recorder.text == "la la")
        #expect(task.countOfBytesReceived == 5)
    }

    @Test func `a download task is answered by a class`() async throws {
        session.downloadTask(with: try url("mock://host/text")).resume()
        await recorder.waitForEnd()
        #expect(recorder.file == Data("la la".utf8))
    }

    @Test func `a download that its class does not complete leaves no file`() async {
        // In a process of its own, so that all files there are this test's.
        await #expect(processExitsWith: .success) {
            _ = Home.path
            let recorder = DataRecorder()
            let session = recorder.makeSession { $0.protocolClasses = [MockProtocol.self] }
            let begun = try #require(URL(string: "mock://host/begun"))
            let task = session.downloadTask(with: begun)
            task.resume()
            await recorder.wait(for: "wrote")
            #expect(!Home.leftovers.isEmpty)
            task.cancel()
            await recorder.waitForEnd()
            #expect(recorder.error?.code == .cancelled)
            #expect(Home.leftovers == [])
            let broken = try #require(URL(string: "mock://host/broken"))
            session.downloadTask(with: broken).resume()
            await recorder.waitForEnd(2)
            #expect(recorder.error?.code == .dnsLookupFailed)
            #expect(recorder.story.count { $0 == "wrote" } == 2)
            #expect(Home.leftovers == [])
        }
    }

    @Test func `a class's error is the task's`() async throws {
        await expectURLError(.dnsLookupFailed) {
            try await session.data(from: try url("mock://host/fail"))
        }
    }

    @Test func `a class's redirect is asked about and followed`() async throws {
        session.dataTask(with: try url("mock://host/moved")).resume()
        await recorder.waitForEnd()
        #expect(
            recorder.story == [
                "redirect 302 GET /text", "response 201", "data", "metrics 2", "completed",
            ]
        )
    }

    @Test func `a task that its class never answers can be cancelled`() async throws {
        let task = session.dataTask(with: try url("mock://host/never"))
        task.resume()
        task.cancel()
        await recorder.waitForEnd()
        #expect(recorder.error?.code == .cancelled)
    }

    @Test func `a class may use a session itself`() async throws {
        let server = try FixtureServer()
        server.on("/song", .content(.text("la")))
        let text = "relay" + server.url("/song").dropFirst("http".count)
        let (data, response) = try await session.data(from: try url(text))
        #expect(data == Data("la".utf8))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
    }

    @Test func `a class that takes its time over a redirect holds up nobody else`() async throws {
        let server = try FixtureServer()
        server.on("/song", .content(.text("la")))
        server.on("/leisure", .content(.text("lei")))
        let text = "lead" + server.url("/leisure").dropFirst("http".count)
        async let led = session.data(from: try url(text)).0
        LeadProtocol.asked.wait()
        let (other, _) = try await session.data(from: try server.address("/song"))
        #expect(other == Data("la".utf8))
        LeadProtocol.answer.open()
        #expect(try await led == Data("lei".utf8))
    }

    @Test func `SEC-2: where a class leads to another origin, the session's fields stay behind`()
        async throws
    {
        let server = try FixtureServer()
        server.on("/song", .content(.text("la")))
        let text = "lead" + server.url("/song").dropFirst("http".count)
        let task = session.dataTask(with: try url(text))
        task.resume()
        await recorder.waitForEnd()
        #expect(recorder.text == "la")
        #expect(server.requests.map { $0["X-Session"] } == [nil])
        #expect(task.currentRequest?.value(forHTTPHeaderField: "X-Session") == nil)
    }

    @Test func `where a class leads, a task gets in line for a connection`() async throws {
        let server = try FixtureServer()
        let gate = FixtureGate()
        server.on("/first", .content(.text("1")).waiting(at: gate))
        for path in ["/urgent", "/led"] { server.on(path, .content(.text("2"))) }
        session.dataTask(with: try server.address("/first")).resume()
        try await server.waitForStall(at: "/first")
        let text = "lead" + server.url("/led").dropFirst("http".count)
        let led = session.dataTask(with: try url(text))
        led.resume()
        await recorder.wait(for: "redirect 302 GET /led")
        while led.currentRequest?.url?.scheme == "lead" { await Task.yield() }
        let urgent = session.dataTask(with: try server.address("/urgent"))
        urgent.priority = URLSessionTask.highPriority
        urgent.resume()
        await session.flush()
        gate.open()
        await recorder.waitForEnd(3)
        #expect(server.requests.map(\.path) == ["/first", "/urgent", "/led"])
    }

    @Test func `a task that is suspended where a class leads goes on when it is resumed`()
        async throws
    {
        let server = try FixtureServer()
        server.on("/led", .content(.text("led")))
        let text = "lead" + server.url("/led").dropFirst("http".count)
        let led = session.dataTask(with: try url(text))
        recorder.change { [weak led] answers in
            // Weakly, as the session keeps its delegate, and a task its session.
            answers.redirect = { [weak led] request in
                led?.suspend()
                return request
            }
        }
        led.resume()
        await recorder.wait(for: "redirect 302 GET /led")
        await session.flush()
        led.resume()
        await recorder.waitForEnd()
        #expect(recorder.text == "led")
        #expect(recorder.metrics?.transactionMetrics.count == 2)
    }

    @Test func `API-4: a class is asked about, and gets, the fields that the session adds`()
        async throws
    {
        let (data, _) = try await session.data(from: try url("field://host/text"))
        #expect(data == Data("session's".utf8))
        var request = URLRequest(url: try url("field://host/text"))
        request.setValue("mine", forHTTPHeaderField: "X-Own")
        let (own, _) = try await session.data(for: request)
        #expect(own == Data("mine".utf8))
    }

    @Test
    func
        `API-4: a task's current request has the fields that the session adds, its original one not`()
        async throws
    {
        let server = try FixtureServer()
        server.on("/song", .content(.text("la")))
        server.on("/moved", .status(302, fields: [("Location", "/song")]))
        var count = 0
        for path in ["/song", "/moved"] {
            let url = try server.address(path)
            for task in [session.dataTask(with: url), session.downloadTask(with: url)] {
                #expect(task.currentRequest?.value(forHTTPHeaderField: "X-Session") == "added")
                task.resume()
                count += 1
                await recorder.waitForEnd(count)
                #expect(task.currentRequest?.value(forHTTPHeaderField: "X-Session") == "added")
                #expect(task.currentRequest?.url?.path == "/song")
                #expect(task.originalRequest == URLRequest(url: url))
            }
        }
    }

    @Test func `API-7: a class is asked about tasks, and its objects know theirs`() async throws {
        let data = session.dataTask(with: try url("task://host/text"))
        data.resume()
        await recorder.waitForEnd()
        #expect(recorder.text == "\(data.taskIdentifier) added")
        let download = session.downloadTask(with: try url("task://host/text"))
        download.resume()
        await recorder.waitForEnd(2)
        #expect(recorder.file == Data("\(download.taskIdentifier) added".utf8))
    }

    @Test func `API-7: a class is asked about a task again where it leads elsewhere`() async throws
    {
        let task = session.dataTask(with: try url("task://host/moved"))
        task.resume()
        await recorder.waitForEnd()
        #expect(recorder.text == "\(task.taskIdentifier) added")
        #expect(task.currentRequest?.url?.path == "/text")
    }

    @Test func `API-7: a class that says nothing of tasks is asked about their requests`() throws {
        let task = session.dataTask(with: try url("mock://host/text"))
        #expect(MockProtocol.canInit(with: task))
        #expect(!MockProtocol.canInit(with: session.dataTask(with: try url("http://host/"))))
        let object = TaskProtocol(task: task, cachedResponse: nil, client: nil)
        #expect(object.task === task)
        #expect(object.request.url == task.currentRequest?.url)
    }

    @Test func `API-7: what every class declines fails when it is resumed`() async throws {
        let task = session.dataTask(with: try url("nobody://host/text"))
        #expect(task.state == .suspended)
        task.resume()
        await recorder.waitForEnd()
        #expect(recorder.error?.code == .unsupportedURL)
    }

    @Test func `what no class takes is loaded as ever`() async throws {
        let server = try FixtureServer()
        server.on("/song", .content(.text("la")))
        let (data, _) = try await session.data(from: try server.address("/song"))
        #expect(data == Data("la".utf8))
    }
}
