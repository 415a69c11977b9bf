import FerrySystem
import FerryTestSupport
import FoundationEssentials
import Testing

/// Passwords in addresses, and all places that could show them: the command, its JSON and ferryd's log.
@Suite(.serialized, .timeLimit(.minutes(2))) struct SecretAddressEndToEndTests {
    private let home: TestHome

    init() throws {
        home = try TestHome(daemonArguments: ["--retry-delay", "0.001", "--log-level", "debug"])
    }

    private func get(
        _ url: String,
        by proxy: String = ""
    ) async throws -> (exit: ProcessExit, output: String, error: String) {
        var environment = home.environment
        environment["http_proxy"] = proxy
        environment["https_proxy"] = proxy
        return try await TestProcess.run(
            TestHome.executable("ferry"),
            ["get", "--retries", "1", "-d", home.files, url],
            environment: environment
        )
    }

    /// What all places show.
    private func shown() async throws -> String {
        var text = ""
        for line in [
            ["list", "--all"], ["list", "--all", "--json"], ["why", "1"], ["log"],
            ["daemon", "status"],
            ["config"],
        ] {
            let run = try await home.ferry(line)
            text += run.output + run.error
        }
        return text
    }

    @Test(arguments: [
        "http://user:hunter2@127.0.0.1:99999", "gopher://user:hunter2@127.0.0.1:1",
        "http://user:hunter2@[::1:1", "http://user:hunter2@a b:1", "user:hunter2@127.0.0.1:x",
    ])
    func
        `SEC-13: a proxy's address that cannot be used fails the transfer at once, without its password`(
            proxy: String
        ) async throws
    {
        for scheme in ["http", "https"] {
            let get = try await get("\(scheme)://127.0.0.1:1/a", by: proxy)
            #expect(get.exit == .exited(status: 6))
            #expect(get.error.contains("proxy"), "\(get.error)")
            #expect(!(get.error + get.output).contains("hunter2"))
        }
        #expect(try await !shown().contains("hunter2"))
    }

    @Test func `SEC-13: a proxy that cannot be reached fails the transfer without its password`()
        async throws
    {
        for (scheme, proxy) in [
            ("http", "http://user:hunter2@127.0.0.1:1"),
            ("https", "socks5h://user:hunter2@[::1]:1"),
            ("https", "https://user:hunter2@127.0.0.1:1"), ("https", "user:hunter2@127.0.0.1:1"),
        ] {
            let get = try await get("\(scheme)://user:hunter2@127.0.0.1:1/a", by: proxy)
            #expect(get.exit == .exited(status: 6))
            #expect(!(get.error + get.output).contains("hunter2"), "\(get.error)")
        }
        #expect(try await !shown().contains("hunter2"))
    }

    @Test(arguments: ["http://user:hunter2@127.0.0.1:99999", "ftp://user:hunter2@127.0.0.1:1"])
    func `SEC-13: a proxy in ferry.conf that cannot be used is named without its password`(
        proxy: String
    ) async throws {
        let directory = home.path + "/.config/ferry"
        try FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: true
        )
        try Data("[ferryd]\nhttp-proxy=\(proxy)\n".utf8)
            .write(to: URL(filePath: directory + "/ferry.conf"))
        let text = try await shown()
        #expect(text.contains("http-proxy"))
        #expect(!text.contains("hunter2"))
    }
}
