import Ferry
import FerryTestSupport
import Foundation
import Testing

@Suite("WebSocket tasks", .timeLimit(.minutes(1)))
struct WebSocketTaskTests {
    private let server: WebSocketServer
    private let recorder = WebSocketRecorder()
    private let session: URLSession

    init() async throws {
        _ = Home.path
        server = try await WebSocketServer.start()
        session = URLSession(configuration: .ephemeral, delegate: recorder, delegateQueue: nil)
    }

    private func url(_ path: String) throws -> URL {
        try #require(URL(string: server.url + path))
    }

    private func open(_ path: String) throws -> URLSessionWebSocketTask {
        let task = session.webSocketTask(with: try url(path))
        task.resume()
        return task
    }

    // MARK: - Messages

    @Test func `messages of both kinds come back as they went`() async throws {
        let task = try open("/echo")
        for message: URLSessionWebSocketTask.Message in [
            .string("hellö"), .string(""), .data(Data([0, 255])), .data(Data()),
        ] {
            try await task.send(message)
            #expect(try await task.receive() == message)
        }
        #expect(recorder.calls == [.created, .opened(nil)])
        #expect((task.response as? HTTPURLResponse)?.statusCode == 101)
        #expect(task.state == .running)
        #expect(await session.allTasks == [task])
        task.cancel()
    }

    @Test func `what is asked of a task before it is resumed waits for it`() async throws {
        let task = session.webSocketTask(with: try url("/echo"))
        async let answers = [task.receive(), task.receive()]
        task.send(.string("1")) { _ in }
        task.send(.string("2")) { _ in }
        task.resume()
        let received = try await Set(answers)
        #expect(received == [.string("1"), .string("2")])
        task.cancel()
    }

    @Test func `handlers are called in the order of the calls, on the delegate queue`() async throws
    {
        let task = try open("/echo")
        for number in 0..<50 {
            task.send(.string("\(number)")) { [recorder] error in
                #expect(error == nil)
                recorder.record(.answered("sent \(number)"))
            }
            task.receive { [recorder, session] result in
                #expect(OperationQueue.current == session.delegateQueue)
                guard case .success(.string(let text)) = result else { return }
                recorder.record(.answered("received \(text)"))
            }
        }
        await recorder.wait { $0.count == 102 }
        for kind in ["sent", "received"] {
            let own = recorder.calls.filter {
                if case .answered(let text) = $0 { text.hasPrefix(kind) } else { false }
            }
            #expect(own == (0..<50).map { .answered("\(kind) \($0)") })
        }
        task.cancel()
    }

