import Ferry
import FerryTestSupport
import Foundation
import Testing

@Suite("Challenges of WebSocket tasks", .timeLimit(.minutes(1)))
struct WebSocketChallengeTests {
    private let recorder = DataRecorder()

    init() {
        _ = Home.path
    }

    /// Opens a task at a server and sends a message, which has to come back.
    private func expectEcho(
        _ server: WebSocketServer,
        _ path: String = "/echo",
        in session: URLSession,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let task = session.webSocketTask(with: try url(server, path))
        task.resume()
        try await task.send(.string("hello"))
        #expect(try await task.receive() == .string("hello"), sourceLocation: sourceLocation)
        task.cancel()
    }

    /// The error that a task at a server ends with.
    private func failure(
        _ server: WebSocketServer,
        _ path: String = "/echo",
        in session: URLSession
    ) async throws -> (error: URLError?, task: URLSessionWebSocketTask) {
        let task = session.webSocketTask(with: try url(server, path))
        task.resume()
        await recorder.waitForEnd()
        return (recorder.error, task)
    }

    private func url(_ server: WebSocketServer, _ path: String) throws -> URL {
        try #require(URL(string: server.url + path))
    }

    private func answer(user: String, password: String) {
        recorder.change { answers in
            answers.challenge = { challenge in
                // Who was refused once does not try again.
                guard challenge.previousFailureCount == 0 else {
                    return (.performDefaultHandling, nil)
                }
                let credential = URLCredential(
                    user: user,
                    password: password,
                    persistence: .none
                )
                return (.useCredential, credential)
            }
        }
    }

    private func trustEverybody() {
        recorder.change { answers in
            answers.sessionChallenge = { challenge in
                let trust = challenge.protectionSpace.serverTrust
                return (.useCredential, trust.map { URLCredential(trust: $0) })
            }
        }
    }

    // MARK: - Trust

    @Test func `DL-9, DL-11: the session's delegate is asked once whether to trust a server`()
        async throws
    {
        let server = try await WebSocketServer.start(tls: true)
        trustEverybody()
        let session = recorder.makeSession()
        for _ in 0..<2 { try await expectEcho(server, in: session) }
        #expect(recorder.story.count { $0 == "session challenge" } == 1)
        let space = try #require(recorder.challenges.first?.protectionSpace)
        #expect(space.authenticationMethod == NSURLAuthenticationMethodServerTrust)
        #expect(space.serverTrust?.host == "127.0.0.1")
    }

    @Test func `DL-12: a server that nobody vouches for is refused by default`() async throws {
        let server = try await WebSocketServer.start(tls: true)
        let (error, _) = try await failure(server, in: recorder.makeSession())
        #expect(error?.code == .serverCertificateUntrusted)
        #expect(recorder.story.contains("session challenge"))
    }

    @Test func `DL-12: an app can refuse a server`() async throws {
        let server = try await WebSocketServer.start(tls: true)
        recorder.change { $0.sessionChallenge = { _ in (.cancelAuthenticationChallenge, nil) } }
        let (error, _) = try await failure(server, in: recorder.makeSession())
        #expect(error?.code == .cancelled)
    }

