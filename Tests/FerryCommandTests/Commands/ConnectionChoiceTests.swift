import Ferry
import FerrySystem
import FerryTestSupport
import Foundation
import Testing

@testable import FerryCommand

/// The options that say how connections are made.
@Suite(.timeLimit(.minutes(1))) struct ConnectionChoiceTests {
    private let temporary: TemporaryDirectory

    init() throws { temporary = try TemporaryDirectory() }

    private func file(_ name: String, _ text: String) throws -> String {
        let path = temporary.directory.path(of: name)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    private func get(
        _ options: String,
        in environment: [String: String] = [:]
    ) async throws -> (URLSessionConfiguration?, CommandLineRun) {
        let daemon = PlayedDaemon()
        let sessions = PlayedSessions([.completed], in: daemon)
        let run = await CommandLineRun(
            "get -d \(temporary.path) \(options) https://a.example/1",
            daemon: daemon,
            sessions: sessions,
            environment: environment
        )
        return (sessions.sessionOptions.first?.configuration(of: "played"), run)
    }

    @Test func `SEC-8: without options the caller's variables count`() async throws {
        let variables = ["http_proxy": "a:1", "HTTPS_PROXY": "b"]
        let configuration = try #require(try await get("", in: variables).0)
        #expect(configuration.connectionEnvironment == variables)
        #expect(!configuration.keepsConnectionSettings)
    }

    @Test func `SEC-8: options come before variables`() async throws {
        let variables = [
            "http_proxy": "a:1", "HTTPS_PROXY": "b", "ALL_PROXY": "c", "NO_PROXY": "d", "LANG": "C",
        ]
        let configuration = try #require(
            try await get("--proxy socks5h://p --noproxy e,f", in: variables).0
        )
        #expect(
            configuration.connectionEnvironment == [
                "http_proxy": "socks5h://p", "https_proxy": "socks5h://p",
                "all_proxy": "socks5h://p", "no_proxy": "e,f", "LANG": "C",
            ]
        )
    }

    @Test func `SEC-8: files are named by their absolute paths`() async throws {
        let authorities = try file("ca.pem", "-----BEGIN CERTIFICATE-----")
        let key = try file("a.key", "-----BEGIN PRIVATE KEY-----")
        let configuration = try #require(
            try await get("--cacert \(authorities) --cert \(authorities) --key \(key)").0
        )
        #expect(configuration.certificateAuthorityFile?.path == authorities)
        #expect(configuration.clientCertificate?.certificateFile.path == authorities)
        #expect(configuration.clientCertificate?.keyFile?.path == key)
    }

    @Test func `addresses and interfaces are those of the options`() async throws {
        let options =
            "-4 --interface eth0 --resolve A.example:443:192.0.2.1,[2001:db8::1] --resolve b:80:::1"
        let configuration = try #require(try await get(options).0)
        #expect(configuration.internetProtocolVersion == .v4)
        #expect(configuration.requiredInterface == "eth0")
        #expect(
            configuration.hostAddresses == [
                .init(host: "a.example", port: 443, addresses: ["192.0.2.1", "2001:db8::1"]),
                .init(host: "b", port: 80, addresses: ["::1"]),
            ]
        )
        #expect(try await get("-6").0?.internetProtocolVersion == .v6)
    }

    @Test func `servers, ports, keys and versions are those of the options`() async throws {
        let digest = Data(repeating: 1, count: 32)
        let options =
            "--connect-to A.example:443:[::1]:8443 --connect-to b:80:c:81 --local-port 40000-40010 "
            + "--unix-socket /run/a --proxytunnel --tls-min 1.3 --tls-max 1.3 --ciphers HIGH "
            + "--pinnedpubkey sha256//\(digest.base64EncodedString())"
        let configuration = try #require(try await get(options).0)
        #expect(
            configuration.hostRedirections == [
                .init(host: "a.example", port: 443, target: "::1", targetPort: 8443),
                .init(host: "b", port: 80, target: "c", targetPort: 81),
            ]
        )
        #expect(configuration.localPorts == 40_000...40_010)
        #expect(configuration.unixSocket?.path == "/run/a")
        #expect(configuration.usesProxyTunnels)
        #expect(configuration.tlsMinimumSupportedProtocolVersion == .TLSv13)
        #expect(configuration.tlsMaximumSupportedProtocolVersion == .TLSv13)
        #expect(configuration.cipherList == "HIGH")
        #expect(configuration.pinnedPublicKeyDigests == [digest])
        #expect(try await get("--local-port 7").0?.localPorts == 7...7)
    }

    @Test(
        arguments: [
            ("--connect-to a:1:b", "--connect-to needs HOST1:PORT1:HOST2:PORT2"),
            ("--connect-to a:x:b:1", "--connect-to needs HOST1:PORT1:HOST2:PORT2"),
            ("--connect-to a:1:b:0", "a port is from 1 to 65535"),
            ("--connect-to :1:b:1", "'' is not a host's name"),
            ("--local-port 9-7", "--local-port needs a port"),
            ("--local-port 0", "a port is from 1 to 65535"),
            ("--local-port 1-65536", "a port is from 1 to 65535"),
            ("--tls-min 1.1", "--tls-min takes 1.2 or 1.3, not '1.1'"),
            ("--tls-max 2", "--tls-max takes 1.2 or 1.3, not '2'"),
            ("--tls-min 1.3 --tls-max 1.2", "--tls-min is newer than --tls-max"),
            ("--pinnedpubkey sha256//AAAA", "--pinnedpubkey needs sha256//"),
            ("--pinnedpubkey AAAA", "--pinnedpubkey needs sha256//"),
            ("-4 -6", "--ipv4 and --ipv6 exclude each other"),
            ("--interface a/b", "is neither an interface nor an address"),
            ("--resolve a", "--resolve needs HOST:PORT:ADDRESS"),
            ("--resolve a:b:::1", "--resolve needs HOST:PORT:ADDRESS"),
            ("--resolve a:0:::1", "a port is from 1 to 65535"),
            ("--resolve a:65536:::1", "a port is from 1 to 65535"),
            ("--resolve a:80:b", "'b' is not an address"),
            ("--resolve a:80:", "a host has 1 to 64 addresses"),
        ]
    )
    func `addresses that are none are refused`(options: String, message: String) async throws {
        let run = try await get(options).1
        #expect(run.code == .usage)
        #expect(run.error.contains(message), "\(run.error)")
    }

    @Test func `the passphrase of a key is the first line of a file`() async throws {
        let locked = try file("locked.pem", "-----BEGIN ENCRYPTED PRIVATE KEY-----")
        let secret = try file("secret", "harbour\r\nmore\n")
        let (configuration, run) = try await get("--cert \(locked) --pass-file \(secret)")
        #expect(run.code == .success, "\(run.error)")
        #expect(configuration?.clientCertificate?.passphrase == "harbour")
        #expect(try await get("--pass-file \(secret)").1.code == .usage)
    }

    @Test(arguments: ["ftp://a", "http://", "http://me:harbour@", "http://:3128", "a b", "16"])
    func `SEC-8: a proxy that is none is refused, and its password not shown`(
        text: String
    ) async throws {
        let parser = text.replacingOccurrences(of: " ", with: "\n")
        let run = try await get("--proxy \(parser)").1
        #expect(run.code == .usage)
        #expect(!run.error.contains("harbour"))
        #expect(run.error.contains("--proxy needs an address"))
    }

    @Test func `SEC-8: a key without a certificate is refused`() async throws {
        let run = try await get("--key a.key").1
        #expect(run.code == .usage)
        #expect(run.error.contains("--cert is missing"))
    }

    @Test func `SEC-8: a file that cannot be used is named before anything is asked for`()
        async throws
    {
        let locked = try file("locked.pem", "-----BEGIN ENCRYPTED PRIVATE KEY-----")
        let plain = try file("plain", "nothing")
        for (options, reason) in [
            ("--cacert \(temporary.path)/none.pem", "No such file or directory"),
            ("--cacert \(temporary.path)", "it is not a regular file"),
            ("--cacert \(plain)", "it is not in PEM"), ("--cert \(locked)", "its key is locked"),
            ("--cert \(plain) --key \(plain)", "it is not in PEM"),
        ] {
            let (configuration, run) = try await get(options)
            #expect(configuration == nil)
            #expect(run.code == .failure)
            #expect(run.error.contains(reason), "\(run.error)")
        }
    }

    @Test func `a tilde that the shell has left is a name`() async throws {
        let run = try await get("--cacert ~/none.pem").1
        let path = FileManager.default.currentDirectoryPath + "/~/none.pem"
        #expect(run.error.contains("--cacert '\(path)' cannot be used"), "\(run.error)")
    }

    @Test func `SEC-8: a session that is taken up again has its connections as before`() {
        #expect(SessionOptions().configuration(of: "get-1").keepsConnectionSettings)
    }
}
