import Ferry
import FerryTestSupport
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