    @Test func `DL-9: the session's delegate is asked who the client is`() async throws {
        let server = try await WebSocketServer.start(tls: true, asksForIdentity: true)
        let made = try await server.makeIdentity()
        let identity = SecIdentity(pkcs12: Data(made.pkcs12), passphrase: made.passphrase)
        recorder.change { answers in
            answers.sessionChallenge = { challenge in
                let space = challenge.protectionSpace
                guard space.authenticationMethod == NSURLAuthenticationMethodClientCertificate
                else { return (.useCredential, space.serverTrust.map { URLCredential(trust: $0) }) }
                let credential = URLCredential(
                    identity: identity,
                    certificates: nil,
                    persistence: .forSession
                )
                return (.useCredential, credential)
            }
        }
        let session = recorder.makeSession()
        for _ in 0..<2 { try await expectEcho(server, in: session) }
        #expect(
            recorder.challenges.map(\.protectionSpace.authenticationMethod) == [
                NSURLAuthenticationMethodServerTrust, NSURLAuthenticationMethodClientCertificate,
            ]
        )
    }

    @Test func `a server that gets no certificate ends the task`() async throws {
        let server = try await WebSocketServer.start(tls: true, asksForIdentity: true)
        trustEverybody()
        let (error, _) = try await failure(server, in: recorder.makeSession())
        // The server's reason does not arrive where the end of its connection is quicker.
        let codes = [URLError.Code.clientCertificateRejected, .networkConnectionLost]
        #expect(try codes.contains(#require(error?.code)))
    }

    // MARK: - Passwords

    @Test(arguments: ["/basic", "/digest"])
    func `DL-10: the task's delegate is asked for a password`(path: String) async throws {
        let server = try await WebSocketServer.start()
        answer(user: "alice", password: "harbour")
        try await expectEcho(server, path, in: recorder.makeSession())
        let challenge = try #require(recorder.challenges.first)
        #expect(recorder.challenges.count == 1)
        #expect(challenge.protectionSpace.realm == "songs")
        #expect(!challenge.protectionSpace.isProxy())
        #expect((challenge.failureResponse as? HTTPURLResponse)?.statusCode == 401)
    }

    @Test func `DL-10: a wrong password is asked about again, and the 401 is the answer`()
        async throws
    {
        let server = try await WebSocketServer.start()
        answer(user: "alice", password: "wrong")
        let (error, task) = try await failure(server, "/digest", in: recorder.makeSession())
        #expect(error?.code == .badServerResponse)
        #expect(recorder.challenges.map(\.previousFailureCount) == [0, 1])
        #expect((task.response as? HTTPURLResponse)?.statusCode == 401)
    }

    @Test func `a password over TLS needs both answers`() async throws {
        let server = try await WebSocketServer.start(tls: true)
        trustEverybody()
        answer(user: "alice", password: "harbour")
        try await expectEcho(server, "/basic", in: recorder.makeSession())
        #expect(recorder.challenges.count == 2)
    }

    @Test func `a stored password is used where the app says nothing`() async throws {
        let server = try await WebSocketServer.start()
        let configuration = URLSessionConfiguration.ephemeral
        let space = URLProtectionSpace(
            host: "127.0.0.1",
            port: try #require(try url(server, "/").port),
            protocol: "http",
            realm: "songs",
            authenticationMethod: NSURLAuthenticationMethodHTTPBasic
        )
        let credential = URLCredential(
            user: "alice",
            password: "harbour",
            persistence: .forSession
        )
        configuration.urlCredentialStorage?.setDefaultCredential(credential, for: space)
        try await expectEcho(server, "/basic", in: URLSession(configuration: configuration))
    }

    @Test func `a task that is cancelled while its app is asked ends`() async throws {
        let server = try await WebSocketServer.start()
        let session = recorder.makeSession()
        let task = session.webSocketTask(with: try url(server, "/basic"))
        recorder.change { answers in
            answers.challenge = { _ in
                task.cancel()
                return (.useCredential, nil)
            }
        }
        task.resume()
        await recorder.waitForEnd()
        #expect(recorder.error?.code == .cancelled)
    }

    // MARK: - Proxies

    @Test(arguments: [false, true])
    func `OR-11: the proxy's password is asked for as a task's challenge`(
        usesTLS: Bool
    ) async throws {
        let home = try TestHome()
        let credentials = Tinyproxy.Credentials()
        let proxy = try await Tinyproxy(in: home, asksFor: credentials)
        let server = try await WebSocketServer.start(tls: usesTLS)
        trustEverybody()
        answer(user: credentials.user, password: credentials.password)
        let session = recorder.makeSession { configuration in
            configuration.connectionProxyDictionary = [
                "HTTPProxy": "127.0.0.1", "HTTPPort": proxy.port,
                "HTTPSProxy": "127.0.0.1", "HTTPSPort": proxy.port,
            ]
        }
        try await expectEcho(server, in: session)
        let space = try #require(recorder.challenges.first?.protectionSpace)
        #expect(space.isProxy())
        #expect(proxy.requests.last?.hasPrefix("CONNECT 127.0.0.1:") == true)
    }

    @Test func `a proxy's password that nobody knows fails the task`() async throws {
        let home = try TestHome()
        let proxy = try await Tinyproxy(in: home, asksFor: Tinyproxy.Credentials())
        let server = try await WebSocketServer.start()
        let session = recorder.makeSession { configuration in
            configuration.connectionProxyDictionary = [
                "HTTPProxy": "127.0.0.1", "HTTPPort": proxy.port,
            ]
        }
        let (error, task) = try await failure(server, in: session)
        #expect(error?.code == .cannotConnectToHost)
        #expect(task.response == nil)
    }
}
