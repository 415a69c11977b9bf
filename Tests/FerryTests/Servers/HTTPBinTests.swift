import Ferry
import FerryTestSupport
import Foundation
import Testing

/// What a server makes of requests that nobody here has written.
@Suite("Tasks and httpbin", .timeLimit(.minutes(2)))
struct HTTPBinTests {
    private let server: HTTPBin
    private let recorder = DataRecorder()
    private let session: URLSession

    init() async throws {
        _ = Home.path
        server = try await HTTPBin.shared
        session = recorder.makeSession()
    }

    private func url(_ path: String) throws -> URL { try #require(URL(string: server.url(path))) }

    private func object(_ data: Data) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    @Test func `a chain of redirects is followed`() async throws {
        let (data, response) = try await session.data(from: try url("/redirect/5"))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(response.url?.path == "/get")
        #expect(try object(data)["url"] as? String == server.url("/get"))
        #expect(recorder.story.count { $0.hasPrefix("redirect") } == 5)
    }

    @Test(arguments: ["MD5", "SHA-256"])
    func `DL-10: digest authentication`(algorithm: String) async throws {
        recorder.change { answers in
            answers.challenge = { _ in
                let credential = URLCredential(user: "u", password: "p", persistence: .none)
                return (.useCredential, credential)
            }
        }
        let path = "/digest-auth/auth/u/p/\(algorithm)"
        let (data, response) = try await session.data(from: try url(path))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(try object(data)["user"] as? String == "u")
        let challenge = try #require(recorder.challenges.first)
        #expect(
            challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPDigest
        )
    }

    @Test func `cookies are kept and sent, also by a redirect`() async throws {
        let (data, _) = try await session.data(from: try url("/cookies/set?ship=ferry"))
        #expect(try object(data)["cookies"] as? [String: String] == ["ship": "ferry"])
        let storage = try #require(session.configuration.httpCookieStorage)
        #expect(storage.cookies(for: try url("/"))?.map(\.name) == ["ship"])
        var request = URLRequest(url: try url("/cookies"))
        request.httpShouldHandleCookies = false
        let (bare, _) = try await session.data(for: request)
        #expect(try object(bare)["cookies"] as? [String: String] == [:])
    }

    @Test func `a session that accepts no cookies keeps none`() async throws {
        let session = recorder.makeSession { $0.httpCookieAcceptPolicy = .never }
        let (data, _) = try await session.data(from: try url("/cookies/set?ship=ferry"))
        #expect(try object(data)["cookies"] as? [String: String] == [:])
    }

    @Test func `a request that takes too long times out`() async throws {
        var request = URLRequest(url: try url("/delay/10"))
        request.timeoutInterval = 0.2
        let asked = request
        await expectURLError(.timedOut) { try await session.data(for: asked) }
    }

    @Test func `BG-17: a task that takes too long in all times out`() async throws {
        let session = recorder.makeSession { $0.timeoutIntervalForResource = 0.3 }
        await expectURLError(.timedOut) {
            try await session.data(from: try url("/drip?duration=5&numbytes=10"))
        }
    }

    @Test func `lines come as they are sent`() async throws {
        let (bytes, _) = try await session.bytes(from: try url("/stream/3"))
        var count = 0
        for try await line in bytes.lines {
            #expect(try object(Data(line.utf8))["id"] as? Int == count)
            count += 1
        }
        #expect(count == 3)
    }

    @Test(arguments: [200, 204, 400, 404, 418, 500, 503])
    func `a status is no error`(status: Int) async throws {
        let (_, response) = try await session.data(from: try url("/status/\(status)"))
        #expect((response as? HTTPURLResponse)?.statusCode == status)
    }

    @Test(arguments: ["gzip", "deflate", "brotli"])
    func `a packed body is unpacked`(coding: String) async throws {
        let (data, _) = try await session.data(from: try url("/\(coding)"))
        let key = coding == "gzip" ? "gzipped" : coding == "deflate" ? "deflated" : "brotli"
        #expect(try object(data)[key] as? Bool == true)
    }

    @Test func `a form and what it is sent with arrive`() async throws {
        var request = URLRequest(url: try url("/post?a=1"))
        request.httpMethod = "POST"
        request.httpBody = Data("b=2".utf8)
        request.setValue("ferry/1", forHTTPHeaderField: "User-Agent")
        let (data, _) = try await session.data(for: request)
        let echo = try object(data)
        #expect(echo["form"] as? [String: String] == ["b": "2"])
        #expect(echo["args"] as? [String: String] == ["a": "1"])
        #expect((echo["headers"] as? [String: String])?["User-Agent"] == "ferry/1")
    }

    @Test(arguments: ["PUT", "PATCH", "DELETE", "POST"])
    func `an upload arrives whole`(method: String) async throws {
        let body = Data((0..<200_000).map { UInt8(ascii: "a") + UInt8($0 % 26) })
        var request = URLRequest(url: try url("/anything"))
        request.httpMethod = method
        // Else a POST is taken for a form.
        request.setValue("text/plain", forHTTPHeaderField: "Content-Type")
        let (data, _) = try await session.upload(for: request, from: body)
        let echo = try object(data)
        #expect(echo["data"] as? String == String(decoding: body, as: UTF8.self))
        #expect(echo["method"] as? String == method)
    }
}
