import Ferry
import FerryTestSupport
import Foundation
import Testing

@Suite("Sessions and nginx", .timeLimit(.minutes(1)))
struct NginxTests {
    /// Kept, as it takes its files along.
    private let home: TestHome
    private let nginx: Nginx
    private let authority: TestAuthority
    private let recorder = DataRecorder()
    private let session: URLSession

    init() async throws {
        _ = Home.path
        home = try TestHome()
        authority = try await TestAuthority(in: home)
        nginx = try await Nginx(in: home, authority: authority)
        session = recorder.makeSession()
        recorder.change { answers in
            answers.sessionChallenge = { challenge in
                let trust = challenge.protectionSpace.serverTrust
                return (.useCredential, trust.map { URLCredential(trust: $0) })
            }
        }
    }

    private func url(_ name: String, by listener: Nginx.Listener = .plain) throws -> URL {
        try #require(URL(string: nginx.url(name, by: listener)))
    }

    private func echo(_ data: Data) -> Nginx.Echo {
        Nginx.Echo(String(decoding: data, as: UTF8.self))
    }

    @Test func `a server by TLS is spoken to by HTTP/2`() async throws {
        let (data, response) = try await session.data(from: try url("echo", by: .secure))
        #expect(echo(data)["protocol"] == "HTTP/2.0")
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
    }

