import Testing

@testable import FerryHTTP

@Suite(.timeLimit(.minutes(5))) struct WebSocketHandshakeTests {
    /// RFC 6455 §1.3.
    private static let key = "dGhlIHNhbXBsZSBub25jZQ=="
    private static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

    private static func answer(
        _ status: String = "101 Switching Protocols",
        upgrade: String = "websocket",
        connection: String = "Upgrade",
        accept: String = accept,
        more: String = ""
    ) -> String {
        "HTTP/1.1 \(status)\r\nUpgrade: \(upgrade)\r\nConnection: \(connection)\r\n"
            + "Sec-WebSocket-Accept: \(accept)\r\n\(more)\r\n"
    }

    private static func handshake(protocols: [String] = []) -> WebSocketHandshake {
        let request = WebSocketRequest(url: "ws://host/chat", protocols: protocols)
        return WebSocketHandshake(request, key: key, maximumHeaderByteCount: 1000)
    }

    private func read(
        _ text: String,
        protocols: [String] = []
    ) -> WebSocketHandshake.Progress {
        var handshake = Self.handshake(protocols: protocols)
        return Array(text.utf8).withUnsafeBytes { bytes in
            var rest = bytes[...]
            return handshake.receive(&rest)
        }
    }

    @Test func `the answer to the standard's nonce is the standard's`() throws {
        #expect(try WebSocketHandshake.accept(for: Self.key) == Self.accept)
    }

    @Test func `each nonce is another one, of 16 bytes`() {
        let keys = Set((0..<100).map { _ in WebSocketHandshake.makeKey() })
        #expect(keys.count == 100)
        #expect(keys.allSatisfy { $0.count == 24 && $0.hasSuffix("==") })
    }

    @Test func `a good answer opens the connection, and what follows is left`() throws {
        var handshake = Self.handshake()
        let text = Self.answer() + "frames"
        try Array(text.utf8).withUnsafeBytes { bytes in
            var rest = bytes[...]
            guard case .accepted(let head, nil) = handshake.receive(&rest) else {
                throw WebSocketError(code: .refused, message: "not accepted")
            }
            #expect(head.status == 101)
            #expect(head.url == "ws://host/chat")
            #expect(String(decoding: rest, as: UTF8.self) == "frames")
        }
    }

    @Test func `an answer may come byte by byte, after interim ones, in any case`() {
        var handshake = Self.handshake(protocols: ["a", "b"])
        let text =
            "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
            + Self.answer(
                upgrade: "WebSocket",
                connection: "keep-alive, upgrade",
                more: "sec-websocket-protocol: b\r\n"
            )
        var last = WebSocketHandshake.Progress.incomplete
        for byte in text.utf8 {
            #expect(last == .incomplete)
            last = [byte].withUnsafeBytes { bytes in
                var rest = bytes[...]
                return handshake.receive(&rest)
            }
        }
        guard case .accepted(_, "b") = last else {
            Issue.record("not accepted: \(last)")
            return
        }
    }

    @Test(arguments: [
        Self.answer(upgrade: "h2c"),
        Self.answer(connection: "close"),
        Self.answer(accept: "s3pPLMBiTxaQ9kYGzzhZRbK+xOO="),
        Self.answer(more: "Sec-WebSocket-Accept: \(accept)\r\n"),
        Self.answer(more: "Sec-WebSocket-Extensions: permessage-deflate\r\n"),
        Self.answer(more: "Sec-WebSocket-Protocol: c\r\n"),
        Self.answer(more: "Sec-WebSocket-Protocol: a\r\nSec-WebSocket-Protocol: b\r\n"),
        "SSH-2.0-OpenSSH\r\n",
        Self.answer("101"),
        "HTTP/1.1 101 X\r\n\r\n",
    ])
    func `an answer that is none to this request is a failure`(text: String) {
        let progress = read(text, protocols: ["a", "b"])
        if text.hasPrefix("HTTP/1.1 101\r\n") {
            // The reason phrase is nobody's business.
            guard case .accepted = progress else {
                Issue.record("\(progress)")
                return
            }
            return
        }
        guard case .failure(let error) = progress else {
            Issue.record("\(progress)")
            return
        }
        #expect(error.code == .badServerResponse)
    }

    @Test func `another status is a refusal`() {
        guard case .refused(let head) = read(Self.answer("403 Forbidden")) else {
            Issue.record("not refused")
            return
        }
        #expect(head.status == 403)
    }

    @Test(arguments: ["X-Long: ", "X: y\r\n"])
    func `a header beyond the limit is a failure`(part: String) {
        let text = "HTTP/1.1 101 X\r\n" + String(repeating: part, count: 1000)
        guard case .failure(let error) = read(text) else {
            Issue.record("not refused")
            return
        }
        #expect(error.code == .headersTooLarge)
    }

    // MARK: - Requests

    private func lines(_ request: WebSocketRequest, userAgent: String? = "Ferry") throws -> [String]
    {
        let bytes = try request.bytes(key: "KEY", userAgent: userAgent)
        return String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").map { String($0) }
    }

    @Test func `a request says what the standard demands`() throws {
        let request = WebSocketRequest(
            url: "wss://host:4711/a/../b?c=d#e",
            fields: [HTTPField(name: "Authorization", value: "Bearer x")],
            protocols: ["chat.2", "chat.1"]
        )
        #expect(
            try lines(request) == [
                "GET /a/../b?c=d HTTP/1.1", "Host: host:4711", "User-Agent: Ferry",
                "Authorization: Bearer x", "Connection: Upgrade", "Upgrade: websocket",
                "Sec-WebSocket-Key: KEY", "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Protocol: chat.2, chat.1",
            ]
        )
        #expect(request.httpURL == "https://host:4711/a/../b?c=d#e")
    }

    @Test func `fields of the handshake's own are the handshake's own matter`() throws {
        let request = WebSocketRequest(
            url: "http://[::1]",
            fields: [
                HTTPField(name: "host", value: "elsewhere"),
                HTTPField(name: "user-agent", value: "mine"),
                HTTPField(name: "connection", value: "close"),
                HTTPField(name: "upgrade", value: "h2c"),
                HTTPField(name: "sec-websocket-key", value: "known"),
                HTTPField(name: "sec-websocket-protocol", value: "a, b"),
                HTTPField(name: "content-length", value: "4"),
            ]
        )
        #expect(request.protocols == ["a", "b"])
        #expect(
            try lines(request) == [
                "GET / HTTP/1.1", "host: elsewhere", "user-agent: mine", "Connection: Upgrade",
                "Upgrade: websocket", "Sec-WebSocket-Key: KEY", "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Protocol: a, b",
            ]
        )
    }

    @Test(arguments: ["ws://host:80/", "http://host/", "wss://host:443", "https://host"])
    func `a port that goes without saying is not said`(url: String) throws {
        #expect(try lines(WebSocketRequest(url: url), userAgent: nil)[1] == "Host: host")
    }

    @Test func `a request that would be another one is refused`() {
        let field = HTTPField(name: "X", value: "a\r\nY: b")
        for request in [
            WebSocketRequest(url: "ws://host", fields: [field]),
            WebSocketRequest(url: "ws://host", protocols: ["a b"]),
            WebSocketRequest(url: "ws://host", protocols: [""]),
        ] {
            let error = #expect(throws: HTTPError.self) { try request.check() }
            #expect(error?.code == .invalidRequest)
        }
    }
}
