import FerryHTTP
import FerrySystem
import FerryTestSupport
import Foundation
import FoundationEssentials
import Testing

/// What tests of transfers rely on in their nginx.
@Suite(.timeLimit(.minutes(1))) @LoopActor struct NginxTests {
    private let home: TestHome
    private let authority: TestAuthority
    private let nginx: Nginx
    private let client: HTTPClient

    init() async throws {
        home = try TestHome()
        authority = try await TestAuthority(in: home)
        nginx = try await Nginx(in: home, authority: authority)
        let file = authority.file
        client = try .local { $0.certificateAuthorityFile = file }
    }

    private func fetch(
        _ place: String,
        by listener: Nginx.Listener = .plain,
        method: String = "GET",
        _ fields: KeyValuePairs<String, String> = [:],
        body: [UInt8]? = nil,
        _ change: (inout HTTPRequest) -> Void = { _ in }
    ) async throws -> ExchangeProbe {
        var request = HTTPRequest(
            url: nginx.url(place, by: listener),
            method: method,
            fields: fields.map { HTTPField(name: $0.key, value: $0.value) },
            body: body
        )
        change(&request)
        let probe = try await client.fetch(request)
        #expect(probe.error == nil)
        return probe
    }

    @Test func `a file has an entity tag, a date and ranges`() async throws {
        let data = try nginx.addFile("song.bin", byteCount: 100_000)
        let whole = try await fetch("song.bin")
        #expect(whole.bytes == Array(data))
        let tag = try #require(try whole.head.fields.first(named: "ETag"))
        #expect(try whole.head.fields.first(named: "Last-Modified") != nil)
        let part = try await fetch("song.bin", ["Range": "bytes=9-19", "If-Range": tag])
        #expect(try part.head.status == 206)
        #expect(part.bytes == Array(data[9...19]))
        let same = try await fetch("song.bin", ["If-None-Match": tag])
        #expect(try same.head.status == 304)
        let requests = await nginx.requests(count: 3)
        #expect(requests.map(\.status) == [200, 206, 304])
        #expect(requests.map(\.range) == [nil, "bytes=9-19", nil])
        #expect(requests.map(\.byteCount) == [100_000, 11, 0])
        #expect(Set(requests.map(\.path)) == ["/song.bin"])
    }

    @Test(arguments: [
        (HTTPRequest.ProtocolChoice.http1, "HTTP/1.1"), (.http2, "HTTP/2.0"),
    ])
    func `TLS carries either protocol`(
        choice: HTTPRequest.ProtocolChoice,
        version: String
    ) async throws {
        let probe = try await fetch("echo", by: .secure) { $0.protocolChoice = choice }
        let echo = Nginx.Echo(probe.text)
        #expect(echo["protocol"] == version)
        #expect(echo["tls"] == "TLSv1.3")
        #expect(echo["verdict"] == "NONE")
        #expect(await nginx.requests(count: 1).map(\.version) == [version])
    }

    @Test func `a page tells what has come`() async throws {
        let fields: KeyValuePairs = [
            "Accept-Language": "mt, en;q=0.5", "Cookie": "a=\"b\"", "X-Test": "one: two",
        ]
        let probe = try await fetch("echo?a=b", method: "POST", fields, body: [1, 2, 3])
        let echo = Nginx.Echo(probe.text)
        #expect(echo["method"] == "POST")
        #expect(echo["uri"] == "/echo?a=b")
        #expect(echo["accept-language"] == "mt, en;q=0.5")
        #expect(echo["cookie"] == "a=\"b\"")
        #expect(echo["x-test"] == "one: two")
        #expect(echo["user-agent"] == "Ferry")
        #expect(echo["content-length"] == "3")
        #expect(echo["range"] == nil)
    }

    @Test func `a private file is for who knows the password`() async throws {
        let data = try nginx.addFile("song.bin", byteCount: 10)
        let refused = try await fetch("private/song.bin")
        #expect(try refused.head.status == 401)
        #expect(try refused.head.fields.first(named: "WWW-Authenticate") == "Basic realm=\"ferry\"")
        let secret = Data("\(Nginx.user):\(Nginx.password)".utf8).base64EncodedString()
        let shown = try await fetch("private/song.bin", ["Authorization": "Basic \(secret)"])
        #expect(shown.bytes == Array(data))
        #expect(await nginx.requests(count: 2).map(\.user) == [nil, Nginx.user])
    }

    @Test func `a file is compressed for who accepts that`() async throws {
        try nginx.addFile("page.txt", Data(String(repeating: "all work ", count: 1000).utf8))
        let plain = try await fetch("gzip/page.txt")
        #expect(plain.bytes.count == 9000)
        let compressed = try await fetch("gzip/page.txt", ["Accept-Encoding": "gzip"])
        #expect(try compressed.head.fields.first(named: "Content-Encoding") == "gzip")
        #expect(compressed.bytes == plain.bytes)
        let byteCounts = await nginx.requests(count: 2).map(\.byteCount)
        #expect(byteCounts[0] == 9000)
        #expect(byteCounts[1] < 1000)
    }

    @Test func `a connection is kept, or is not`() async throws {
        try nginx.addFile("song.bin", byteCount: 10)
        for place in ["song.bin", "close/song.bin", "song.bin"] { _ = try await fetch(place) }
        let connections = await nginx.requests(count: 3).map(\.connection)
        #expect(connections[0] == connections[1])
        #expect(connections[1] != connections[2])
    }

    @Test func `a connection ends in place of an answer`() async throws {
        let probe = try await client.fetch(HTTPRequest(url: nginx.url("silent")))
        #expect(probe.error?.code == .connectionLost)
    }

    @Test(arguments: [("POST", 1), ("PUT", 2)])
    func `RFC 9110 §9.2.2: over TLS, too, only what may be repeated is sent again`(
        method: String,
        count: Int
    ) async throws {
        let relay = try CuttingRelay(
            to: UInt16(nginx.port(.secure)),
            cuttingAfter: 20_000,
            times: 1,
            resets: true
        )
        let url = "https://127.0.0.1:\(relay.port)/post"
        func request(_ method: String, _ body: [UInt8]?) -> HTTPRequest {
            HTTPRequest(url: url, method: method, body: body)
        }
        _ = try await client.fetch(request("GET", nil))
        let probe = try await client.fetch(request(method, [UInt8](repeating: 7, count: 20_000)))
        #expect(probe.error?.code == (count == 1 ? .connectionLost : nil))
        _ = try await fetch("echo", by: .secure)
        let methods = await nginx.requests(count: count + 2).map(\.method)
        #expect(methods == ["GET"] + Array(repeating: method, count: count) + ["GET"])
    }

    @Test func `uploads are stored, replaced and deleted`() async throws {
        let body = [UInt8](repeating: 7, count: 300_000)
        let created = try await fetch("upload/new.bin", method: "PUT", body: body)
        #expect(try created.head.status == 201)
        #expect(try nginx.uploadedFile("new.bin") == Data(body))
        let replaced = try await fetch("upload/new.bin", by: .secure, method: "PUT", body: [1, 2])
        #expect(try replaced.head.status == 204)
        #expect(try await fetch("upload/new.bin").bytes == [1, 2])
        #expect(try await fetch("upload/new.bin", method: "DELETE").head.status == 204)
        #expect(try await fetch("upload/new.bin").head.status == 404)
    }

    @Test func `a body is read to its end before the answer`() async throws {
        let body = [UInt8](repeating: 7, count: 5_000_000)
        let probe = try await fetch("post", method: "POST", body: body)
        #expect(probe.text == "read")
        #expect(probe.sentByteCounts.last == 5_000_000)
    }

    @Test func `an answer is as slow as is wanted`() async throws {
        let data = try nginx.addFile("song.bin", byteCount: 60_000)
        let clock = ContinuousClock()
        let start = clock.now
        let probe = try await fetch("song.bin?rate=30k")
        #expect(probe.bytes == Array(data))
        // What nginx sends at once counts for the first second.
        #expect(clock.now - start > .milliseconds(700))
    }

    // MARK: Clients' certificates

    /// Asks for the echo by openssl, with a certificate, and returns the answer.
    private func exchange(
        _ listener: Nginx.Listener,
        _ certificate: TestAuthority.Certificate?
    ) async throws -> String {
        let directory = try TemporaryDirectory()
        let request = "GET /echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        try directory.write(request, to: "request")
        let input = try directory.directory.open("request", .read)
        let identity = certificate.map { ["-cert", $0.file, "-key", $0.keyFile] } ?? []
        let run = try await TestProcess.run(
            "/usr/bin/openssl",
            [
                "s_client", "-quiet", "-verify_return_error", "-CAfile", authority.file,
                "-connect", "localhost:\(nginx.port(listener))",
            ] + identity,
            environment: home.environment,
            others: [0: input.rawValue]
        )
        _ = consume input
        return run.output
    }

    @Test func `a server that requires a certificate takes those of its authority`() async throws {
        let known = try await exchange(.requiringCertificate, authority.client)
        #expect(known.hasPrefix("HTTP/1.1 200 "))
        #expect(Nginx.Echo(known)["verdict"] == "SUCCESS")
        #expect(Nginx.Echo(known)["subject"] == TestAuthority.clientSubject)
        for certificate in [nil, authority.stranger] {
            let answer = try await exchange(.requiringCertificate, certificate)
            #expect(answer.hasPrefix("HTTP/1.1 400 "))
        }
        let probe = try await fetch("echo", by: .requiringCertificate)
        #expect(try probe.head.status == 400)
    }

    @Test func `a server that accepts a certificate does without`() async throws {
        let known = try await exchange(.acceptingCertificate, authority.client)
        #expect(Nginx.Echo(known)["verdict"] == "SUCCESS")
        let unknown = try await fetch("echo", by: .acceptingCertificate)
        #expect(Nginx.Echo(unknown.text)["verdict"] == "NONE")
        #expect(Nginx.Echo(unknown.text)["subject"] == nil)
    }

    // MARK: Life

    @Test func `nginx says why it did not start`() async throws {
        try Data("no certificate".utf8).write(to: URL(filePath: authority.server.file))
        let other = try TestHome()
        let error = await #expect(throws: TestServerError.self) {
            try await Nginx(in: other, authority: authority)
        }
        #expect(error?.description.contains("cannot load certificate") == true)
    }
}

/// How long servers live that tests have started.
@Suite(.timeLimit(.minutes(1))) struct ServerLifeTests {
    @Test func `servers end with the tests, even when these are killed`() async throws {
        let tests = await #expect(
            processExitsWith: .signal(SIGKILL),
            observing: [\.standardOutputContent]
        ) {
            let home = try TestHome()
            let nginx = try await Nginx(in: home)
            let proxy = try await Tinyproxy(in: home)
            let httpbin = try await HTTPBin.shared
            let processes = [
                nginx.processIdentifier, proxy.processIdentifier, httpbin.processIdentifier,
            ]
            FileHandle.standardOutput.write(Data("servers \(processes) of \(home.path)\n".utf8))
            kill(getpid(), SIGKILL)
        }
        let output = String(decoding: tests?.standardOutputContent ?? [], as: UTF8.self)
        let line = try #require(output.split(separator: "\n").last { $0.hasPrefix("servers ") })
        let processes = line.matches(of: /\b[0-9]+\b/).prefix(3).compactMap { Int32($0.output) }
        #expect(processes.count == 3)
        for process in processes { await TestHome.untilEnd(of: process) }
        if let home = line.split(separator: " of ").last {
            try FileManager.default.removeItem(atPath: String(home))
        }
    }
}
