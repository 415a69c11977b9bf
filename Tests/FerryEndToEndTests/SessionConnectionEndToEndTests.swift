import FerrySystem
import FerryTestSupport
import FoundationEssentials
import Glibc
import Testing

/// Several apps and commands, each with proxies and authorities of its own, and one ferryd.
@Suite(.serialized, .timeLimit(.minutes(2))) struct SessionConnectionEndToEndTests {
    private let home: TestHome
    /// Where the second proxy lives.
    private let away: TestHome
    private let nginx: Nginx
    private let authority: TestAuthority
    private let events: EventPipe

    init() async throws {
        home = try TestHome()
        away = try TestHome()
        authority = try await TestAuthority(in: home)
        nginx = try await Nginx(in: home, authority: authority)
        events = try await EventPipe(in: home)
        for name in ["a.bin", "b.bin", "c.bin"] { try nginx.addFile(name, byteCount: 1000) }
    }

    /// Has an app of its own load a file, and returns how that ended; the app goes on.
    private func load(
        _ name: String,
        by listener: Nginx.Listener = .plain,
        as application: String,
        with variables: [String: String] = [:],
        _ arguments: String...
    ) async throws -> String {
        let events = try await EventPipe(in: home, named: "events-\(application)-\(name)")
        let app = try await TestProcess(
            TestHome.executable("ferry-test-app"),
            [
                "--events", events.path, "--directory", home.files, "--application", application,
                "--url", nginx.url(name, by: listener),
            ] + arguments,
            environment: home.environment.merging(variables) { $1 }
        )
        let end = await events.next("completed")
        await app.killed()
        return end
    }

    private func ferry(
        _ arguments: [String],
        with variables: [String: String] = [:]
    ) async throws -> (exit: ProcessExit, output: String, error: String) {
        try await TestProcess.run(
            TestHome.executable("ferry"),
            arguments,
            environment: home.environment.merging(variables) { $1 }
        )
    }

    // MARK: Apps

    @Test func `SEC-8: each app goes through its own proxy, whoever has started ferryd`()
        async throws
    {
        let first = try await Tinyproxy(in: home)
        let second = try await Tinyproxy(in: away)
        #expect(
            try await load("a.bin", as: "first", with: ["http_proxy": first.url()])
                == "completed 1 ok"
        )
        #expect(try await load("b.bin", as: "direct") == "completed 1 ok")
        #expect(
            try await load("c.bin", as: "second", with: ["all_proxy": second.url()])
                == "completed 1 ok"
        )
        let url = nginx.url("")
        #expect(first.requests == ["GET \(url)a.bin HTTP/1.1"])
        #expect(second.requests == ["GET \(url)c.bin HTTP/1.1"])
        #expect(home.daemons.count == 1)
        // No connection of one was another's.
        #expect(Set(nginx.requests().map(\.connection)).count == 3)
    }

    @Test func `SEC-8: no_proxy is the app's own as well`() async throws {
        let proxy = try await Tinyproxy(in: home)
        let variables = ["http_proxy": proxy.url(), "no_proxy": "127.0.0.0/8"]
        #expect(try await load("a.bin", as: "first", with: variables) == "completed 1 ok")
        #expect(proxy.requests == [])
    }

    @Test func `SEC-8: one app's password opens no tunnel for another`() async throws {
        let credentials = Tinyproxy.Credentials()
        let proxy = try await Tinyproxy(in: home, asksFor: credentials)
        let trust = ["CURL_CA_BUNDLE": authority.file]
        let knowing = trust.merging(["https_proxy": proxy.url(with: credentials)]) { $1 }
        #expect(
            try await load("a.bin", by: .secure, as: "knowing", with: knowing) == "completed 1 ok"
        )
        let end = try await load(
            "b.bin",
            by: .secure,
            as: "ignorant",
            with: trust.merging(["https_proxy": proxy.url()]) { $1 },
            "--cancel-challenges",
            "yes"
        )
        #expect(end == "completed 1 -999", "\(end)")
        #expect(nginx.requests().map(\.path) == ["/a.bin"])
        #expect(proxy.requests.allSatisfy { $0.hasPrefix("CONNECT 127.0.0.1:") })
        let log = try String(contentsOfFile: home.state + "/log/ferryd.log", encoding: .utf8)
        #expect(!log.contains(credentials.password))
    }

    @Test func `SEC-8: whom one app trusts, another does not, in either order`() async throws {
        let trusting = ["SSL_CERT_FILE": authority.file]
        #expect(try await load("a.bin", by: .secure, as: "careful") == "completed 1 -1202")
        #expect(
            try await load("a.bin", by: .secure, as: "trusting", with: trusting)
                == "completed 1 ok"
        )
        #expect(try await load("b.bin", by: .secure, as: "cautious") == "completed 1 -1202")
        #expect(nginx.requests().map(\.path) == ["/a.bin"])
    }

    @Test func `SEC-8: uploads and several connections go the same way`() async throws {
        let proxy = try await Tinyproxy(in: home)
        let data = try nginx.addFile("large.bin", byteCount: 40 << 20)
        let file = home.path + "/upload.bin"
        try data.prefix(100_000).write(to: URL(filePath: file))
        let app = try await TestProcess(
            TestHome.executable("ferry-test-app"),
            [
                "--events", events.path, "--directory", home.files,
                "--url", nginx.url("large.bin"),
                "--upload", "\(nginx.url("upload/up.bin")) \(file)",
            ],
            environment: home.environment.merging(["http_proxy": proxy.url()]) { $1 }
        )
        for _ in 0..<2 { #expect(await events.next("completed").hasSuffix(" ok")) }
        await app.killed()
        let direct = nginx.requests().count - proxy.requests.count
        #expect(direct == 0)
        #expect(proxy.requests.contains { $0.hasPrefix("PUT ") })
        #expect(try Data(contentsOf: URL(filePath: home.files + "/large.bin")) == data)
    }

    // MARK: ferryd

    @Test func `SEC-8: a ferryd that was started by hand ignores its own environment`()
        async throws
    {
        let proxy = try await Tinyproxy(in: home)
        let keys = home.path + "/keys"
        let daemon = try await TestProcess(
            TestHome.executable("ferryd"),
            ["--foreground"],
            environment: home.environment.merging([
                "http_proxy": proxy.url(), "https_proxy": proxy.url(), "all_proxy": proxy.url(),
                "CURL_CA_BUNDLE": authority.file, "SSL_CERT_FILE": authority.file,
                "SSLKEYLOGFILE": keys,
            ]) { $1 }
        )
        while try await ferry(["daemon", "status"]).exit != .exited(status: 0) {}
        #expect(try await load("a.bin", as: "app") == "completed 1 ok")
        #expect(try await load("b.bin", by: .secure, as: "other") == "completed 1 -1202")
        #expect(proxy.requests == [])
        #expect(!FileManager.default.fileExists(atPath: keys))
        #expect(home.daemons == [daemon.identifier])
        await daemon.killed()
    }

    // MARK: The command

    @Test func `SEC-8: ferry get goes through the proxy that it is told, with ferryd running`()
        async throws
    {
        let first = try await Tinyproxy(in: home)
        let second = try await Tinyproxy(in: away)
        let variables = ["http_proxy": second.url()]
        let url = nginx.url("a.bin")
        let get = ["get", "--quiet", "--directory", home.files]
        #expect(try await ferry(get + [url]).exit == .exited(status: 0))
        let told = try await ferry(get + ["--proxy", first.url(), url], with: variables)
        #expect(told.exit == .exited(status: 0), "\(told.error)")
        #expect(first.requests.count == 1 && second.requests.count == 0)
        let inherited = try await ferry(get + [url], with: variables)
        #expect(inherited.exit == .exited(status: 0), "\(inherited.error)")
        #expect(first.requests.count == 1 && second.requests.count == 1)
        let not = try await ferry(get + ["--noproxy", "*", url], with: variables)
        #expect(not.exit == .exited(status: 0), "\(not.error)")
        #expect(first.requests.count == 1 && second.requests.count == 1)
    }

    @Test func `SEC-8: ferry get trusts the authorities that it is told, and shows a certificate`()
        async throws
    {
        let url = nginx.url("a.bin", by: .requiringCertificate)
        let get = ["get", "--quiet", "--directory", home.files]
        let trust = ["--cacert", authority.file]
        let certificate = ["--cert", authority.client.file, "--key", authority.client.keyFile]
        let refused = try await ferry(get + certificate + [url])
        #expect(refused.exit == .exited(status: 7))
        #expect(refused.error.contains("certificate"))
        #expect(try await ferry(get + trust + [url]).exit == .exited(status: 8))
        let allowed = try await ferry(get + trust + certificate + [url])
        #expect(allowed.exit == .exited(status: 0), "\(allowed.error)")
        // The connection is still there, and is not the next one's.
        #expect(try await ferry(get + trust + [url]).exit == .exited(status: 8))
    }

    @Test func `SEC-8: ferry watch leaves a transfer's proxy as it is`() async throws {
        let closed = try FixtureClosedPort()
        let name = "http://127.0.0.1:\(closed.port)"
        let got = try await ferry([
            "get", "--detach", "--directory", home.files, "--proxy", name, nginx.url("a.bin"),
        ])
        #expect(got.exit == .exited(status: 0), "\(got.error)")
        let pipe = try systemCall("open", events.path) { open(events.path, O_WRONLY | O_CLOEXEC) }
        let watch = try await TestProcess(
            TestHome.executable("ferry"),
            ["watch", "1", "--json"],
            environment: home.environment,
            output: pipe
        )
        close(pipe)
        _ = await events.next { $0.contains("retrying") || $0.contains("backoff") }
        await watch.killed()
        let why = try await ferry(["why", "1"])
        #expect(!why.output.isEmpty)
        #expect(nginx.requests().isEmpty)
    }
}
