import FoundationEssentials

/// Reads and checks the response to a request for a WebSocket connection (RFC 6455 §4.1).
struct WebSocketHandshake {
    /// The result of reading.
    enum Progress: Equatable {
        /// A part of the response's head has been read.
        case incomplete
        /// The server speaks the WebSocket protocol from now on.
        case accepted(HTTPResponseHead, protocol: String?)
        /// The server has sent another response.
        case refused(HTTPResponseHead)
        /// The response cannot be read, or does not answer this request.
        case failure(HTTPError)
    }

    private let key: String
    private let protocols: [String]
    private let maximumByteCount: Int
    private var parser: ResponseHeadParser
    private var line: [UInt8] = []

    /// Makes a handshake that has read nothing.
    ///
    /// - Parameters:
    ///   - request: The request that was sent.
    ///   - key: The nonce that was sent, as base64.
    ///   - maximumHeaderByteCount: The maximum size of the response's head.
    init(_ request: WebSocketRequest, key: String, maximumHeaderByteCount: Int) {
        self.key = key
        protocols = request.protocols
        maximumByteCount = maximumHeaderByteCount
        parser = ResponseHeadParser(url: request.url, maximumByteCount: maximumHeaderByteCount)
        parser.acceptsProtocolSwitch = true
    }

    /// Returns a nonce for one handshake.
    static func makeKey() -> String {
        Data((0..<16).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString()
    }

    /// Returns the value that proves that a server has understood a nonce (RFC 6455 §4.2.2).
    ///
    /// - Throws: ``HTTPError/Code/other`` where the system's policy forbids SHA-1.
    static func accept(for key: String) throws(HTTPError) -> String {
        let text = key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        return Data(try MessageDigest.sha1.value(of: text)).base64EncodedString()
    }

    /// Removes the next bytes from the front; those after the head remain.
    mutating func receive(_ bytes: inout Slice<UnsafeRawBufferPointer>) -> Progress {
        while let byte = bytes.popFirst() {
            line.append(byte)
            guard line.count <= maximumByteCount else {
                let message = "The response's header exceeds \(maximumByteCount) bytes"
                return .failure(HTTPError(code: .headersTooLarge, message: message))
            }
            guard byte == UInt8(ascii: "\n") else { continue }
            let event = line.withUnsafeBytes { parser.append($0) }
            line.removeAll(keepingCapacity: true)
            switch event {
            case .nothing, .informational: continue
            case .head(let head): return judge(head)
            case .failure(let error): return .failure(error)
            }
        }
        return .incomplete
    }

    private func judge(_ head: HTTPResponseHead) -> Progress {
        guard head.status == 101 else { return .refused(head) }
        func has(_ name: String, _ element: String) -> Bool {
            head.fields.values(named: name).flatMap(\.listElements)
                .contains { $0.lowercased() == element }
        }
        guard has("Upgrade", "websocket"), has("Connection", "upgrade") else {
            return violation("The server switches to another protocol")
        }
        let proof: String
        do throws(HTTPError) {
            proof = try Self.accept(for: key)
        } catch {
            return .failure(error)
        }
        guard head.fields.values(named: "Sec-WebSocket-Accept") == [proof] else {
            return violation("The server has not understood the handshake")
        }
        // No extension was offered.
        guard head.fields.values(named: "Sec-WebSocket-Extensions").allSatisfy(\.isEmpty) else {
            return violation("The server uses an extension that was not requested")
        }
        let chosen = head.fields.values(named: "Sec-WebSocket-Protocol")
        guard chosen.count <= 1, chosen.allSatisfy(protocols.contains) else {
            return violation("The server chose a subprotocol that was not requested")
        }
        return .accepted(head, protocol: chosen.first)
    }

    private func violation(_ message: String) -> Progress {
        .failure(HTTPError(code: .badServerResponse, message: message))
    }
}