    @Test func `many requests by HTTP/2 share one connection`() async throws {
        let session = session
        _ = try await session.data(from: try url("echo", by: .secure))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                let url = try url("echo?\(number)", by: .secure)
                group.addTask { _ = try await session.data(from: url) }
            }
            try await group.waitForAll()
        }
        let connections = await nginx.requests(count: 201).map(\.connection)
        #expect(Set(connections.dropFirst()).count == 1)
    }

    @Test func `many redirects by HTTP/2 at once are followed`() async throws {
        let session = session
        try await withThrowingTaskGroup(of: Nginx.Echo.self) { group in
            for number in 0..<200 {
                let url = try url("moved?\(number)", by: .secure)
                group.addTask { echo(try await session.data(from: url).0) }
            }
            for try await echo in group { #expect(echo["protocol"] == "HTTP/2.0") }
        }
    }

    @Test func `sessions by TLS are let go of as soon as their tasks have ended`() async throws {
        let url = try url("echo", by: .secure)
        for number in 0..<20 {
            let session = recorder.makeSession()
            session.dataTask(with: url).resume()
            await recorder.waitForEnd(number + 1)
        }
        #expect(recorder.story.count { $0 == "completed" } == 20)
    }

    private func identify(_ identity: SecIdentity?) {
        recorder.change { answers in
            answers.sessionChallenge = { challenge in
                let space = challenge.protectionSpace
                guard space.authenticationMethod == NSURLAuthenticationMethodClientCertificate
                else { return (.useCredential, space.serverTrust.map { URLCredential(trust: $0) }) }
                guard let identity else { return (.performDefaultHandling, nil) }
                let credential = URLCredential(
                    identity: identity,
                    certificates: nil,
                    persistence: .forSession
                )
                return (.useCredential, credential)
            }
        }
    }

    @Test func `DL-9: a client's certificate is asked for, and proves who it is`() async throws {
        let bundle = try Data(contentsOf: URL(fileURLWithPath: authority.clientBundle))
        identify(SecIdentity(pkcs12: bundle, passphrase: TestAuthority.bundlePassword))
        for _ in 0..<2 {
            let (data, response) = try await session.data(
                from: try url("echo", by: .requiringCertificate)
            )
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
            #expect(echo(data)["subject"] == TestAuthority.clientSubject)
        }
        let methods = recorder.challenges.map(\.protectionSpace.authenticationMethod)
        #expect(
            methods == [
                NSURLAuthenticationMethodServerTrust, NSURLAuthenticationMethodClientCertificate,
            ]
        )
        #expect(recorder.challenges.last?.protectionSpace.distinguishedNames?.isEmpty == false)
    }

    @Test func `DL-12: without a certificate the server decides`() async throws {
        identify(nil)
        let (_, response) = try await session.data(
            from: try url("echo", by: .requiringCertificate)
        )
        #expect((response as? HTTPURLResponse)?.statusCode == 400)
        let (data, _) = try await session.data(from: try url("echo", by: .acceptingCertificate))
        #expect(echo(data)["verdict"] == "NONE")
    }

    @Test func `a certificate with the wrong passphrase is refused`() async throws {
        let bundle = try Data(contentsOf: URL(fileURLWithPath: authority.clientBundle))
        identify(SecIdentity(pkcs12: bundle, passphrase: "wrong"))
        await expectURLError(.clientCertificateRejected) {
            try await session.data(from: try url("echo", by: .requiringCertificate))
        }
    }

    @Test func `a version of TLS that the server does not speak fails`() async throws {
        let old = recorder.makeSession { $0.tlsMaximumSupportedProtocolVersion = .TLSv11 }
        await expectURLError(.secureConnectionFailed) {
            try await old.data(from: try url("echo", by: .secure))
        }
    }

    @Test func `a file behind a password is fetched`() async throws {
        let contents = try nginx.addFile("song", byteCount: 10_000)
        recorder.change { answers in
            answers.challenge = { _ in
                let credential = URLCredential(
                    user: Nginx.user,
                    password: Nginx.password,
                    persistence: .none
                )
                return (.useCredential, credential)
            }
        }
        let (data, _) = try await session.data(from: try url("private/song"))
        #expect(data == contents)
    }

    @Test func `a packed file is unpacked, and one that is stored is confirmed`() async throws {
        let text = String(repeating: "la ", count: 10_000)
        try nginx.addFile("song", Data(text.utf8))
        let cached = recorder.makeSession { configuration in
            configuration.urlCache = URLSessionConfiguration.ephemeral.urlCache
            configuration.requestCachePolicy = .reloadRevalidatingCacheData
        }
        for _ in 0..<2 {
            let (data, _) = try await cached.data(from: try url("gzip/song"))
            #expect(data == Data(text.utf8))
        }
        let requests = await nginx.requests(count: 2)
        #expect(requests.map(\.status) == [200, 304])
    }

    @Test(arguments: [Nginx.Listener.plain, .secure])
    func `a file is uploaded whole`(listener: Nginx.Listener) async throws {
        let body = Data(FixtureContent.seeded(9, byteCount: 3 << 20).bytes)
        let directory = try TemporaryDirectory()
        let file = URL(fileURLWithPath: directory.path + "/body")
        try body.write(to: file)
        var request = URLRequest(url: try url("upload/song", by: listener))
        request.httpMethod = "PUT"
        let (_, response) = try await session.upload(for: request, fromFile: file)
        #expect((response as? HTTPURLResponse)?.statusCode == 201)
        #expect(try nginx.uploadedFile("song") == body)
    }

    @Test func `DL-25: metrics tell of each request`() async throws {
        let own = MetricsRecorder()
        for _ in 0..<2 {
            _ = try await session.data(from: try url("echo?\(UUID())", by: .secure), delegate: own)
        }
        let all = own.all
        #expect(all.count == 2)
        let first = try #require(all.first?.transactionMetrics.last)
        #expect(first.networkProtocolName == "h2")
        #expect(first.negotiatedTLSProtocolVersion == .TLSv13)
        #expect(first.remotePort == nginx.port(.secure))
        #expect(!first.isReusedConnection)
        let dates = [
            first.fetchStartDate, first.connectStartDate, first.secureConnectionStartDate,
            first.secureConnectionEndDate, first.requestStartDate, first.responseStartDate,
            first.responseEndDate,
        ].compactMap(\.self)
        #expect(dates.count == 7)
        #expect(dates == dates.sorted())
        let second = try #require(all.last?.transactionMetrics.last)
        #expect(second.isReusedConnection)
        #expect(second.connectStartDate == nil)
        #expect(second.countOfResponseBodyBytesReceived > 0)
    }
}

/// Notes the metrics of tasks, and trusts every server.
private final class MetricsRecorder: NSObject, URLSessionTaskDelegate {
    private let metrics = Awaited<[URLSessionTaskMetrics]>([])

    var all: [URLSessionTaskMetrics] { metrics.value }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        self.metrics.change { $0.append(metrics) }
    }
}
