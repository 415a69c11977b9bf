/// One connection of a ``FixtureServer``: reads requests and performs what answers them.
final class FixtureConnection: Sendable {
    /// Whether the connection is still of use.
    private enum Progress {
        case open
        case ended(FixtureRequest.State)
    }

    private let number: Int
    private let socket: FixtureSocket
    private let log: FixtureLog
    private let hold: @Sendable (FixtureRequest) -> FixtureHold?
    private let takeAnswer: @Sendable (FixtureRequest) -> FixtureRoute.Answer

    init(
        number: Int,
        socket: FixtureSocket,
        log: FixtureLog,
        hold: @escaping @Sendable (FixtureRequest) -> FixtureHold?,
        takeAnswer: @escaping @Sendable (FixtureRequest) -> FixtureRoute.Answer
    ) {
        self.number = number
        self.socket = socket
        self.log = log
        self.hold = hold
        self.takeAnswer = takeAnswer
    }

    /// Serves requests until either side ends the connection.
    func serve() {
        defer { log.connectionClosed(number) }
        var received: [UInt8] = []
        while let request = readRequest(from: &received) {
            // Before a test can see the request, and send another one that must not get this answer.
            let answer = takeAnswer(request)
            let recorded = log.append(request)
            let response = answer(recorded).respond(recorded)
            switch perform(response.steps(for: recorded), for: recorded) {
            case .open:
                log.set(.sent, of: recorded)
                guard response.keepsConnection(after: recorded) else { return }
            case .ended(let state):
                log.set(state, of: recorded)
                return
            }
        }
    }

    // MARK: Reading

    private func readRequest(from received: inout [UInt8]) -> FixtureRequest? {
        var head: [UInt8]?
        while head == nil {
            head = Self.takeHead(from: &received)
            if head != nil { break }
            // A TLS handshake has no empty line to wait for.
            guard received.first.map({ $0 >= 0x20 }) ?? true else { return nil }
            guard receiveMore(into: &received) else { return nil }
        }
        guard var request = head.flatMap({ FixtureRequest(head: $0, connection: number) })
        else { return nil }
        if request["Expect"] == "100-continue" {
            guard case .open = send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) else { return nil }
        }
        let isChunked = request["Transfer-Encoding"] == "chunked"
        let length = request["Content-Length"].flatMap { Int($0) } ?? 0
        if let hold = hold(request) {
            guard fill(&received, to: min(hold.byteCount, length)) else { return nil }
            log.bodyHeld()
            guard case .gate = socket.wait(for: hold.gate) else { return nil }
        }
        let body =
            isChunked ? takeChunks(from: &received) : take(length, from: &received)
        guard let body else { return nil }
        request.body = body
        return request
    }

    private func take(_ count: Int, from received: inout [UInt8]) -> [UInt8]? {
        guard fill(&received, to: count) else { return nil }
        defer { received.removeFirst(count) }
        return Array(received.prefix(count))
    }

    private func fill(_ received: inout [UInt8], to count: Int) -> Bool {
        while received.count < count {
            guard receiveMore(into: &received) else { return false }
        }
        return true
    }

    /// A body in chunks (RFC 9112 §7.1); trailers are not expected.
    private func takeChunks(from received: inout [UInt8]) -> [UInt8]? {
        var body: [UInt8] = []
        while let line = takeLine(from: &received), let count = Int(line, radix: 16) {
            guard let chunk = take(count + 2, from: &received) else { return nil }
            if count == 0 { return body }
            body += chunk.dropLast(2)
        }
        return nil
    }

    private func takeLine(from received: inout [UInt8]) -> String? {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: received[..<end], as: UTF8.self)
                received.removeFirst(end + 1)
                return line.hasSuffix("\r") ? String(line.dropLast()) : line
            }
            guard receiveMore(into: &received) else { return nil }
        }
    }

    private static func takeHead(from received: inout [UInt8]) -> [UInt8]? {
        let (cr, lf) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"))
        var end = 3
        while end < received.count {
            if received[end] == lf, received[end - 1] == cr, received[end - 2] == lf {
                let head = Array(received[..<(end - 3)])
                received.removeFirst(end + 1)
                return head
            }
            end += 1
        }
        return nil
    }

    private func receiveMore(into received: inout [UInt8]) -> Bool {
        while true {
            switch socket.receive(into: &received) {
            case .bytes: return true
            case .ended: return false
            case .wouldBlock: break
            }
            guard case .ready = socket.waitUntilReadable() else { return false }
        }
    }

    // MARK: Answering

    private func perform(_ steps: [FixtureStep], for request: FixtureRequest) -> Progress {
        for step in steps {
            let progress = perform(step, for: request)
            guard case .open = progress else { return progress }
        }
        return .open
    }

    private func perform(_ step: FixtureStep, for request: FixtureRequest) -> Progress {
        switch step {
        case .send(let bytes):
            return send(bytes)
        case .sendBody(let content, let range, let bytesPerSecond):
            return send(content, range, bytesPerSecond: bytesPerSecond, for: request)
        case .sendForever(let bytes):
            while case .open = send(bytes) {}
            return .ended(.abandoned)
        case .wait(let gate):
            log.set(.stalled, of: request)
            guard case .gate = socket.wait(for: gate) else { return .ended(.abandoned) }
            log.set(.sending, of: request)
            return .open
        case .tunnel(let port):
            guard let far = socket.connection(to: port) else { return .ended(.dropped) }
            FixtureTunnel(socket, far).carry()
            return .ended(.sent)
        case .close:
            return .ended(.dropped)
        case .reset:
            socket.resetAtEnd()
            return .ended(.dropped)
        }
    }

    private func send(
        _ content: FixtureContent,
        _ range: Range<Int64>,
        bytesPerSecond: Int64?,
        for request: FixtureRequest
    ) -> Progress {
        // Twenty pieces a second look like a slow line.
        let piece = max(1, min(64 * 1024, (bytesPerSecond ?? .max) / 20))
        var start = range.lowerBound
        while start < range.upperBound {
            let end = min(start + piece, range.upperBound)
            let progress = send(content.bytes(in: start..<end), bodyOf: request)
            guard case .open = progress else { return progress }
            if let bytesPerSecond {
                let milliseconds = Int32(clamping: (end - start) * 1000 / bytesPerSecond)
                guard case .timedOut = socket.wait(milliseconds: milliseconds)
                else { return .ended(.abandoned) }
            }
            start = end
        }
        return .open
    }

    private func send(_ bytes: [UInt8], bodyOf request: FixtureRequest? = nil) -> Progress {
        var sentCount = 0
        while sentCount < bytes.count {
            switch socket.send(bytes, from: sentCount) {
            case .bytes(let count):
                sentCount += count
                if let request { log.sent(bodyByteCount: Int64(count), of: request) }
            case .ended:
                return .ended(.abandoned)
            case .wouldBlock:
                guard waitUntilWritable(for: request) else { return .ended(.abandoned) }
            }
        }
        return .open
    }

    /// Waits until the client takes more, and says so in the log when that takes long.
    private func waitUntilWritable(for request: FixtureRequest?) -> Bool {
        var wake = socket.waitUntilWritable(milliseconds: 200)
        if case .timedOut = wake {
            if let request { log.set(.blocked, of: request) }
            wake = socket.waitUntilWritable()
            if let request { log.set(.sending, of: request) }
        }
        if case .ready = wake { return true }
        return false
    }
}
