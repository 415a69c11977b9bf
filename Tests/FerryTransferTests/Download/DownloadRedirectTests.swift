import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(1)))
@LoopActor
struct DownloadRedirectTests {
    let bench: DownloadBench
    let elsewhere: FixtureServer
    let content = FixtureContent.seeded(1, byteCount: 300_001)

    init() throws {
        bench = try DownloadBench()
        elsewhere = try FixtureServer()
    }

    @Test func `BG-7: a redirect is followed, and the last request reported`() async throws {
        bench.server.on("/start", .redirect(to: "/middle", status: 301))
        bench.server.on("/middle", .redirect(to: "end?x#y", status: 307))
        bench.server.on("/end", .file(FixtureFile(content)))
        let probe = bench.download(bench.request("/start"))
        let result = try #require(await probe.result())
        #expect(result.currentRequest.url == bench.server.url("/end?x#y"))
        #expect(probe.currentRequest == result.currentRequest)
        #expect(probe.story == [.responded(200), .finished])
        #expect(try bench.difference(content) == nil)
        // The short bodies of the redirects were read, so that one connection served them all.
        #expect(bench.server.history.connectionCount == 1)
    }

    @Test(arguments: [0, 1, 2, 3])
    func `as many redirects are followed as may be`(limit: Int) async throws {
        bench.server.on("/start", .redirect(to: "/middle", status: 301))
        bench.server.on("/middle", .redirect(to: "end", status: 307))
        bench.server.on("/end", .file(FixtureFile(content)))
        var configuration = Download.Configuration()
        configuration.load.redirectPolicy = RedirectPolicy(maximumCount: limit)
        let probe = bench.download(bench.request("/start"), configuration)
        if limit < 2 {
            #expect(await probe.failure()?.code == .tooManyRedirects)
            #expect(bench.server.requests.count == limit + 1)
        } else {
            #expect(await probe.result() != nil)
        }
    }

    @Test func `a redirect with an endless body is followed`() async throws {
        bench.server.on(
            "/start",
            .script([
                .text("HTTP/1.1 302 Found\r\nLocation: /end\r\nTransfer-Encoding: chunked\r\n\r\n"),
                .sendForever(Array("4\r\nmore\r\n".utf8)),
            ])
        )
        bench.server.on("/end", .file(FixtureFile(content)))
        #expect(await bench.download(bench.request("/start")).result() != nil)
        #expect(try bench.difference(content) == nil)
    }

    @Test func `secrets do not reach another origin, and do not come back`() async throws {
        bench.server.on("/start", .redirect(to: elsewhere.url("/middle")))
        elsewhere.on("/middle", .redirect(to: bench.server.url("/end")))
        bench.server.on("/end", .file(FixtureFile(content)))
        let probe = bench.download(
            bench.request(
                "/start",
                [
                    ("Authorization", "Bearer secret"), ("Cookie", "secret"),
                    ("X-Api-Key", "secret"), ("Accept", "audio/*"),
                ]
            )
        )
        #expect(await probe.result() != nil)
        let hops = [bench.server.requests[0], elsewhere.requests[0], bench.server.requests[1]]
        #expect(hops.map { $0["Authorization"] } == ["Bearer secret", nil, nil])
        #expect(hops.map { $0["Cookie"] } == ["secret", nil, nil])
        #expect(hops.map { $0["X-Api-Key"] } == ["secret", nil, nil])
        #expect(hops.map { $0["Accept"] } == ["audio/*", "audio/*", "audio/*"])
    }

    // MARK: - Cookies

    /// Has a path redirect to itself until its cookies have come back.
    private func askForCookies(_ path: String, count: Int = 1) {
        bench.server.on(path) { [content] request in
            let sent = (request["Cookie"] ?? "").split(separator: ";").count
            guard sent < count else { return .file(FixtureFile(content)) }
            return .redirect(to: path)
                .with(fields: [("Set-Cookie", "step\(sent)=\(sent); Path=/; HttpOnly")])
        }
    }

    private func download(_ acceptance: CookieAcceptance) -> DownloadProbe {
        var request = bench.request("/file")
        request.cookieAcceptance = acceptance
        return DownloadProbe(
            request,
            bench.file(),
            client: bench.client,
            Download.Configuration(),
            decider: BackgroundDecider(challenges: nil)
        )
    }

    @Test(arguments: [1, 2, 15])
    func `HTTP-4: a redirect to the same address that sets a cookie is no loop`(
        count: Int
    ) async throws {
        askForCookies("/file", count: count)
        #expect(await download(.all).result() != nil)
        #expect(try bench.difference(content) == nil)
        #expect(bench.server.requests.count == count + 1)
    }