    @Test func `API-8: a goodbye is told after the messages before it`() async throws {
        let task = session.webSocketTask(with: try url("/farewell?count=20"))
        // Only who has asked by then has the end wait for what he was not told yet.
        Self.receiveAll(of: task, recorder)
        task.resume()
        await recorder.waitForEnd()
        let messages = (0..<20).map { WebSocketRecorder.Call.answered("\($0)") }
        #expect(
            recorder.calls
                == [.created, .opened(nil)] + messages + [.closed(.normalClosure, nil), .completed]
        )
        #expect(task.closeCode == .normalClosure)
    }

    @Test func `API-8: who never asks for a message hears of the goodbye all the same`()
        async throws
    {
        _ = try open("/farewell?count=20")
        await recorder.waitForEnd()
        #expect(
            recorder.calls == [.created, .opened(nil), .closed(.normalClosure, nil), .completed]
        )
    }

    private static func receiveAll(
        of task: URLSessionWebSocketTask,
        _ recorder: WebSocketRecorder
    ) {
        task.receive { result in
            guard case .success(.string(let text)) = result else { return }
            recorder.record(.answered(text))
            receiveAll(of: task, recorder)
        }
    }

    @Test(arguments: ["", "HTTP/1.1 101 Swit", "HTTP/1.1 101 Switching Protocols\r\nUpgr"])
    func `API-15: a server that closes in the handshake has lost the connection`(
        answer: String
    ) async throws {
        let other = try FixtureServer()
        other.on("/socket", .script([.send(Array(answer.utf8)), .close]))
        let url = try #require(URL(string: "ws" + other.url("/socket").dropFirst("http".count)))
        let task = session.webSocketTask(with: url)
        task.resume()
        await recorder.waitForEnd()
        #expect(recorder.calls == [.created, .completed(.networkConnectionLost, nil)])
    }

    @Test func `fragments are one message`() async throws {
        let task = try open("/fragments")
        #expect(try await task.receive() == .string("fragmënts"))
        #expect(try await task.receive() == .data(Data([0, 1, 2])))
        task.cancel()
    }

    @Test func `a ping is answered, and the server's pings are`() async throws {
        let task = try open("/pings?count=3")
        #expect(try await task.receive() == .string("ponged"))
        let other = try open("/echo")
        for number in 0..<3 {
            other.sendPing { [recorder] error in
                #expect(error == nil)
                recorder.record(.answered("pong \(number)"))
            }
        }
        await recorder.wait { $0.contains(.answered("pong 2")) }
        let pongs = recorder.calls.filter {
            if case .answered = $0 { true } else { false }
        }
        #expect(pongs == (0..<3).map { .answered("pong \($0)") })
        task.cancel()
        other.cancel()
    }

    @Test func `a message of the greatest length arrives, and a longer one ends the task`()
        async throws
    {
        let task = try open("/big?count=1048576")
        #expect(task.maximumMessageSize == 1 << 20)
        #expect(try await task.receive() == .data(Data(count: 1 << 20)))
        task.cancel()

        let other = try open("/big?count=1048577")
        let error = await failure { _ = try await other.receive() }
        #expect((error as? POSIXError)?.code == .EMSGSIZE)
        await recorder.wait { $0.contains(.completed(nil, .EMSGSIZE)) }
        #expect((other.error as? POSIXError)?.code == .EMSGSIZE)
    }

    @Test func `the greatest length can be another one`() async throws {
        let task = session.webSocketTask(with: try url("/big?count=3000000"))
        task.maximumMessageSize = 3_000_000
        task.resume()
        #expect(try await task.receive() == .data(Data(count: 3_000_000)))
        task.cancel()
    }

    // MARK: - The handshake

    @Test func `the server chooses one of the subprotocols`() async throws {
        let task = session.webSocketTask(
            with: try url("/protocol"),
            protocols: ["chat.1", "chat.2"]
        )
        task.resume()
        #expect(try await task.receive() == .string("chat.2"))
        #expect(recorder.calls.prefix(2) == [.created, .opened("chat.2")])
        task.cancel()
    }

    @Test func `subprotocols can be named by the request's field`() async throws {
        var request = URLRequest(url: try url("/protocol"))
        request.setValue("chat.0, chat.1", forHTTPHeaderField: "Sec-WebSocket-Protocol")
        let task = session.webSocketTask(with: request)
        task.resume()
        #expect(try await task.receive() == .string("chat.1"))
        task.cancel()
    }

    @Test func `the handshake has the fields of the request and of the session`() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["X-Session": "s", "X-Both": "s"]
        let session = URLSession(configuration: configuration)
        var request = URLRequest(url: try url("/fields?a=b"))
        request.setValue("r", forHTTPHeaderField: "X-Both")
        let task = session.webSocketTask(with: request)
        task.resume()
        guard case .string(let text) = try await task.receive() else { return }
        let seen = try #require(
            JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        )
        let fields = try #require(seen["fields"] as? [String: String])
        #expect(seen["path"] as? String == "/fields?a=b")
        #expect(fields["x-session"] == "s")
        #expect(fields["x-both"] == "r")
        #expect(fields["sec-websocket-version"] == "13")
        #expect(fields["sec-websocket-extensions"] == nil)
        session.invalidateAndCancel()
    }

    @Test func `the schemes of HTTP will do`() async throws {
        let text = server.url.replacingOccurrences(of: "ws://", with: "http://")
        let task = session.webSocketTask(with: try #require(URL(string: text + "/echo")))
        task.resume()
        try await task.send(.string("x"))
        #expect(try await task.receive() == .string("x"))
        task.cancel()
    }

    @Test func `an answer that is no opening is an error, and stays with the task`() async throws {
        let task = try open("/missing")
        let error = await failure { try await task.send(.string("x")) }
        #expect((error as? URLError)?.code == .badServerResponse)
        await recorder.waitForEnd()
        #expect(recorder.calls == [.created, .completed(.badServerResponse, nil)])
        #expect((task.response as? HTTPURLResponse)?.statusCode == 404)
        #expect(task.closeCode == .invalid)
    }

    @Test func `redirects are followed`() async throws {
        let task = try open("/redirect/echo")
        try await task.send(.string("x"))
        #expect(try await task.receive() == .string("x"))
        #expect(task.currentRequest?.url == (try url("/echo")))
        #expect(task.originalRequest?.url == (try url("/redirect/echo")))
        task.cancel()
    }

    @Test func `redirects without end are an error`() async throws {
        let task = try open("/loop")
        let error = await failure { _ = try await task.receive() }
        await recorder.waitForEnd()
        #expect(recorder.calls.last == .completed(.httpTooManyRedirects, nil))
        #expect(error != nil)
    }

    @Test(arguments: ["ftp://127.0.0.1/", "file:///etc/passwd"])
    func `another scheme is an error when the task is resumed`(text: String) async throws {
        let task = session.webSocketTask(with: try #require(URL(string: text)))
        task.resume()
        await recorder.waitForEnd()
        #expect(recorder.calls == [.created, .completed(.unsupportedURL, nil)])
        let error = await failure { _ = try await task.receive() }
        #expect((error as? URLError)?.code == .unsupportedURL)
    }

    // MARK: - The end

    @Test func `a goodbye of the server's is told in order`() async throws {
        let task = try open("/close?code=4001&reason=enough")
        #expect(try await task.receive() == .string("last"))
        let error = await failure { _ = try await task.receive() }
        #expect((error as? POSIXError)?.code == .ENOTCONN)
        await recorder.waitForEnd()
        #expect(
            recorder.calls == [
                .created, .opened(nil), .closed(.other(4001), "enough"), .completed,
            ]
        )
        #expect(task.closeCode.rawValue == 4001)
        #expect(task.closeReason == Data("enough".utf8))
        #expect(task.error == nil)
        #expect(task.state == .completed)
        let late = await failure { try await task.send(.string("late")) }
        #expect((late as? POSIXError)?.code == .ENOTCONN)
    }

    @Test func `a goodbye of ours is answered, and the server hears of it`() async throws {
        let task = try open("/report")
        await recorder.wait { $0.contains(.opened(nil)) }
        task.cancel(with: .goingAway, reason: Data("leaving".utf8))
        // The server may have answered by now.
        #expect([.canceling, .completed].contains(task.state))
        await recorder.waitForEnd()
        #expect(
            recorder.calls == [
                .created, .opened(nil), .closed(.goingAway, "leaving"), .completed,
            ]
        )
        #expect(task.closeCode == .goingAway)
        #expect(task.closeReason == Data("leaving".utf8))
        let other = try open("/reported")
        #expect(try await other.receive() == .string("[1001, \"leaving\"]"))
        other.cancel()
    }

    @Test func `messages before a goodbye arrive`() async throws {
        let task = try open("/echo")
        await recorder.wait { $0.contains(.opened(nil)) }
        for _ in 0..<3 {
            task.send(.data(Data(count: 1 << 20))) { [recorder] error in
                recorder.record(.answered(error == nil ? "sent" : "failed"))
            }
        }
        task.cancel(with: .normalClosure, reason: nil)
        await recorder.waitForEnd()
        #expect(
            recorder.calls == [
                .created, .opened(nil), .answered("sent"), .answered("sent"), .answered("sent"),
                .closed(.normalClosure, nil), .completed,
            ]
        )
    }

    @Test func `a cancelled task says goodbye without a code`() async throws {
        let task = try open("/report")
        await recorder.wait { $0.contains(.opened(nil)) }
        async let received = failure { _ = try await task.receive() }
        task.cancel()
        #expect((await received as? URLError)?.code == .cancelled)
        await recorder.waitForEnd()
        #expect(recorder.calls == [.created, .opened(nil), .completed(.cancelled, nil)])
        #expect(task.closeCode == .invalid)
        let other = try open("/reported")
        #expect(try await other.receive() == .string("[1005, \"\"]"))
        other.cancel()
    }

    @Test func `a task that is cancelled before it is open says nothing`() async throws {
        for body: @Sendable (URLSessionWebSocketTask) -> Void in [
            { $0.cancel() }, { $0.cancel(with: .normalClosure, reason: nil) },
        ] {
            let recorder = WebSocketRecorder()
            let session = URLSession(
                configuration: .ephemeral,
                delegate: recorder,
                delegateQueue: nil
            )
            let task = session.webSocketTask(with: try url("/echo"))
            async let sent = failure { try await task.send(.string("x")) }
            body(task)
            #expect((await sent as? URLError)?.code == .cancelled)
            await recorder.waitForEnd()
            #expect(recorder.calls == [.created, .completed(.cancelled, nil)])
        }
    }

    @Test func `a connection that is cut off is lost`() async throws {
        let task = try open("/drop")
        try await task.send(.string("x"))
        let error = await failure { _ = try await task.receive() }
        #expect((error as? URLError)?.code == .networkConnectionLost)
        await recorder.waitForEnd()
        #expect(
            recorder.calls == [
                .created, .opened(nil), .completed(.networkConnectionLost, nil),
            ]
        )
        #expect(task.closeCode == .invalid)
    }

    @Test func `a suspended task takes up where it was`() async throws {
        let task = try open("/echo")
        try await task.send(.string("1"))
        #expect(try await task.receive() == .string("1"))
        task.suspend()
        async let answer = task.receive()
        task.send(.string("2")) { [recorder] _ in recorder.record(.answered("sent")) }
        #expect(!recorder.calls.contains(.answered("sent")))
        task.resume()
        #expect(try await answer == .string("2"))
        task.cancel()
    }

    @Test func `an invalidated session ends its connections`() async throws {
        _ = try open("/echo")
        await recorder.wait { $0.contains(.opened(nil)) }
        session.invalidateAndCancel()
        await recorder.waitForEnd()
        #expect(recorder.calls.last == .completed(.cancelled, nil))
    }

    @Test func `the time for the whole task ends it`() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForResource = 0.05
        let session = URLSession(
            configuration: configuration,
            delegate: recorder,
            delegateQueue: nil
        )
        session.webSocketTask(with: try url("/deaf")).resume()
        await recorder.waitForEnd()
        #expect(recorder.calls.last == .completed(.timedOut, nil))
    }

    @Test func `a delegate of the task alone hears in place of the session's`() async throws {
        let own = WebSocketRecorder()
        let task = session.webSocketTask(with: try url("/close?code=1000"))
        task.delegate = own
        task.resume()
        await own.waitForEnd()
        #expect(own.calls == [.opened(nil), .closed(.normalClosure, nil), .completed])
        #expect(recorder.calls == [.created])
    }
}

/// What a call throws, or nil.
private func failure(
    _ body: @Sendable () async throws -> Void
) async -> (any Error)? {
    do {
        try await body()
        return nil
    } catch {
        return error
    }
}
