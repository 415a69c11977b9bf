import Ferry
import FerrySystem
import FerryTestSupport
import FerryTransfer
import Foundation
import Testing

@testable import Ferry

/// Whom a stored credential is for.
@Suite(.timeLimit(.minutes(5))) struct CredentialStoreTests {
    private static func space(
        host: String = "a",
        port: Int = 80,
        protocol: String = "http",
        realm: String? = "music",
        method: String = NSURLAuthenticationMethodHTTPBasic
    ) -> URLProtectionSpace {
        URLProtectionSpace(
            host: host,
            port: port,
            protocol: `protocol`,
            realm: realm,
            authenticationMethod: method
        )
    }

    private func store(_ storage: URLCredentialStorage) -> CredentialStore {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCredentialStorage = storage
        return CredentialStore(configuration: configuration.snapshot)
    }

    @Test func `a credential is found for its own space alone`() throws {
        let storage = try #require(URLSessionConfiguration.ephemeral.urlCredentialStorage)
        let credential = URLCredential(user: "u", password: "p", persistence: .forSession)
        let store = store(storage)
        store.keep(credential, for: Self.space())
        #expect(store.credential(for: Self.space())?.user == "u")
        let others = [
            Self.space(host: "b"), Self.space(port: 81), Self.space(protocol: "https"),
            Self.space(realm: "films"), Self.space(realm: nil),
            Self.space(method: NSURLAuthenticationMethodHTTPDigest),
            URLProtectionSpace(
                proxyHost: "a",
                port: 80,
                type: "http",
                realm: "music",
                authenticationMethod: NSURLAuthenticationMethodHTTPBasic
            ),
        ]
        for other in others { #expect(store.credential(for: other) == nil, "\(other)") }
    }

    @LoopActor
    @Test(arguments: [
        ("http://u:p@a/", "http://a/", true), ("http://u:p@A/b?c", "http://a:80/", true),
        ("http://u:p@a:81/", "http://a:81/", true), ("https://u:p@a/", "https://a:443/", true),
        ("http://u:p@a/", "http://a:81/", false), ("http://u:p@a:81/", "http://a/", false),
        ("http://u:p@a/", "https://a/", false), ("https://u:p@a:443/", "http://a:443/", false),
        ("http://u:p@a/", "http://b/", false), ("http://u:p@a/", "http://a.b/", false),
        ("http://u@a/", "http://a/", false), ("http://a/", "http://a/", false),
    ])
    func `the name and password in a URL are for the URL's own origin alone`(
        url: String,
        asking: String,
        isUsed: Bool
    ) throws {
        let address = try #require(URL(string: url))
        let task = URLSession(configuration: .ephemeral).dataTask(with: address)
        defer { task.cancel() }
        let challenges = AppChallenges(
            task: task,
            credentials: CredentialStore(configuration: URLSessionConfiguration.ephemeral.snapshot)
        )
        let basic = AuthenticationChallenge(scheme: "basic", parameters: ["realm": "music"])
        let answers = Recorder<LoadChallengeAnswer>()
        for isProxy in [false, true] {
            let challenge = LoadChallenge(
                kind: .password(basic, isProxy: isProxy),
                origin: try #require(Origin(url: asking))
            )
            challenges.decide(on: challenge) { answers.append($0.answer) }
        }
        let own = LoadChallengeAnswer.use(PasswordCredential(user: "u", password: "p"))
        #expect(
            answers.elements == [isUsed ? own : .performDefaultHandling, .performDefaultHandling]
        )
    }

    @Test func `a credential for once is not kept`() throws {
        let storage = try #require(URLSessionConfiguration.ephemeral.urlCredentialStorage)
        let store = store(storage)
        store.keep(URLCredential(user: "u", password: "p", persistence: .none), for: Self.space())
        #expect(store.isEmpty)
    }

    @Test func `what a proxy is told is not told to a server whose protocol is not known`() throws {
        let storage = try #require(URLSessionConfiguration.ephemeral.urlCredentialStorage)
        let proxy = URLProtectionSpace(
            proxyHost: "a",
            port: 80,
            type: nil,
            realm: "music",
            authenticationMethod: NSURLAuthenticationMethodHTTPBasic
        )
        let server = URLProtectionSpace(
            host: "a",
            port: 80,
            protocol: nil,
            realm: "music",
            authenticationMethod: NSURLAuthenticationMethodHTTPBasic
        )
        let store = store(storage)
        store.keep(
            URLCredential(user: "u", password: "p", persistence: .forSession),
            for: proxy
        )
        #expect(store.credential(for: proxy)?.user == "u")
        #expect(store.credential(for: server) == nil)
    }
}
