import Ferry
import FerryTestSupport
import Foundation
import Testing

@Suite("Passwords", .timeLimit(.minutes(1)))
struct PasswordTests {
    private let server: FixtureServer
    private let recorder = DataRecorder()
    private let session: URLSession
    private let credential = URLCredential(user: "u", password: "p", persistence: .none)

    init() throws {
        _ = Home.path
        server = try FixtureServer()
        session = recorder.makeSession()
        server.on("/basic", Self.basic())
    }

    /// Wants the name “u” and the password “p”.
    private static func basic(
        _ challenge: String = "Basic realm=\"r\"",
        fields: [(String, String)] = []
    ) -> FixtureAnswer {
        FixtureAnswer { request in
            let isRight = request["Authorization"] == "Basic dTpw"
            var response = FixtureResponse(
                status: isRight ? 200 : 401,
                content: .text(isRight ? "la" : "who?")
            )
            response.fields = isRight ? fields : [("WWW-Authenticate", challenge)]
            return response
        }
    }

    @Test func `OR-11, DL-10: the task's delegate is asked, and the request sent again`()
        async throws
    {
        recorder.change { [credential] in $0.challenge = { _ in (.useCredential, credential) } }
        session.dataTask(with: try server.address("/basic")).resume()
        await recorder.waitForEnd()
        #expect(
            recorder.story == ["challenge 0", "response 200", "data", "metrics 2", "completed"]
        )
        let challenge = try #require(recorder.challenges.first)
        #expect(challenge.protectionSpace.realm == "r")
        #expect(challenge.protectionSpace.host == "127.0.0.1")
        #expect(challenge.protectionSpace.port == Int(server.port))
        #expect(
            challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPBasic
        )
        #expect((challenge.failureResponse as? HTTPURLResponse)?.statusCode == 401)
    }

    @Test func `DL-13: what a password has brought is stored for nobody`() async throws {
        server.on("/private", Self.basic(fields: [("Cache-Control", "max-age=600")]))
        let cache = URLSessionConfiguration.ephemeral.urlCache
        let session = recorder.makeSession { $0.urlCache = cache }
        recorder.change { [credential] in $0.challenge = { _ in (.useCredential, credential) } }
        let url = try server.address("/private")
        session.dataTask(with: url).resume()
        await recorder.waitForEnd()
        #expect(
            recorder.story == ["challenge 0", "response 200", "data", "metrics 2", "completed"]
        )
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = cache
        let (data, response) = try await URLSession(configuration: configuration).data(from: url)
        #expect((response as? HTTPURLResponse)?.statusCode == 401)
        #expect(data == Data("who?".utf8))
    }

    @Test(arguments: ["Basic", "Basic realm=\"127.0.0.1\""])
    func
        `API-14: what is stored for the host's name as its realm is used where the server names none`(
            challenge: String
        ) async throws
    {
        let server = server
        server.on("/unnamed", Self.basic(challenge))
        let storage = URLSessionConfiguration.ephemeral.urlCredentialStorage
        let session = recorder.makeSession { $0.urlCredentialStorage = storage }
        let space = URLProtectionSpace(
            host: "127.0.0.1",
            port: Int(server.port),
            protocol: "http",
            realm: "127.0.0.1",
            authenticationMethod: NSURLAuthenticationMethodHTTPBasic
        )
        let kept = URLCredential(user: "u", password: "p", persistence: .forSession)
        storage?.setDefaultCredential(kept, for: space)
        let (data, response) = try await session.data(from: try server.address("/unnamed"))
        #expect(data == Data("la".utf8))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
    }

    @Test func `API-7: credentials are stored, found and removed for a task`() throws {
        let storage = try #require(URLSessionConfiguration.ephemeral.urlCredentialStorage)
        let task = session.dataTask(with: try server.address("/basic"))
        func space() -> URLProtectionSpace {
            URLProtectionSpace(
                host: "host",
                port: 80,
                protocol: "http",
                realm: "r",
                authenticationMethod: NSURLAuthenticationMethodHTTPBasic
            )
        }
        let kept = URLCredential(user: "u", password: "p", persistence: .forSession)
        let users = Recorder<[String]?>()
        func record() {
            storage.getCredentials(for: space(), task: task) { users.append($0?.keys.sorted()) }
            storage.getDefaultCredential(for: space(), task: task) { credential in
                users.append(credential?.user.map { [$0] })
            }
        }
        record()
        storage.set(kept, for: space(), task: task)
        record()
        storage.setDefaultCredential(kept, for: space(), task: task)
        record()
        storage.remove(kept, for: space(), task: task)
        record()
        // Foundation takes the first one for the default.
        #expect(users.elements == [nil, nil, ["u"], ["u"], ["u"], ["u"], nil, nil])
    }

    @Test func `a wrong password is asked for again, and counted`() async throws {
        let wrong = URLCredential(user: "u", password: "x", persistence: .none)
        recorder.change { [credential] answers in
            answers.challenge = { challenge in
                (.useCredential, challenge.previousFailureCount < 2 ? wrong : credential)
            }
        }
        session.dataTask(with: try server.address("/basic")).resume()
        await recorder.waitForEnd()
        #expect(
            recorder.story == [
                "challenge 0", "challenge 1", "challenge 2", "response 200", "data", "metrics 4",
                "completed",
            ]
        )
    }

    @Test func `OR-11: without a delegate that answers, the 401 is the answer`() async throws {
        session.dataTask(with: try server.address("/basic")).resume()
        await recorder.waitForEnd()
        #expect(
            recorder.story == ["challenge 0", "response 401", "data", "metrics 1", "completed"]
        )
        #expect(recorder.text == "who?")
        let plain = URLSession(configuration: .ephemeral)
        let (_, response) = try await plain.data(from: try server.address("/basic"))
        #expect((response as? HTTPURLResponse)?.statusCode == 401)
    }

    @Test func `DL-12: a cancelled challenge cancels the task`() async throws {
        recorder.change { $0.challenge = { _ in (.cancelAuthenticationChallenge, nil) } }
        session.dataTask(with: try server.address("/basic")).resume()
        await recorder.waitForEnd()
        #expect(recorder.error?.code == .cancelled)
    }

    @Test(
        arguments: [
            URLSession.AuthChallengeDisposition.useCredential, .rejectProtectionSpace,
        ]
    )
    func `DL-12: no credential, or none for this space, leaves the 401`(
        disposition: URLSession.AuthChallengeDisposition
    ) async throws {
        recorder.change { $0.challenge = { _ in (disposition, nil) } }
        session.dataTask(with: try server.address("/basic")).resume()
        await recorder.waitForEnd()
        #expect(recorder.story.dropFirst().first == "response 401")
    }

    @Test func `a challenge without a realm, or one that nobody knows, does no harm`() async throws
    {
        server.on("/bare", Self.basic("Basic"))
        server.on("/strange", .status(401, fields: [("WWW-Authenticate", "Strange x=1, =, \"")]))
        recorder.change { [credential] in $0.challenge = { _ in (.useCredential, credential) } }
        let (data, _) = try await session.data(from: try server.address("/bare"))
        #expect(data == Data("la".utf8))
        let (_, response) = try await session.data(from: try server.address("/strange"))
        #expect((response as? HTTPURLResponse)?.statusCode == 401)
    }

    @Test func `a stored credential is used without asking`() async throws {
        let storage = try #require(session.configuration.urlCredentialStorage)
        let space = URLProtectionSpace(
            host: "127.0.0.1",
            port: Int(server.port),
            protocol: "http",
            realm: "r",
            authenticationMethod: NSURLAuthenticationMethodHTTPBasic
        )
        storage.setDefaultCredential(
            URLCredential(user: "u", password: "p", persistence: .forSession),
            for: space
        )
        let plain = URLSession(configuration: session.configuration)
        let (data, _) = try await plain.data(from: try server.address("/basic"))
        #expect(data == Data("la".utf8))
        session.dataTask(with: try server.address("/basic")).resume()
        await recorder.waitForEnd()
        #expect(recorder.challenges.first?.proposedCredential?.user == "u")
        #expect(recorder.text == "la")
    }

    @Test func `a credential that was refused is proposed, and not used again by itself`()
        async throws
    {
        recorder.change {
            $0.challenge = { challenge in
                guard challenge.previousFailureCount == 0 else {
                    return (.performDefaultHandling, nil)
                }
                let wrong = URLCredential(user: "u", password: "wrong", persistence: .none)
                return (.useCredential, wrong)
            }
        }
        session.dataTask(with: try server.address("/basic")).resume()
        await recorder.waitForEnd()
        let challenges = recorder.challenges
        #expect(challenges.map(\.previousFailureCount) == [0, 1])
        #expect(challenges.map(\.proposedCredential?.password) == [nil, "wrong"])
        #expect(server.requests.count == 2)
    }

    @Test func `a password in the URL is for its own server`() async throws {
        let plain = URLSession(configuration: .ephemeral)
        let other = try FixtureServer()
        other.on("/basic", Self.basic())
        server.on("/moved", .redirect(to: other.url("/basic")))
        let port = server.port
        let own = try #require(URL(string: "http://u:p@127.0.0.1:\(port)/basic"))
        let (data, _) = try await plain.data(from: own)
        #expect(data == Data("la".utf8))
        let moved = try #require(URL(string: "http://u:p@127.0.0.1:\(port)/moved"))
        let (_, response) = try await plain.data(from: moved)
        #expect((response as? HTTPURLResponse)?.statusCode == 401)
        #expect(other.requests.allSatisfy { $0["Authorization"] == nil })
    }

    @Test func `a server whose nonces are always too old is given up`() async throws {
        let stale = FixtureAnswer { request in
            var response = FixtureResponse(status: 401, content: .text("who?"))
            let isStale = request["Authorization"] != nil
            response.fields = [
                (
                    "WWW-Authenticate",
                    "Digest realm=\"r\", qop=\"auth\", nonce=\"n\", stale=\(isStale)"
                )
            ]
            return response
        }
        server.on("/stale", stale)
        recorder.change { [credential] answers in
            answers.challenge = { challenge in
                challenge.previousFailureCount < 2
                    ? (.useCredential, credential) : (.performDefaultHandling, nil)
            }
        }
        let (_, response) = try await session.data(from: try server.address("/stale"))
        #expect((response as? HTTPURLResponse)?.statusCode == 401)
        #expect(server.requests.count < 15)
    }

    @Test func `a credential for the session is stored`() async throws {
        let kept = URLCredential(user: "u", password: "p", persistence: .forSession)
        recorder.change { $0.challenge = { _ in (.useCredential, kept) } }
        _ = try await session.data(from: try server.address("/basic"))
        recorder.change { $0.challenge = { _ in (.performDefaultHandling, nil) } }
        let (data, _) = try await session.data(from: try server.address("/basic"))
        #expect(data == Data("la".utf8))
    }

    @Test func `a download is challenged, too`() async throws {
        recorder.change { [credential] in $0.challenge = { _ in (.useCredential, credential) } }
        session.downloadTask(with: try server.address("/basic")).resume()
        await recorder.waitForEnd()
        #expect(recorder.file == Data("la".utf8))
    }
}