    @Test func `HTTP-4: cookies do not reach another origin against the rules`() async throws {
        bench.server.on(
            "/file",
            .redirect(to: elsewhere.url("/end").replacing("127.0.0.1", with: "localhost"))
                .with(fields: [("Set-Cookie", "secret=1")])
        )
        elsewhere.on("/end", .file(FixtureFile(content)))
        #expect(await download(.all).result() != nil)
        #expect(elsewhere.requests.map { $0["Cookie"] } == [nil])
    }

    @Test func `HTTP-4: where the app allows no cookies, the redirect is a loop`() async throws {
        askForCookies("/file")
        let probe = download(.none)
        #expect(await probe.failure()?.code == .tooManyRedirects)
        #expect(bench.server.requests.count == 21)
    }

    @Test func `secrets go along within an origin`() async throws {
        bench.server.on("/start", .redirect(to: "/end"))
        bench.server.on("/end", .file(FixtureFile(content)))
        _ = await bench.download(bench.request("/start", [("X-Api-Key", "secret")])).result()
        #expect(bench.server.requests.map { $0["X-Api-Key"] } == ["secret", "secret"])
    }

    @Test func `DL-4: a redirect loop ends after twenty`() async throws {
        bench.server.on("/start", .redirect(to: "/start"))
        let error = try #require(await bench.download(bench.request("/start")).failure())
        #expect(error.code == .tooManyRedirects)
        #expect(error.failingURL == bench.server.url("/start"))
        #expect(bench.server.requests.count == 21)
    }

    @Test func `BG-6: a redirect out of HTTP fails`() async throws {
        bench.server.on("/start", .redirect(to: "file:///etc/passwd"))
        let error = try #require(await bench.download(bench.request("/start")).failure())
        #expect(error.code == .redirectToNonHTTP)
        #expect(error.failingURL == "file:///etc/passwd")
    }

    @Test func `DL-3: a POST that is told to look elsewhere becomes a GET`() async throws {
        bench.server.on("/start", .redirect(to: "/end", status: 303))
        bench.server.on("/end", .file(FixtureFile(content)))
        var request = bench.request("/start", [("Content-Type", "text/plain")])
        request.method = "POST"
        request.body = Array("abc".utf8)
        #expect(await bench.download(request).result() != nil)
        #expect(bench.server.requests.map(\.method) == ["POST", "GET"])
        #expect(bench.server.requests.map(\.body.count) == [3, 0])
        #expect(bench.server.requests.map { $0["Content-Type"] } == ["text/plain", nil])
    }

    @Test func `DL-3: a POST that is told to go elsewhere takes its body along`() async throws {
        bench.server.on("/start", .redirect(to: "/end", status: 307))
        bench.server.on("/end", .file(FixtureFile(content)))
        var request = bench.request("/start")
        request.method = "POST"
        request.body = Array("abc".utf8)
        #expect(await bench.download(request).result() != nil)
        #expect(bench.server.requests.map(\.method) == ["POST", "POST"])
        #expect(bench.server.requests.map(\.body) == [Array("abc".utf8), Array("abc".utf8)])
    }

    @Test func `a resumption follows redirects that change their signature`() async throws {
        let counter = Recorder<Int>()
        bench.server.on("/start") { _ in
            counter.append(0)
            return .redirect(to: "/end?signature=\(counter.elements.count)")
        }
        let file = FixtureFile(content)
        bench.server.on("/end", .file(file).dropping(after: 100_000), .file(file))
        let request = bench.request("/start")
        #expect(await bench.download(request).failure()?.code == .connectionLost)
        let second = bench.download(request)
        #expect(await second.result() != nil)
        #expect(second.story == [.responded(200), .resumed(100_000, 300_001), .finished])
        #expect(bench.server.requests.map(\.target).last == "/end?signature=2")
        #expect(try bench.difference(content) == nil)
    }

    @Test func `a redirect that leads to another file does not continue the first`() async throws {
        let other = FixtureContent.seeded(2, byteCount: 300_001)
        bench.server.on("/latest", .redirect(to: "/v1"), .redirect(to: "/v2"))
        // Two files with equal entity tags, as servers make them of date and size.
        bench.server.on("/v1", .file(FixtureFile(content)).dropping(after: 100_000))
        bench.server.on("/v2", .file(FixtureFile(other)))
        let request = bench.request("/latest")
        #expect(await bench.download(request).failure()?.code == .connectionLost)
        let second = bench.download(request)
        #expect(await second.result() != nil)
        #expect(second.restartReasons == ["the part differs from what is at hand"])
        #expect(try bench.difference(other) == nil)
    }

    @Test func `DL-4: a failure behind a redirect names the address that has failed`() async throws
    {
        let closed = try FixtureClosedPort()
        bench.server.on("/start", .redirect(to: closed.url("/end")))
        let failure = try #require(await bench.download(bench.request("/start")).failure())
        #expect(failure.code == .cannotConnectToHost)
        #expect(failure.failingURL == closed.url("/end"))
    }
}
