import FerryHTTP
import FerrySystem
import FerryTestSupport
import Foundation
import Testing

/// What tests of transfers rely on in their httpbin.
@Suite(.timeLimit(.minutes(1))) @LoopActor struct HTTPBinTests {
    private let server: HTTPBin
    private let client: HTTPClient

    init() async throws {
        server = try await HTTPBin.shared
        client = try .local()
    }

    private func fetch(
        _ path: String,
        method: String = "GET",
        _ fields: KeyValuePairs<String, String> = [:],
        body: [UInt8]? = nil
    ) async throws -> ExchangeProbe {
        let fields = fields.map { HTTPField(name: $0.key, value: $0.value) }
        let request = HTTPRequest(url: server.url(path), method: method, fields: fields, body: body)
        let probe = try await client.fetch(request)
        #expect(probe.error == nil)
        return probe
    }

    @Test func `there is one server for all tests`() async throws {
        #expect(try await HTTPBin.shared === server)
    }

    @Test(arguments: [204, 301, 401, 404, 418, 503]) func `it answers with any status`(
        status: Int
    ) async throws {
        #expect(try await fetch("/status/\(status)").head.status == status)
    }

    @Test func `it tells what has come`() async throws {
        struct Answer: Decodable {
            let method: String
            let args: [String: String]
            let headers: [String: String]
            let data: String
        }
        let body = Array("{\"sea\": \"rough\"}".utf8)
        let probe = try await fetch(
            "/anything/boat?name=Argo",
            method: "PATCH",
            ["Content-Type": "application/json", "X-Test": "yes"],
            body: body
        )
        let answer = try JSONDecoder().decode(Answer.self, from: Data(probe.bytes))
        #expect(answer.method == "PATCH")
        #expect(answer.args == ["name": "Argo"])
        #expect(answer.headers["X-Test"] == "yes")
        #expect(Array(answer.data.utf8) == body)
    }

    @Test func `a body without a length arrives in chunks`() async throws {
        let source = ScriptedBodySource()
        source.add("a wave")
        source.end()
        let probe = try await client.fetch(
            HTTPRequest(url: server.url("/post"), method: "POST"),
            body: source
        )
        #expect(probe.text.contains("\"data\": \"a wave\""))
        #expect(probe.text.contains("\"Transfer-Encoding\": \"chunked\""))
    }

    @Test func `it redirects`() async throws {
        let probe = try await fetch("/redirect/2")
        #expect(try probe.head.status == 302)
        #expect(try probe.head.fields.first(named: "Location") == "/relative-redirect/1")
    }

    @Test func `it asks for a digest`() async throws {
        let probe = try await fetch("/digest-auth/auth/alice/harbour/SHA-256")
        #expect(try probe.head.status == 401)
        let challenge = try #require(try probe.head.fields.first(named: "WWW-Authenticate"))
        #expect(challenge.hasPrefix("Digest "))
        #expect(challenge.contains("algorithm=SHA-256"))
    }

    @Test func `it sets cookies and tells them`() async throws {
        let set = try await fetch("/cookies/set?ship=Argo")
        #expect(try set.head.fields.first(named: "Set-Cookie") == "ship=Argo; Path=/")
        let told = try await fetch("/cookies", ["Cookie": "ship=Argo"])
        #expect(told.text.contains("\"ship\": \"Argo\""))
    }

    @Test(arguments: [("gzip", "gzip"), ("deflate", "deflate"), ("brotli", "br")])
    func `it compresses`(path: String, encoding: String) async throws {
        let probe = try await fetch("/\(path)")
        #expect(try probe.head.fields.first(named: "Content-Encoding") == encoding)
        #expect(!probe.bytes.isEmpty)
    }

    @Test func `it streams lines`() async throws {
        let probe = try await fetch("/stream/50")
        #expect(probe.text.split(separator: "\n").count == 50)
        #expect(try probe.head.fields.first(named: "Transfer-Encoding") == "chunked")
    }

    @Test func `slow answers do not hold up others`() async throws {
        let slow = ExchangeProbe()
        let client = try HTTPClient.local { $0.maximumConnectionsPerHost = 0 }
        let exchange = client.start(
            HTTPRequest(url: server.url("/delay/10")),
            handler: slow
        )
        for _ in 0..<10 { #expect(try await fetch("/uuid").head.status == 200) }
        #expect(slow.calls.isEmpty)
        exchange.cancel()
    }
}
