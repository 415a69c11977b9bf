import Ferry
import FerryTestSupport
import Foundation
import Testing

@Suite("Sessions and a proxy", .timeLimit(.minutes(1)))
struct ProxyTests {
    private let home: TestHome
    private let server: FixtureServer
    private let recorder = DataRecorder()

    init() throws {
        _ = Home.path
        home = try TestHome()
        server = try FixtureServer()
        server.on("/song", .content(.text("la")))
    }

    private func session(_ proxy: Tinyproxy, exceptions: [String] = []) -> URLSession {
        recorder.makeSession { configuration in
            configuration.urlCache = nil
            configuration.connectionProxyDictionary = [
                "HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": proxy.port,
                "HTTPSEnable": 1, "HTTPSProxy": "127.0.0.1", "HTTPSPort": proxy.port,
                "ExceptionsList": exceptions,
            ]
        }
    }

    @Test func `requests go through the proxy that the configuration names`() async throws {
        let proxy = try await Tinyproxy(in: home)
        let (data, _) = try await session(proxy).data(from: try server.address("/song"))
        #expect(data == Data("la".utf8))
        #expect(proxy.requests == ["GET \(server.url("/song")) HTTP/1.1"])
    }

    @Test func `an exception is reached without it`() async throws {
        let proxy = try await Tinyproxy(in: home)
        let session = session(proxy, exceptions: ["127.0.0.1"])
        _ = try await session.data(from: try server.address("/song"))
        #expect(proxy.requests.isEmpty)
    }

    @Test func `OR-11: the proxy's password is asked for as a task's challenge`() async throws {
        let credentials = Tinyproxy.Credentials()
        let proxy = try await Tinyproxy(in: home, asksFor: credentials)
        recorder.change { answers in
            answers.challenge = { _ in
                let credential = URLCredential(
                    user: credentials.user,
                    password: credentials.password,
                    persistence: .none
                )
                return (.useCredential, credential)
            }
        }
        let (data, _) = try await session(proxy).data(from: try server.address("/song"))
        #expect(data == Data("la".utf8))
        let space = try #require(recorder.challenges.first?.protectionSpace)
        #expect(space.isProxy())
        #expect(server.requests.count == 1)
        #expect(server.requests.first?["Proxy-Authorization"] == nil)
    }

    @Test func `the password of a proxy opens a tunnel to a server by TLS`() async throws {
        let credentials = Tinyproxy.Credentials()
        let proxy = try await Tinyproxy(in: home, asksFor: credentials)
        let nginx = try await Nginx(in: home, authority: try await TestAuthority(in: home))
        recorder.change { answers in
            answers.challenge = { _ in
                let credential = URLCredential(
                    user: credentials.user,
                    password: credentials.password,
                    persistence: .none
                )
                return (.useCredential, credential)
            }
            answers.sessionChallenge = { challenge in
                let trust = challenge.protectionSpace.serverTrust
                return (.useCredential, trust.map { URLCredential(trust: $0) })
            }
        }
        let url = try #require(URL(string: nginx.url("echo", by: .secure)))
        let (data, _) = try await session(proxy).data(from: url)
        let echo = Nginx.Echo(String(decoding: data, as: UTF8.self))
        #expect(echo["protocol"] == "HTTP/2.0")
        #expect(recorder.story.contains("session challenge"))
        #expect(proxy.requests.last == "CONNECT 127.0.0.1:\(nginx.port(.secure)) HTTP/1.1")
    }
}
